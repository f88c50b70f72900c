import { readdirSync, readFileSync } from 'node:fs';

/**
 * Tells how busy a process is, as the kernel accounts for its threads in /proc; so on Linux only.
 *
 * A thread that others send more than it can do never sleeps: it runs, or waits for a processor. On a
 * machine with too much to do threads wait long as well, but those with little to do sleep between.
 */
export class ThreadLoad {
  readonly #pid: number;
  #atMs = performance.now();
  #awakeMs: ReadonlyMap<string, number>;

  constructor(pid: number) {
    this.#pid = pid;
    this.#awakeMs = this.#read();
  }

  /** The share of the time since the last call in which the busiest thread was awake, from 0 to 1. */
  measure(): number {
    const elapsedMs = performance.now() - this.#atMs;
    const before = this.#awakeMs;
    this.#awakeMs = this.#read();
    this.#atMs += elapsedMs;
    const awakeMs = [...this.#awakeMs].map(([thread, ms]) => ms - (before.get(thread) ?? ms));
    return Math.max(0, ...awakeMs) / elapsedMs;
  }

  #read(): Map<string, number> {
    const folder = `/proc/${this.#pid}/task`;
    try {
      return new Map(readdirSync(folder).map((thread) => [thread, readAwakeMs(folder, thread)]));
    } catch {
      return new Map();
    }
  }
}

/** https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat */
function readAwakeMs(folder: string, thread: string): number {
  try {
    const [runningNs = 0, waitingNs = 0] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8')
      .split(' ')
      .map(Number);
    return (runningNs + waitingNs) / 1e6;
  } catch {
    // It has ended, or the kernel does not count.
    return 0;
  }
}
