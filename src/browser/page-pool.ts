import { BrowserDiedError } from '../errors.ts';
import type { ContextLease } from './browser-instance.ts';
import type { Chromium } from './chromium.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { openScanPage, type ScanPage } from './scan-page.ts';

/** A page for one scan, in a context and with a way out of its own. */
export interface PooledPage {
  readonly lease: ContextLease;
  readonly scanPage: ScanPage;
  /** Ends all three. */
  close(): Promise<void>;
}

interface PagePoolOptions {
  readonly chromium: Chromium;
  /** Opens the way out for one page. */
  readonly openEgress: () => Promise<EgressProxy>;
}

/** A page that nobody takes for so long is closed: it costs memory. */
const maxIdleMs = 300_000;

/** Keeps one page ready while scans follow each other, so that none waits for a renderer to start. */
export class PagePool {
  readonly #options: PagePoolOptions;
  #warm: Promise<PooledPage> | null = null;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PagePoolOptions) {
    this.#options = options;
  }

  /** The caller closes the page. Throws `BrowserDiedError` when there is no browser for it. */
  async take(): Promise<PooledPage> {
    const page = (await this.#takeWarm()) ?? (await this.#open());
    page.lease.setIdle(false);
    this.#warmUp();
    return page;
  }

  /** Closes the page that is kept ready, if there is one. */
  async drop(): Promise<void> {
    const warm = this.#warm;
    this.#warm = null;
    clearTimeout(this.#idleTimer);
    await warm?.then((page) => page.close()).catch(() => {});
  }

  async #takeWarm(): Promise<PooledPage | null> {
    const warm = this.#warm;
    this.#warm = null;
    clearTimeout(this.#idleTimer);
    // That it could not be opened is told to whoever needs one.
    const page = await warm?.catch(() => null);
    if (page == null) return null;
    if (page.lease.isUsable()) return page;
    page.close().catch(() => {});
    return null;
  }

  #warmUp(): void {
    if (this.#warm !== null || !this.#options.chromium.isCalm) return;
    const warm = this.#open();
    this.#warm = warm;
    // Where memory is short, its renderer may be killed before anybody takes it.
    warm
      .then(({ scanPage }) => scanPage.failed)
      .catch(() => {
        if (this.#warm === warm) void this.drop();
      });
    this.#idleTimer = setTimeout(() => void this.drop(), maxIdleMs);
    this.#idleTimer.unref();
  }

  async #open(): Promise<PooledPage> {
    await using stack = new AsyncDisposableStack();
    const egress = stack.use(await this.#options.openEgress());
    const lease = stack.use(await this.#options.chromium.lease(egress.url));
    lease.setIdle(true);
    try {
      const scanPage = await Promise.race([openScanPage(lease, egress), lease.died]);
      const owned = stack.move();
      return { lease, scanPage, close: async () => owned.disposeAsync() };
    } catch (cause) {
      throw new BrowserDiedError('The browser could not open a page. Try again.', { cause });
    }
  }
}
