import type { CDPSession } from 'puppeteer';
import { within } from './time-limit.ts';

export interface HeartbeatTimes {
  /** Between an answer and the next question. */
  readonly intervalMs: number;
  /**
   * From which on an answer is slow. Sixteen scans at once beside sixteen endless loops on two cores
   * let it come to half a second now and then; a page that floods the browser keeps it above one.
   */
  readonly slowMs: number;
  /** For so long no answer, twice in a row: generous, where pages keep the machine busy. */
  readonly silentMs: number;
}

const defaultTimes: HeartbeatTimes = { intervalMs: 1_000, slowMs: 700, silentMs: 10_000 };

interface HeartbeatOptions {
  readonly session: CDPSession;
  readonly times: Partial<HeartbeatTimes> | undefined;
  /** An answer was slow, as all have been for so long. */
  readonly onSlow: (slowForMs: number) => void;
  /** The heartbeat has ended with it. */
  readonly onSilent: (error: unknown) => void;
}

/** Asks a browser again and again whether it is still there. Stop it when the browser has ended. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #times: HeartbeatTimes;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the first was asked of the questions whose answers have been slow. */
  #slowSinceMs: number | null = null;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#askLater();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #askLater(): void {
    this.#timer = setTimeout(() => void this.#beat(), this.#times.intervalMs);
  }

  async #beat(): Promise<void> {
    try {
      // Once more: after a standstill of this process its own timer is the first to be heard.
      await this.#ask().catch(() => this.#ask());
      if (!this.#isStopped) this.#askLater();
    } catch (error) {
      if (!this.#isStopped) this.#options.onSilent(error);
    }
  }

  async #ask(): Promise<void> {
    const askedAtMs = performance.now();
    // Puppeteer's own `version()` asks only once.
    const answer = this.#options.session.send('Browser.getVersion');
    await within(this.#times.silentMs, answer);
    const now = performance.now();
    if (now - askedAtMs < this.#times.slowMs) {
      this.#slowSinceMs = null;
      return;
    }
    this.#slowSinceMs ??= askedAtMs;
    if (!this.#isStopped) this.#options.onSlow(now - this.#slowSinceMs);
  }
}
