import PQueue from 'p-queue';
import { DomainError, ScanFailedError } from '../errors.ts';
import { type TurnOptions, Turns } from './turns.ts';

interface QueueOptions {
  readonly concurrency: number;
  readonly maxWaiting: number;
  /** From a task's start; the wait before it is not counted. */
  readonly deadlineMs: number;
}

/** Must end soon after its signal is aborted: until then it holds its place. */
type Task = (signal: AbortSignal) => Promise<void>;

const longestRetryAfterSeconds = 3_600;

/**
 * Runs a bounded number of tasks at once, each against a deadline, and keeps a bounded number
 * waiting, of which clients take turns.
 */
export class ScanQueue {
  readonly #options: QueueOptions;
  readonly #queue: PQueue<Turns, TurnOptions>;
  /** With the times at which they began. */
  readonly #running = new Map<AbortController, number>();
  /** One for each waiting task; aborting it takes the task out. */
  readonly #waiting = new Set<AbortController>();
  /** A moving average, for telling how long the backlog will take. */
  #taskMs = 5_000;
  #isHeld = false;
  #isDraining = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.concurrency, queueClass: Turns });
  }

  /** How many tasks may run and wait, together. */
  get capacity(): number {
    return this.#options.concurrency + this.#options.maxWaiting;
  }

  get running(): number {
    return this.#queue.pending;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Throws `queue-full` when a task added now would find no place; and `too-many-waiting` when its
   * client has as many waiting as there are places left, so that one takes half of the backlog at
   * most and others always find room. Without a client only the former.
   */
  assertRoom(client?: string): void {
    if (this.running < this.#options.concurrency && !this.#isHeld) return;
    const free = this.#options.maxWaiting - this.waiting;
    const own = client === undefined ? 0 : this.#queue.sizeBy({ client });
    if (own < free) return;
    // Each start frees a place, and one of the client's own lets it have one more besides.
    const retryAfterSeconds = this.secondsUntilStarts(own - free + 1);
    throw free <= 0
      ? new DomainError(
          'queue-full',
          `All scanners are busy: ${this.running} scans are running and ${this.waiting} are waiting. Try again later.`,
          { data: { retryAfterSeconds } },
        )
      : new DomainError(
          'too-many-waiting',
          `Your address has its share of the waiting scans: ${own} of at most ${this.#options.maxWaiting} in all. Try again later.`,
          { data: { retryAfterSeconds } },
        );
  }

  /** How long so many waiting tasks take to start, by the rate of late; at least a second. */
  secondsUntilStarts(count: number): number {
    // While tasks are held back, fewer run at once.
    const concurrency = Math.max(1, this.running);
    const now = performance.now();
    // Tasks that go on for longer than the average show before they end that it is no longer true.
    const runningMs = this.#running.values().reduce((sum, startedAt) => sum + now - startedAt, 0);
    const taskMs = Math.max(this.#taskMs, runningMs / concurrency);
    const seconds = Math.ceil((count * taskMs) / concurrency / 1_000);
    return Math.min(Math.max(seconds, 1), longestRetryAfterSeconds);
  }

  /** While held, it starts no task: those that run have more to do than this machine can. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld) this.#queue.pause();
    else if (!this.#isDraining) this.#queue.start();
  }

  /**
   * Adds a task whether there is room or not, so that what was accepted before a restart always is
   * again. Resolves when it ended or left the queue; rejects as the task does. Aborting `cancelled`
   * takes a waiting task out, and aborts the signal of a running one. Tasks without a client take
   * turns as if they had one in common.
   */
  async add(task: Task, cancelled: AbortSignal, client?: string): Promise<void> {
    // p-queue takes a running task whose signal aborts for ended, and would start the next beside
    // it; so its signal is only for leaving the queue.
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    cancelled.addEventListener('abort', leave, { once: true });
    this.#waiting.add(leaving);
    const start = async (): Promise<void> => {
      cancelled.removeEventListener('abort', leave);
      this.#waiting.delete(leaving);
      await this.#run(task, cancelled);
    };
    try {
      await this.#queue.add(start, {
        signal: leaving.signal,
        ...(client === undefined ? {} : { client }),
      });
    } catch (error) {
      if (!this.#waiting.delete(leaving)) throw error;
    }
  }

  /**
   * Takes out what waits, gives what runs `graceMs` to end, then aborts it with `shutting-down`.
   * Nothing is started any more.
   */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    this.#queue.pause();
    for (const leaving of this.#waiting) leaving.abort();
    const abort = setTimeout(() => {
      for (const controller of this.#running.keys()) controller.abort(shuttingDown());
    }, graceMs);
    await this.#queue.onPendingZero();
    clearTimeout(abort);
  }

  async #run(task: Task, cancelled: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const controller = new AbortController();
    const deadline = setTimeout(() => controller.abort(this.#timedOut()), this.#options.deadlineMs);
    const cancel = (): void => controller.abort(cancelled.reason);
    cancelled.addEventListener('abort', cancel, { once: true });
    this.#running.set(controller, startedAt);
    try {
      await task(controller.signal);
    } finally {
      clearTimeout(deadline);
      cancelled.removeEventListener('abort', cancel);
      this.#running.delete(controller);
      this.#taskMs = 0.8 * this.#taskMs + 0.2 * (performance.now() - startedAt);
    }
  }

  #timedOut(): ScanFailedError {
    return new ScanFailedError(
      'scan-timed-out',
      `The scan was stopped after ${this.#options.deadlineMs / 1_000} seconds. The page is too large or too slow to be scanned in that time, or a script on it does not end.`,
    );
  }
}

export function shuttingDown(scanId?: string): DomainError {
  return new DomainError(
    'shutting-down',
    'This service is restarting. Try again in a few seconds.',
    { data: { retryAfterSeconds: 5, ...(scanId === undefined ? {} : { scanId }) } },
  );
}
