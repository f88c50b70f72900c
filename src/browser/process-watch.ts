import { readdirSync, readFileSync } from 'node:fs';

/*
 * Bounds from outside what the processes of one browser hold and how long they live, as the kernel
 * tells it in /proc; so on Linux only.
 *
 * A renderer that holds too much is killed. Its page learns that as a crash, and no other page does:
 * contexts never share a renderer. What pages make the other processes hold (blobs and files lie in
 * the browser's own, layers in the GPU's) can't be laid to one of them; that is the owner's to judge.
 *
 * Nobody tells which renderer is whose either. But a context has none that is older than itself, so
 * one that is older than every open context was left behind by a closed one, or by one that doesn't
 * close, and is killed too; the browser's own, of the empty page that it starts with, is no loss. One
 * that is younger than some open context waits until that is closed or none is in use. For a context
 * that waits for its scan has one renderer, so that then there are too many; which of them, nobody
 * tells, and all of them are empty pages but the one to be killed.
 */

interface ProcessWatchOptions {
  /** The browser's process, which leads the group of all of its others. */
  readonly groupId: number;
  /** What all renderers may hold together; past it the largest is killed. */
  readonly maxTotalBytes: number;
  readonly openContexts: () => OpenContexts;
  /** A process that is no renderer holds too much. The watch has ended with it. */
  readonly onOvergrown: () => void;
}

interface OpenContexts {
  readonly count: number;
  /** By `performance.now()`; Infinity when there is none. */
  readonly oldestAtMs: number;
  /** True while none of them is in use. */
  readonly areIdle: boolean;
}

const pollMs = 100;
/** Between looks at pages that are empty. */
const idlePollMs = 1_000;
/** Of a process, code and shared memory included. V8's heap alone may take up to 662 MB of it. */
const maxResidentBytes = 2 ** 30;
/** Where pages are larger, processes hold as many times more. */
const bytesPerPage = 4_096;
const settledMs = 2_000;
/** A renderer whose context closes mostly ends within milliseconds. */
const strayGraceMs = 1_000;

export class ProcessWatch {
  readonly #options: ProcessWatchOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #everyMs: number | undefined;
  /** All that there are; those of other groups are not looked at again. */
  #processes: ReadonlyMap<number, Process> = new Map();
  /** Since when each has had no context that could be its own. */
  #strays: ReadonlyMap<number, number> = new Map();

  constructor(options: ProcessWatchOptions) {
    this.#options = options;
  }

  /** Call it before a context is opened or used; the watch ends by itself when none is left. */
  start(): void {
    this.#lookEvery(pollMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#everyMs = undefined;
  }

  #lookEvery(ms: number): void {
    if (ms === this.#everyMs) return;
    this.stop();
    this.#timer = setInterval(() => this.#look(), ms);
    this.#everyMs = ms;
  }

  #look(): void {
    const now = performance.now();
    const { count, oldestAtMs, areIdle } = this.#options.openContexts();
    this.#processes = new Map(readPids().map((pid) => [pid, this.#identify(pid, now)]));
    const renderers: Renderer[] = [];
    for (const [pid, { kind, seenAtMs }] of this.#processes) {
      if (kind === 'foreign') continue;
      const residentBytes = readResidentBytes(pid);
      // Without memory it has ended, and waits for its parent at most.
      if (residentBytes === 0) continue;
      if (kind === 'renderer') renderers.push({ pid, seenAtMs, residentBytes });
      else if (residentBytes > maxResidentBytes) {
        this.stop();
        this.#options.onOvergrown();
        return;
      }
    }
    const areTooMany = areIdle && renderers.length > count;
    const strays = new Map<number, number>();
    for (const { pid, seenAtMs, residentBytes } of renderers) {
      if (areTooMany || seenAtMs < oldestAtMs) strays.set(pid, this.#strays.get(pid) ?? now);
      const strayMs = now - (strays.get(pid) ?? now);
      if (residentBytes > maxResidentBytes || strayMs >= strayGraceMs) kill(pid);
    }
    this.#boundTotal(renderers);
    this.#strays = strays;
    if (count === 0 && strays.size === 0) this.stop();
    else this.#lookEvery(areIdle && strays.size === 0 ? idlePollMs : pollMs);
  }

  #boundTotal(renderers: readonly Renderer[]): void {
    const bytes = renderers.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    if (bytes <= this.#options.maxTotalBytes) return;
    const [largest] = renderers.toSorted((a, b) => b.residentBytes - a.residentBytes);
    if (largest !== undefined) kill(largest.pid);
  }

  #identify(pid: number, now: number): Process {
    const known = this.#processes.get(pid);
    const seenAtMs = known?.seenAtMs ?? now;
    // A renderer begins as a copy of another process.
    if (known !== undefined && (known.kind !== 'other' || now - seenAtMs > settledMs)) return known;
    const isForeign = known === undefined && readGroupId(pid) !== this.#options.groupId;
    const kind = isForeign ? 'foreign' : isRenderer(pid) ? 'renderer' : 'other';
    return { kind, seenAtMs };
  }
}

interface Process {
  readonly kind: 'foreign' | 'renderer' | 'other';
  readonly seenAtMs: number;
}

interface Renderer {
  readonly pid: number;
  readonly seenAtMs: number;
  readonly residentBytes: number;
}

/** None where there is no /proc. */
function readPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Empty when the process has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function readGroupId(pid: number): number {
  // The name in parentheses may hold anything.
  return Number(read(pid, 'stat').split(') ').at(-1)?.split(' ')[2]);
}

function readResidentBytes(pid: number): number {
  const [, pages = '0'] = read(pid, 'statm').split(' ');
  return Number(pages) * bytesPerPage;
}

function isRenderer(pid: number): boolean {
  return read(pid, 'cmdline').includes('--type=renderer');
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}
