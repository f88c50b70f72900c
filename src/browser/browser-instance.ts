import type { BrowserContext, CDPSession } from 'puppeteer';
import { BrowserDiedError } from '../errors.ts';
import type { ChromiumBinary } from './find-chromium.ts';
import { Heartbeat, type HeartbeatTimes } from './heartbeat.ts';
import { openContext } from './open-context.ts';
import { openPage } from './open-page.ts';
import { ProcessWatch } from './process-watch.ts';
import { killGroup, removeBrowser, type RunningBrowser } from './running-browser.ts';
import { within } from './time-limit.ts';
import { majorVersionOf, userAgentOf } from './user-agent.ts';

/** A context for one scan. Disposing of it closes the context, or kills a browser that won't. */
export interface ContextLease extends AsyncDisposable {
  readonly context: BrowserContext;
  /** Opens the one page that the context may have, and returns the session that reaches it. */
  openPage(): Promise<CDPSession>;
  readonly userAgent: string;
  /** Major version, for client hints. */
  readonly majorVersion: string;
  /** A context that no scan uses yet is blamed for nothing. */
  setIdle(isIdle: boolean): void;
  /** False once the browser process is gone. */
  isAlive(): boolean;
  /** False, besides, once the browser has been replaced for others than those it is kept for. */
  isUsable(): boolean;
  /** Rejects when the browser process is gone: who waits for an event of the page would wait in vain. */
  readonly died: Promise<never>;
}

interface InstanceOptions {
  readonly running: RunningBrowser;
  readonly binary: ChromiumBinary;
  readonly productToken: string;
  readonly heartbeat: Partial<HeartbeatTimes> | undefined;
  /** What all of its pages may hold together. */
  readonly maxPagesBytes: number;
  /** It does not answer. */
  readonly onSilent: (instance: BrowserInstance, error: unknown) => void;
  /** A process that is no renderer holds too much. */
  readonly onOvergrown: (instance: BrowserInstance) => void;
  /** Pages have given it more to do than it can, for so long. */
  readonly onFlooded: (instance: BrowserInstance, floodedMs: number) => void;
  /** It has ended, or is about to. */
  readonly onGone: (instance: BrowserInstance) => void;
}

interface OpenLease {
  readonly openedAtMs: number;
  isIdle: boolean;
}

const openTimeoutMs = 15_000;
const closeTimeoutMs = 3_000;
/** Of a page that has kept the browser from answering, and of none else. */
const floodCloseTimeoutMs = 500;

/** One browser process and the contexts in it, under watch. Kill or end it. */
export class BrowserInstance {
  /** How many contexts it has had. */
  scans = 0;
  /** Takes no more scans, and ends with the last that it has. */
  isRetired = false;
  /** Is kept for one scan alone. */
  isReserved = false;
  /** When it does not answer, this is why. */
  hasBeenFlooded = false;
  readonly #options: InstanceOptions;
  readonly #leases = new Set<OpenLease>();
  readonly #heartbeat: Heartbeat;
  readonly #watch: ProcessWatch;
  #removed: Promise<void> | undefined;

  constructor(options: InstanceOptions) {
    const { running, heartbeat: times, onSilent, onOvergrown, onFlooded } = options;
    this.#options = options;
    this.#heartbeat = new Heartbeat({
      session: running.session,
      times,
      onSlow: (slowForMs) => {
        if (this.busy > 0) onFlooded(this, slowForMs);
      },
      onSilent: (error) => onSilent(this, error),
    });
    this.#watch = new ProcessWatch({
      groupId: running.pid,
      maxTotalBytes: options.maxPagesBytes,
      openContexts: () => ({
        count: this.#leases.size,
        oldestAtMs: Math.min(...[...this.#leases].map(({ openedAtMs }) => openedAtMs)),
        areIdle: this.busy === 0,
      }),
      onOvergrown: () => onOvergrown(this),
    });
    running.browser.once('disconnected', () => void this.#remove());
  }

  /** How many of its contexts are in use. */
  get busy(): number {
    return this.#leases.values().reduce((sum, { isIdle }) => sum + (isIdle ? 0 : 1), 0);
  }

  get isEmpty(): boolean {
    return this.#leases.size === 0;
  }

  /** Throws `BrowserDiedError` when the browser does not answer, and kills it. */
  async lease(proxyServer: string): Promise<ContextLease> {
    const { running, binary, productToken } = this.#options;
    const openLease: OpenLease = { openedAtMs: performance.now(), isIdle: false };
    this.#leases.add(openLease);
    this.#watch.start();
    this.scans += 1;
    try {
      const context = await within(openTimeoutMs, openContext(running, proxyServer));
      return {
        context,
        openPage: () => within(openTimeoutMs, openPage(running.session, context)),
        userAgent: userAgentOf(binary, productToken),
        majorVersion: majorVersionOf(binary),
        setIdle: (isIdle) => {
          openLease.isIdle = isIdle;
          if (!isIdle) this.#watch.start();
        },
        isAlive: () => running.browser.connected,
        isUsable: () => running.browser.connected && (!this.isRetired || this.isReserved),
        died: running.died,
        [Symbol.asyncDispose]: () => this.#release(openLease, context),
      };
    } catch (cause) {
      await this.kill();
      throw new BrowserDiedError('The browser did not answer. Try again.', { cause });
    }
  }

  /** Lets it end by itself, if it does. */
  async end(): Promise<void> {
    try {
      await within(closeTimeoutMs, this.#options.running.browser.close());
    } catch {
      killGroup(this.#options.running.pid);
    }
    await this.#remove();
  }

  /** Resolves when nothing of it is left. `failure` is what those learn who scan in it. */
  async kill(failure?: Error): Promise<void> {
    const { running } = this.#options;
    if (failure !== undefined) running.fail(failure);
    killGroup(running.pid);
    await this.#remove();
  }

  async #release(openLease: OpenLease, context: BrowserContext): Promise<void> {
    const { browser } = this.#options.running;
    // From now on the watch kills the renderers that only this context can have.
    this.#leases.delete(openLease);
    const timeoutMs = this.hasBeenFlooded && this.busy === 0 ? floodCloseTimeoutMs : closeTimeoutMs;
    try {
      if (browser.connected) await within(timeoutMs, context.close());
    } catch {
      await this.kill();
    }
    if (this.isRetired && this.isEmpty) await this.end();
  }

  /** Whoever noticed its end first. */
  #remove(): Promise<void> {
    this.#removed ??= this.#clearUp();
    return this.#removed;
  }

  async #clearUp(): Promise<void> {
    this.#heartbeat.stop();
    this.#watch.stop();
    this.#options.onGone(this);
    await removeBrowser(this.#options.running);
  }
}
