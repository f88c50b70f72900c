import { setTimeout } from 'node:timers/promises';
import { browsersOf } from './process-tree.ts';
import type { Random } from '../support/random.ts';

const lookMs = 200;

/** Kills browsers of a service at random times, and remembers them all. */
export class BrowserKiller implements AsyncDisposable {
  /** By `Date.now()`. */
  readonly killedAtMs: number[] = [];
  /** The process groups of all browsers that it has seen. */
  readonly groups = new Set<number>();
  readonly #servicePid: number;
  readonly #random: Random;
  readonly #stop = new AbortController();
  readonly #work: Promise<unknown>;
  #isPaused = false;

  constructor(servicePid: number, random: Random) {
    this.#servicePid = servicePid;
    this.#random = random;
    this.#work = Promise.allSettled([this.#look(), this.#killNowAndThen()]);
  }

  killAll(): void {
    for (const pid of browsersOf(this.#servicePid)) this.#kill(pid);
  }

  /** Kills none by itself until the work is done. */
  async pauseFor(work: () => Promise<void>): Promise<void> {
    this.#isPaused = true;
    await work();
    this.#isPaused = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #killNowAndThen(): Promise<void> {
    for (let kills = 0; ; kills += 1) {
      await setTimeout(this.#gapMs(kills), undefined, this.#stop);
      const pids = browsersOf(this.#servicePid);
      const pid = pids[Math.floor(this.#random() * pids.length)];
      if (pid !== undefined && !this.#isPaused) this.#kill(pid);
    }
  }

  /** Now and then so long that a browser gets as old as the service lets it. */
  #gapMs(kills: number): number {
    return kills % 10 === 9 ? 150_000 : 200 + 8_000 * this.#random();
  }

  /** Its process alone: the service is to see to the rest of the group. */
  #kill(pid: number): void {
    this.groups.add(pid);
    this.killedAtMs.push(Date.now());
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The service was quicker.
    }
  }

  async #look(): Promise<void> {
    for (;;) {
      for (const pid of browsersOf(this.#servicePid)) this.groups.add(pid);
      await setTimeout(lookMs, undefined, this.#stop);
    }
  }
}
