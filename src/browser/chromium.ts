import { BrowserDiedError, ScanFailedError } from '../errors.ts';
import type { Log } from '../log.ts';
import { BrowserInstance, type ContextLease } from './browser-instance.ts';
import type { ChromiumBinary } from './find-chromium.ts';
import type { HeartbeatTimes } from './heartbeat.ts';
import { nowhere } from './launch-browser.ts';
import { Outage } from './outage.ts';
import { sweepProfiles } from './profile.ts';
import { startBrowser } from './running-browser.ts';

/*
 * One warm browser for all scans; a fresh context (its own cookies, cache and storage) for each.
 *
 * Closing a context is how a scan is stopped: it ends the page's processes within milliseconds,
 * whatever the page does. A renderer that is still there a second later is killed by the process
 * watch; where the context hangs even then, or the browser misses its heartbeat, its whole process
 * group is killed, and the next lease starts another. Puppeteer speaks over a pipe, so that the
 * browser also ends by itself when this process is killed. A browser is replaced after `maxScans`,
 * because leaks are cheaper to throw away than to find: the new one takes over while the old one
 * finishes its leases.
 *
 * What a page does to the browser itself, its neighbours suffer from, and nobody can tell which page
 * it is: such a browser is killed, and each of its scans gets one of its own when it comes again.
 */

interface ChromiumOptions {
  readonly binary: ChromiumBinary;
  /** Names this service in the User-Agent, e.g. `Curbcut/1.0.0 (+https://…)`. */
  readonly productToken: string;
  readonly log: Log;
  readonly maxScans?: number;
  /** How a browser is told that does not answer, or has more to do than it can. */
  readonly heartbeat?: Partial<HeartbeatTimes>;
  /** What all pages of a browser may hold together. */
  readonly maxPagesBytes?: number;
  /** After how long a browser that won't start is tried again, at first. */
  readonly retryPauseMs?: number;
}

const defaultMaxScans = 200;
/** A flooded browser may be about to recover; its other pages stand still until then. */
const sharedFloodMs = 3_000;
const loneFloodMs = 15_000;

const tooMuchMemory =
  'The page made the browser use too much memory, most often by blobs, stored data, large layers or messages to the console.';
const tooMuchWork =
  'The page gave the browser more to do than it could, most often by errors or messages to the console without end.';

/** The browser process: started on first need, restarted when it dies. Close it to end it. */
export class Chromium {
  readonly #options: ChromiumOptions;
  readonly #instances = new Set<BrowserInstance>();
  readonly #outage: Outage;
  #current: Promise<BrowserInstance> | null = null;
  /** How many scans of a browser that was killed for what one of them did may come back. */
  #suspects = 0;
  #isClosed = false;

  constructor(options: ChromiumOptions) {
    this.#options = options;
    this.#outage = new Outage({
      retry: () => void this.#instance().catch(() => {}),
      log: options.log,
      ...(options.retryPauseMs === undefined ? {} : { firstPauseMs: options.retryPauseMs }),
    });
  }

  /** One sentence why no browser can be had just now, or null. */
  problem(): string | null {
    return this.#outage.problem;
  }

  /** False while scans are to come that each need a browser of their own. */
  get isCalm(): boolean {
    return this.#suspects === 0;
  }

  /** Starts the browser, so that the first scan finds it warm. Throws `BrowserDiedError`. */
  async start(): Promise<void> {
    await sweepProfiles();
    await this.#instance();
  }

  /**
   * `proxyServer` carries all that the context sends; without one it reaches nothing. Throws
   * `BrowserDiedError` when no browser can be started or it does not answer.
   */
  async lease(proxyServer = nowhere): Promise<ContextLease> {
    const problem = this.#isClosed ? 'The browser was closed.' : this.problem();
    if (problem !== null) throw new BrowserDiedError(problem);
    const instance = await this.#instanceForLease();
    const leasing = instance.lease(proxyServer);
    const maxScans = this.#options.maxScans ?? defaultMaxScans;
    if (instance.scans >= maxScans) this.#retire(instance);
    return leasing;
  }

  /** Ends the browser, leases or not. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // A launch under way joins the instances when it is through.
    await this.#current?.catch(() => {});
    this.#current = null;
    this.#outage.stop();
    await Promise.all([...this.#instances].map((instance) => instance.end()));
  }

  async #instanceForLease(): Promise<BrowserInstance> {
    for (;;) {
      const instance = await this.#instance();
      if (instance.isReserved) continue;
      if (this.#suspects === 0) return instance;
      if (instance.isEmpty) {
        this.#suspects -= 1;
        instance.isReserved = true;
      }
      this.#retire(instance);
      if (instance.isReserved) return instance;
    }
  }

  async #instance(): Promise<BrowserInstance> {
    this.#current ??= this.#launch().then(
      (instance) => {
        this.#outage.noteSuccess();
        return instance;
      },
      (error: unknown) => {
        this.#current = null;
        this.#outage.noteFailure(error);
        throw error;
      },
    );
    return this.#current;
  }

  async #launch(): Promise<BrowserInstance> {
    const { binary, productToken, log, heartbeat } = this.#options;
    const running = await startBrowser(binary, productToken, log).catch((cause: unknown) => {
      throw new BrowserDiedError('The browser could not be started. Try again later.', { cause });
    });
    const instance = new BrowserInstance({
      running,
      binary,
      productToken,
      heartbeat,
      maxPagesBytes: this.#options.maxPagesBytes ?? Infinity,
      onSilent: (silent, error) => {
        log.warn('browser does not answer', { error });
        if (silent.hasBeenFlooded)
          this.#killFor(silent, new ScanFailedError('page-unresponsive', tooMuchWork));
        else void silent.kill();
      },
      onOvergrown: (overgrown) => {
        log.warn('browser holds too much memory', { scans: overgrown.busy });
        this.#killFor(overgrown, new ScanFailedError('page-crashed', tooMuchMemory));
      },
      onFlooded: (flooded, floodedMs) => this.#judgeFlood(flooded, floodedMs),
      onGone: (gone) => void this.#forget(gone),
    });
    this.#instances.add(instance);
    return instance;
  }

  /** Keeps a page that floods its browser apart from others, and ends it when it does not stop. */
  #judgeFlood(instance: BrowserInstance, floodedMs: number): void {
    instance.hasBeenFlooded = true;
    if (floodedMs < (instance.busy > 1 ? sharedFloodMs : loneFloodMs)) {
      this.#retire(instance);
      return;
    }
    this.#options.log.warn('browser has too much to do', { scans: instance.busy });
    this.#killFor(instance, new ScanFailedError('page-unresponsive', tooMuchWork));
  }

  /** Which of several pages has done it nobody knows, so that none of them fails for it. */
  #killFor(instance: BrowserInstance, failure: ScanFailedError): void {
    const { busy } = instance;
    if (busy > 1) this.#suspects += busy;
    void instance.kill(busy === 1 ? failure : undefined);
  }

  #retire(instance: BrowserInstance): void {
    if (instance.isRetired) return;
    instance.isRetired = true;
    this.#current = null;
    this.#options.log.info('browser replaced', { scans: instance.scans });
    // Warm for the next scan; a failure shows there.
    this.#instance().catch(() => {});
  }

  async #forget(instance: BrowserInstance): Promise<void> {
    this.#instances.delete(instance);
    const current = await this.#current?.catch(() => null);
    if (current === instance) this.#current = null;
  }
}
