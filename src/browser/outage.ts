import type { Log } from '../log.ts';

/*
 * A browser that does not start is mostly one that won't start for the next scan either: a full disk,
 * no memory, no processes left. So after some failures in a row scans are refused at once, and the
 * browser is tried in the background, at growing intervals, until it starts again.
 */

interface OutageOptions {
  /** Tries to start the browser, and reports back how it went. */
  readonly retry: () => void;
  readonly log: Log;
  /** Doubled after each failure, up to a minute. */
  readonly firstPauseMs?: number;
}

const maxFailures = 3;
const defaultFirstPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Counts failed starts in a row, and sees to it that there are others. */
export class Outage {
  readonly #options: OutageOptions;
  #failures = 0;
  #pauseMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** Why no browser can be had just now, in a sentence for everybody; null while one may be. */
  get problem(): string | null {
    if (this.#failures < maxFailures) return null;
    const seconds = Math.ceil(this.#pauseMs / 1_000);
    return `The browser failed to start ${this.#failures} times in a row; the log says why, and it is tried again within ${seconds} s.`;
  }

  noteFailure(error: unknown): void {
    const { retry, log, firstPauseMs = defaultFirstPauseMs } = this.#options;
    this.#failures += 1;
    if (this.#failures < maxFailures) return;
    this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, firstPauseMs), maxPauseMs);
    log.error('browser does not start', {
      failures: this.#failures,
      retryInMs: this.#pauseMs,
      error,
    });
    this.#timer = setTimeout(retry, this.#pauseMs);
  }

  noteSuccess(): void {
    this.stop();
    this.#failures = 0;
    this.#pauseMs = 0;
  }

  /** Ends the attempts in the background. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
