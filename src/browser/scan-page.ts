import type { CDPSession, Page } from 'puppeteer';
import { ScanFailedError } from '../errors.ts';
import type { ContextLease } from './chromium.ts';
import { DocumentLog, withoutBodies } from './document-log.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { IsolatedWorlds } from './isolated-world.ts';
import { isHtml, noDocument, unresponsive } from './landing.ts';
import { navigationFailure } from './navigation-failure.ts';
import { OpenRequests } from './open-requests.ts';
import { watchPageLimits } from './page-limits.ts';
import { ScheduledNavigation } from './scheduled-navigation.ts';
import { isTimeout, within } from './time-limit.ts';

const frameTimeoutMs = 2_000;

/** A page made ready for hostile content, and what is needed to follow it. Ends with its context. */
export interface ScanPage {
  readonly page: Page;
  readonly worlds: IsolatedWorlds;
  readonly log: DocumentLog;
  readonly requests: OpenRequests;
  readonly scheduled: ScheduledNavigation;
  readonly egress: EgressProxy;
  /**
   * Rejects when the page passes a limit, or its renderer crashes: calls into a crashed page may never
   * settle by themselves.
   */
  readonly failed: Promise<never>;
}

export async function openScanPage(lease: ContextLease, egress: EgressProxy): Promise<ScanPage> {
  const page = await lease.context.newPage();
  const { promise: crashed, reject } = Promise.withResolvers<never>();
  // The page outlives a scan that ended otherwise.
  crashed.catch(() => {});
  page.on('error', (cause) =>
    reject(
      new ScanFailedError(
        'page-crashed',
        'The page crashed the browser tab, most often by using too much memory.',
        { cause },
      ),
    ),
  );
  // An open dialog blocks every later call into the page.
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}));
  page.on('popup', (popup) => void popup?.close().catch(() => {}));
  const requests = new OpenRequests(page);
  const [worlds] = await Promise.all([
    IsolatedWorlds.attach(page),
    ignoreFloods(page),
    page.setBypassServiceWorker(true),
    page.setUserAgent({ userAgent: lease.userAgent, userAgentMetadata: clientHints(lease) }),
  ]);
  const mainFrame = await worlds.mainFrame();
  const [log, scheduled] = await Promise.all([
    DocumentLog.attach(worlds.session, mainFrame.id),
    ScheduledNavigation.attach(worlds.session, mainFrame.id),
  ]);
  const failed = Promise.race([crashed, watchPageLimits(page), egress.exceeded]);
  failed.catch(() => {});
  return { page, worlds, log, requests, scheduled, egress, failed };
}

/**
 * A page can log and send more than this process reads, which would then be late for its own
 * deadlines. Puppeteer asks for all of it, on a session that it does not hand out.
 */
async function ignoreFloods(page: Page): Promise<void> {
  const session = (page as Page & Record<'_client', () => CDPSession>)['_client']();
  await Promise.all([
    session.send('Runtime.disable'),
    session.send('Log.disable'),
    session.send('Network.enable', withoutBodies),
  ]);
}

/**
 * Loads the URL until its document is parsed. A document that is there but does not come to an end
 * within the time is scanned as it is: `timedOut`. Throws `ScanFailedError` when there is none.
 */
export async function navigate(
  scanPage: ScanPage,
  url: URL,
  timeoutMs: number,
): Promise<{ timedOut: boolean }> {
  const { page, worlds, log, egress } = scanPage;
  const blank = await worlds.mainFrame();
  const startedAt = performance.now();
  const parsed = new Promise<void>((resolve) => {
    page.once('domcontentloaded', () => resolve());
    // What is broken off stays as it is.
    page.on('requestfailed', (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) resolve();
    });
  });
  try {
    // Puppeteer's own `domcontentloaded` is that of all frames: one that hangs would cost the whole time.
    await page.goto(url.href, { waitUntil: [], timeout: timeoutMs });
    // A stream or a text that is written on has no end, and is no page whatever follows.
    if (log.latestResponse !== undefined && !isHtml(log.latestResponse)) return { timedOut: false };
    await within(timeoutMs - (performance.now() - startedAt), parsed);
    return { timedOut: false };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const timedOut = isTimeout(cause);
    // A script that never ends holds back the answers too.
    const asked = timedOut ? worlds.stopLoading() : Promise.resolve();
    const frame = await within(
      frameTimeoutMs,
      asked.then(() => worlds.mainFrame()),
    ).catch(() => null);
    if (frame === null && log.latestResponse !== undefined) throw unresponsive(url.href, cause);
    const isCommitted = frame !== null && frame.loaderId !== blank.loaderId && !frame.isErrorPage;
    if (isCommitted && log.responseOf(frame.loaderId) !== undefined) {
      const isEmpty = await within(frameTimeoutMs, worlds.call(frame, hasNoRoot)).catch(
        () => false,
      );
      if (isEmpty) throw navigationFailure(egress, frame.url, 'net::ERR_TIMED_OUT', cause);
      return { timedOut };
    }
    if (message.includes('ERR_ABORTED')) throw noDocument(scanPage, url.href);
    const failedUrl = log.latestUrl ?? url.href;
    throw navigationFailure(egress, failedUrl, message, cause);
  }
}

/** Runs in the page. A document whose end has come has one, even an empty one. */
function hasNoRoot(): boolean {
  return document.documentElement === null;
}

/** What an ordinary Chrome of this version says of itself: https://wicg.github.io/ua-client-hints/ */
function clientHints({ majorVersion }: ContextLease) {
  return {
    brands: [
      { brand: 'Chromium', version: majorVersion },
      { brand: 'Google Chrome', version: majorVersion },
      { brand: 'Not_A Brand', version: '8' },
    ],
    fullVersion: `${majorVersion}.0.0.0`,
    fullVersionList: [
      { brand: 'Chromium', version: `${majorVersion}.0.0.0` },
      { brand: 'Google Chrome', version: `${majorVersion}.0.0.0` },
      { brand: 'Not_A Brand', version: '8.0.0.0' },
    ],
    platform: 'Linux',
    platformVersion: '',
    architecture: 'x86',
    model: '',
    mobile: false,
  };
}
