import { isHtml, noDocument, unresponsive, unstable } from './landing.ts';
import { navigationFailure } from './navigation-failure.ts';
import type { ScanPage } from './scan-page.ts';
import { isTimeout, within } from './time-limit.ts';

const frameTimeoutMs = 2_000;

/**
 * Loads the URL until its document is parsed. A document that is there but does not come to an end
 * within the time is scanned as it is: `timedOut`. Throws `ScanFailedError` when there is none.
 */
export async function navigate(
  scanPage: ScanPage,
  url: URL,
  timeoutMs: number,
): Promise<{ timedOut: boolean }> {
  const parsed = whenParsed(scanPage);
  try {
    await within(timeoutMs, load(scanPage, url, parsed));
    return { timedOut: false };
  } catch (cause) {
    return explain(scanPage, url, cause);
  }
}

async function load({ session, log }: ScanPage, url: URL, parsed: Promise<void>): Promise<void> {
  const { errorText } = await session.send('Page.navigate', { url: url.href });
  // What came with an error status and no text is judged by its status.
  if (errorText !== undefined && !errorText.includes('HTTP_RESPONSE_CODE_FAILURE')) {
    throw new Error(errorText);
  }
  // A stream or a text that is written on has no end, and is no page whatever follows.
  if (log.latestResponse === undefined || isHtml(log.latestResponse)) await parsed;
}

/** When the next document of the main frame is, or was broken off: what is there of it stays. */
function whenParsed({ session, mainFrameId }: ScanPage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let loaderId: string | undefined;
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === mainFrameId) loaderId = frame.loaderId;
  });
  session.on('Page.domContentEventFired', () => {
    // That of the empty page may still be to come.
    if (loaderId !== undefined) resolve();
  });
  session.on('Network.loadingFailed', ({ requestId }) => {
    if (requestId === loaderId) resolve();
  });
  return promise;
}

async function explain(
  scanPage: ScanPage,
  url: URL,
  cause: unknown,
): Promise<{ timedOut: boolean }> {
  const { worlds, log, egress } = scanPage;
  const timedOut = isTimeout(cause);
  const errorText = timedOut || !(cause instanceof Error) ? 'net::ERR_TIMED_OUT' : cause.message;
  // A script that never ends holds back the answers too.
  const asked = timedOut ? worlds.stopLoading() : Promise.resolve();
  const frame = await within(
    frameTimeoutMs,
    asked.then(() => worlds.mainFrame()),
  ).catch(() => null);
  if (frame === null && log.latestResponse !== undefined) throw unresponsive(url.href, cause);
  // The empty page that it began with was answered by nobody.
  if (frame !== null && !frame.isErrorPage && log.responseOf(frame.loaderId) !== undefined) {
    const isEmpty = await within(frameTimeoutMs, worlds.call(frame, hasNoRoot)).catch(() => false);
    if (!isEmpty) return { timedOut };
    // Each document may be so short-lived that none was seen.
    if (log.count > 1) throw unstable(url.href, cause);
    throw navigationFailure(egress, frame.url, errorText, cause);
  }
  if (errorText.includes('ERR_ABORTED')) throw noDocument(scanPage, url.href);
  throw navigationFailure(egress, log.latestUrl ?? url.href, errorText, cause);
}

/** Runs in the page. A document whose end has come has one, even an empty one. */
function hasNoRoot(): boolean {
  return document.documentElement === null;
}
