import PQueue from 'p-queue';

interface AxeGateOptions {
  /** How many pages may run axe at once: each keeps a processor busy. */
  readonly concurrency: number;
  /** Called whenever as many pages wait as run, and again when fewer do. */
  readonly onCrowded: (isCrowded: boolean) => void;
}

/**
 * The second gate of a scan. Pages that load mostly wait for the network, so many may do so at once;
 * axe only computes, and more at once would only take longer each.
 */
export class AxeGate {
  readonly #options: AxeGateOptions;
  readonly #queue: PQueue;
  #wasCrowded = false;

  constructor(options: AxeGateOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  /** Starts the work in its turn, if the signal is not aborted before; then it throws the reason. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    const start = (): Promise<T> => {
      // What runs keeps its place until it has ended: p-queue would take its abort for that.
      signal.removeEventListener('abort', leave);
      this.#tell();
      return work();
    };
    const done = this.#queue.add(start, { signal: leaving.signal });
    this.#tell();
    return done.finally(() => this.#tell());
  }

  #tell(): void {
    const isCrowded = this.#queue.size >= this.#options.concurrency;
    if (isCrowded !== this.#wasCrowded) this.#options.onCrowded(isCrowded);
    this.#wasCrowded = isCrowded;
  }
}
