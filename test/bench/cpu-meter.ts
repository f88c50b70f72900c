import { type ProcessTimes, readProcessTimes, treeOf } from './process-times.ts';

/** Processor time since the start, in milliseconds. */
export interface CpuReading {
  /** Of the root process alone. */
  readonly rootMs: number;
  readonly treeMs: number;
}

/**
 * Counts the processor time of a process and all below it, those that have ended included.
 *
 * The kernel adds the time of an ended process to its parent's, if that waits for it. Where the
 * parent was gone first (a browser that is killed leaves its renderers behind) or does not wait, the
 * time would vanish with the process: so what was last seen of it is kept. It falls short by what such
 * a process used after that; readings during the work keep this small.
 */
export class CpuMeter {
  readonly #rootPid: number;
  readonly #read: () => ProcessTimes[];
  #tree: ProcessTimes[] = [];
  #lostMs = 0;

  constructor(rootPid: number, read: () => ProcessTimes[] = readProcessTimes) {
    this.#rootPid = rootPid;
    this.#read = read;
  }

  read(): CpuReading {
    const before = this.#tree;
    this.#tree = treeOf(this.#rootPid, this.#read());
    this.#lostMs += lostBetween(before, this.#tree);
    const treeMs = this.#tree.reduce((sum, { ownMs, endedMs }) => sum + ownMs + endedMs, 0);
    return { rootMs: this.#tree[0]?.ownMs ?? 0, treeMs: treeMs + this.#lostMs };
  }

  /** The processes of the last reading. */
  get pids(): number[] {
    return this.#tree.map(({ pid }) => pid);
  }
}

/** What ended processes had used and no living one has taken over. */
function lostBetween(before: readonly ProcessTimes[], after: readonly ProcessTimes[]): number {
  const living = new Map(after.map((process) => [keyOf(process), process]));
  const byPid = new Map(before.map((process) => [process.pid, process]));
  const heirOf = ({ parent }: ProcessTimes): ProcessTimes | undefined => {
    const process = byPid.get(parent);
    return process === undefined || living.has(keyOf(process)) ? process : heirOf(process);
  };
  const ended = before.filter((process) => !living.has(keyOf(process)));
  let lostMs = 0;
  for (const [heir, inheritance] of Map.groupBy(ended, heirOf)) {
    const leftMs = inheritance.reduce((sum, { ownMs, endedMs }) => sum + ownMs + endedMs, 0);
    const nowMs = heir === undefined ? 0 : (living.get(keyOf(heir))?.endedMs ?? 0);
    const takenMs = nowMs - (heir?.endedMs ?? 0);
    lostMs += Math.max(0, leftMs - takenMs);
  }
  return lostMs;
}

function keyOf({ pid, startTime }: ProcessTimes): string {
  return `${pid} ${startTime}`;
}
