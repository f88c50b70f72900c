import type { BrowserContext, CDPSession } from 'puppeteer';
import { BrowserDiedError, ScanFailedError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ChromiumBinary } from './find-chromium.ts';
import { startHeartbeat } from './heartbeat.ts';
import { nowhere } from './launch-browser.ts';
import { openContext } from './open-context.ts';
import { openPage } from './open-page.ts';
import { Outage } from './outage.ts';
import { ProcessWatch } from './process-watch.ts';
import { sweepProfiles } from './profile.ts';
import { killGroup, removeBrowser, type RunningBrowser, startBrowser } from './running-browser.ts';
import { within } from './time-limit.ts';
import { majorVersionOf, userAgentOf } from './user-agent.ts';

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
 */

interface ChromiumOptions {
  readonly binary: ChromiumBinary;
  /** Names this service in the User-Agent, e.g. `Curbcut/1.0.0 (+https://…)`. */
  readonly productToken: string;
  readonly log: Log;
  readonly maxScans?: number;
  /** How often the browser is asked whether it is still there. */
  readonly heartbeatMs?: number;
  /** After how long a browser that won't start is tried again, at first. */
  readonly retryPauseMs?: number;
}

/** A context for one scan. Disposing of it closes the context, or kills a browser that won't. */
export interface ContextLease extends AsyncDisposable {
  readonly context: BrowserContext;
  /** Opens the one page that the context may have, and returns the session that reaches it. */
  openPage(): Promise<CDPSession>;
  readonly userAgent: string;
  /** Major version, for client hints. */
  readonly majorVersion: string;
  /** False once the browser process is gone. */
  isAlive(): boolean;
  /** Rejects when the browser process is gone: who waits for an event of the page would wait in vain. */
  readonly died: Promise<never>;
}

interface Instance extends RunningBrowser {
  readonly heartbeat: ReturnType<typeof setInterval>;
  readonly watch: ProcessWatch;
  readonly leases: Set<OpenLease>;
  scans: number;
  retired: boolean;
  /** For one lease only. */
  reserved: boolean;
  removed?: Promise<void>;
}

interface OpenLease {
  readonly openedAtMs: number;
}

const defaultMaxScans = 200;
const openTimeoutMs = 15_000;
const closeTimeoutMs = 3_000;
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
  readonly #instances = new Set<Instance>();
  readonly #outage: Outage;
  #current: Promise<Instance> | null = null;
  /** How many scans of a browser that had to go for its memory may come back. */
  #suspects = 0;

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
    const problem = this.problem();
    if (problem !== null) throw new BrowserDiedError(problem);
    const instance = await this.#instanceForLease();
    const openLease: OpenLease = { openedAtMs: performance.now() };
    instance.leases.add(openLease);
    instance.watch.start();
    instance.scans += 1;
    const maxScans = this.#options.maxScans ?? defaultMaxScans;
    if (!instance.retired && instance.scans >= maxScans) this.#retire(instance);
    try {
      const context = await within(openTimeoutMs, openContext(instance, proxyServer));
      const { binary, productToken } = this.#options;
      return {
        context,
        openPage: () => openPage(instance.session, context),
        userAgent: userAgentOf(binary, productToken),
        majorVersion: majorVersionOf(binary),
        isAlive: () => instance.browser.connected,
        died: instance.died,
        [Symbol.asyncDispose]: () => this.#release(instance, openLease, context),
      };
    } catch (cause) {
      await this.#kill(instance);
      throw new BrowserDiedError('The browser did not answer. Try again.', { cause });
    }
  }

  /** Ends the browser, leases or not. */
  async close(): Promise<void> {
    // A launch under way joins the instances when it is through.
    await this.#current?.catch(() => {});
    this.#current = null;
    this.#outage.stop();
    await Promise.all([...this.#instances].map((instance) => this.#end(instance)));
  }

  async #instanceForLease(): Promise<Instance> {
    for (;;) {
      const instance = await this.#instance();
      if (instance.reserved) continue;
      if (this.#suspects === 0) return instance;
      if (instance.leases.size === 0) {
        this.#suspects -= 1;
        instance.reserved = true;
      }
      if (!instance.retired) this.#retire(instance);
      if (instance.reserved) return instance;
    }
  }

  async #instance(): Promise<Instance> {
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

  async #launch(): Promise<Instance> {
    const { binary, productToken, log } = this.#options;
    const running = await startBrowser(binary, productToken, log).catch((cause: unknown) => {
      throw new BrowserDiedError('The browser could not be started. Try again later.', { cause });
    });
    const leases = new Set<OpenLease>();
    const instance: Instance = {
      ...running,
      heartbeat: startHeartbeat(
        running.session,
        (error) => void this.#endSilent(instance, error),
        this.#options.heartbeatMs,
      ),
      watch: new ProcessWatch({
        groupId: running.pid,
        oldestContextAtMs: () => Math.min(...[...leases].map(({ openedAtMs }) => openedAtMs)),
        onOvergrown: () => void this.#endOvergrown(instance),
        onFlooded: (floodedMs) => void this.#endFlooded(instance, floodedMs),
      }),
      leases,
      scans: 0,
      retired: false,
      reserved: false,
    };
    this.#instances.add(instance);
    instance.browser.once('disconnected', () => void this.#forget(instance));
    return instance;
  }

  /** Whoever scans in it learns that by `died`. */
  async #endSilent(instance: Instance, error: unknown): Promise<void> {
    if (!this.#instances.has(instance)) return;
    this.#options.log.warn('browser does not answer', { error });
    await this.#kill(instance);
  }

  /** Ends a browser in which some page has taken too much memory. */
  async #endOvergrown(instance: Instance): Promise<void> {
    this.#options.log.warn('browser holds too much memory', { scans: instance.leases.size });
    await this.#endBlaming(instance, new ScanFailedError('page-crashed', tooMuchMemory));
  }

  /** Keeps a page that floods its browser apart from others, and ends it when it does not stop. */
  async #endFlooded(instance: Instance, floodedMs: number): Promise<void> {
    const { size } = instance.leases;
    if (floodedMs < (size > 1 ? sharedFloodMs : loneFloodMs)) {
      if (!instance.retired) this.#retire(instance);
      return;
    }
    this.#options.log.warn('browser has too much to do', { scans: size });
    await this.#endBlaming(instance, new ScanFailedError('page-unresponsive', tooMuchWork));
  }

  /**
   * Ends a browser because of what some page does. Which one is known only where it was alone; else
   * each of them gets a browser of its own when it comes again.
   */
  async #endBlaming(instance: Instance, failure: ScanFailedError): Promise<void> {
    const { size } = instance.leases;
    if (size === 1) instance.fail(failure);
    else this.#suspects += size;
    await this.#kill(instance);
  }

  async #release(instance: Instance, openLease: OpenLease, context: BrowserContext): Promise<void> {
    // From now on the watch kills the renderers that only this context can have.
    instance.leases.delete(openLease);
    try {
      if (instance.browser.connected) await within(closeTimeoutMs, context.close());
    } catch {
      await this.#kill(instance);
    }
    if (instance.retired && instance.leases.size === 0) await this.#end(instance);
  }

  #retire(instance: Instance): void {
    instance.retired = true;
    this.#current = null;
    this.#options.log.info('browser replaced', { scans: instance.scans });
    // Warm for the next scan; a failure shows there.
    this.#instance().catch(() => {});
  }

  async #end(instance: Instance): Promise<void> {
    try {
      await within(closeTimeoutMs, instance.browser.close());
    } catch {
      await this.#kill(instance);
    }
    await this.#forget(instance);
  }

  async #kill(instance: Instance): Promise<void> {
    killGroup(instance.pid);
    await this.#forget(instance);
  }

  /** Resolves when nothing of the browser is left, whoever noticed its end first. */
  #forget(instance: Instance): Promise<void> {
    instance.removed ??= this.#remove(instance);
    return instance.removed;
  }

  async #remove(instance: Instance): Promise<void> {
    this.#instances.delete(instance);
    clearInterval(instance.heartbeat);
    instance.watch.stop();
    const current = await this.#current?.catch(() => null);
    if (current === instance) this.#current = null;
    await removeBrowser(instance);
  }
}
