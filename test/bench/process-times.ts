import { readdirSync, readFileSync } from 'node:fs';

/** The processor time of one process, as the kernel has counted it. */
export interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** Tells it from a later one of the same pid; in clock ticks since the machine's start. */
  readonly startTime: number;
  readonly ownMs: number;
  /** Of the processes below it that have ended and that it has waited for. */
  readonly endedMs: number;
}

/** The kernel's USER_HZ, which is 100 wherever Linux runs this. */
const tickMs = 10;

/** All processes of the machine, zombies included: what they have used is with their parents later. */
export function readProcessTimes(): ProcessTimes[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = read(`/proc/${pid}/stat`);
      return stat === '' ? [] : [parseStat(stat)];
    });
}

/** Reads `/proc/PID/stat`: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export function parseStat(stat: string): ProcessTimes {
  // The name is in brackets and may itself contain some.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(stat, 10),
    parent: field(4),
    startTime: field(22),
    ownMs: (field(14) + field(15)) * tickMs,
    endedMs: (field(16) + field(17)) * tickMs,
  };
}

/** The process and all below it. */
export function treeOf<T extends { pid: number; parent: number }>(
  root: number,
  processes: readonly T[],
): T[] {
  const byParent = Map.groupBy(processes, ({ parent }) => parent);
  const below = (pid: number): T[] =>
    (byParent.get(pid) ?? []).flatMap((child) => [child, ...below(child.pid)]);
  return [...processes.filter(({ pid }) => pid === root), ...below(root)];
}

/** In bytes: what the processes hold, with their share of what they have in common with others. */
export function readPss(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const rollup = read(`/proc/${pid}/smaps_rollup`);
    // Closed to ordinary users where the process is sandboxed; this counts twice what is shared.
    const text = rollup === '' ? read(`/proc/${pid}/status`) : rollup;
    const [, kilobytes = 0] = /^(?:Pss|VmRSS):\s*(\d+) kB$/m.exec(text) ?? [];
    return sum + Number(kilobytes) * 1_024;
  }, 0);
}

/** Empty when the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
