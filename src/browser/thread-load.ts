import { readdirSync, readFileSync } from 'node:fs';

/** Shares of a span of time, from 0 to 1. */
export interface Load {
  readonly running: number;
  /** Running, or waiting for a processor: not asleep. */
  readonly awake: number;
}

interface Times {
  readonly runningMs: number;
  readonly awakeMs: number;
}

const none: Times = { runningMs: 0, awakeMs: 0 };

/**
 * Tells how busy a process is, as the kernel accounts for its threads in /proc; so on Linux only.
 *
 * A thread that others send more than it can do never sleeps. On a machine with too much to do
 * threads wait long as well, but those with little to do run little.
 */
export class ThreadLoad {
  readonly #pid: number;
  #atMs = performance.now();
  #times: ReadonlyMap<string, Times>;

  constructor(pid: number) {
    this.#pid = pid;
    this.#times = this.#read();
  }

  /** Of the thread that was awake longest since the last call. */
  measure(): Load {
    const elapsedMs = performance.now() - this.#atMs;
    const before = this.#times;
    this.#times = this.#read();
    this.#atMs += elapsedMs;
    let busiest = none;
    for (const [thread, now] of this.#times) {
      const then = before.get(thread) ?? now;
      const awakeMs = now.awakeMs - then.awakeMs;
      if (awakeMs <= busiest.awakeMs) continue;
      busiest = { awakeMs, runningMs: now.runningMs - then.runningMs };
    }
    return { running: busiest.runningMs / elapsedMs, awake: busiest.awakeMs / elapsedMs };
  }

  #read(): Map<string, Times> {
    const folder = `/proc/${this.#pid}/task`;
    try {
      return new Map(readdirSync(folder).map((thread) => [thread, readTimes(folder, thread)]));
    } catch {
      return new Map();
    }
  }
}

/** https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat */
function readTimes(folder: string, thread: string): Times {
  try {
    const [runningNs = 0, waitingNs = 0] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8')
      .split(' ')
      .map(Number);
    return { runningMs: runningNs / 1e6, awakeMs: (runningNs + waitingNs) / 1e6 };
  } catch {
    // It has ended, or the kernel does not count.
    return none;
  }
}
