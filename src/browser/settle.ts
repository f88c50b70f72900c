import { isHtml, unresponsive } from './landing.ts';
import type { ScanPage } from './scan-page.ts';
import { isTimeout, pause, within } from './time-limit.ts';

/**
 * When has a page finished rendering? None of puppeteer's conditions says: `load` fires before a
 * script-built page has content, and `networkidle` never comes on a page that polls or hangs on an
 * image. So this waits until everything a visitor would wait for is quiet at once: the document and
 * its fonts are loaded, nothing was added to the DOM for a while, no other document is about to take
 * its place, and no request is under way, leaving out those that are meant to stay open or have been
 * hanging for long.
 * It asks the page from outside, because timers are dead in a document that is sandboxed without
 * scripts.
 */
export async function settle(
  scanPage: ScanPage,
  signal: AbortSignal,
): Promise<{ settled: boolean }> {
  const { worlds, log, requests, scheduled } = scanPage;
  const deadline = performance.now() + settleCapMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    // A navigation may take the document away; its successor is asked next.
    const state = await within(deadline - performance.now(), readState(scanPage)).catch(() =>
      pause(pollMs),
    );
    if (state === undefined) continue;
    if (state === 'no page') return { settled: true };
    const networkQuietMs = requests.quietMs();
    const quiet =
      networkQuietMs >= churningDomMs || (networkQuietMs >= quietMs && state.domQuietMs >= quietMs);
    // A script that has opened the document again may never close it.
    const abandoned = requests.isIdle && Math.min(networkQuietMs, state.domQuietMs) >= abandonedMs;
    const parsed = state.parsed || abandoned;
    if (parsed && state.fontsLoaded && quiet && !scheduled.isPending) return { settled: true };
    await pause(pollMs);
  }
  const asked = worlds.stopLoading().then(() => readState(scanPage));
  await within(silenceMs, asked).catch((error: unknown) => {
    if (isTimeout(error)) throw unresponsive(log.latestUrl ?? 'The page', error);
  });
  return { settled: false };
}

const settleCapMs = 10_000;
/** After the cap: a script that has kept the page busy all the time does not end. */
const silenceMs = 5_000;
const pollMs = 50;
const quietMs = 250;
/** A page that loads nothing for so long and still changes has a clock or a carousel. */
const churningDomMs = 2_000;
const abandonedMs = 2_000;

interface DocumentState {
  parsed: boolean;
  fontsLoaded: boolean;
  domQuietMs: number;
}

async function readState({ worlds, log }: ScanPage): Promise<DocumentState | 'no page'> {
  const frame = await worlds.mainFrame();
  const response = log.responseOf(frame.loaderId);
  // An event stream, or a log that is written on, would be waited for in vain.
  const isPage = !frame.isErrorPage && (response === undefined || isHtml(response));
  return isPage ? worlds.call(frame, readDocumentState) : 'no page';
}

/** Runs in the page; the first call on a document starts to watch it. */
function readDocumentState(): DocumentState {
  const world = globalThis as typeof globalThis & { curbcutLastMutationAt?: number };
  // An element with this id would be a property of the window too.
  if (typeof world.curbcutLastMutationAt !== 'number') {
    world.curbcutLastMutationAt = performance.now();
    new MutationObserver(() => {
      world.curbcutLastMutationAt = performance.now();
    }).observe(document, { subtree: true, childList: true, characterData: true });
  }
  return {
    parsed: document.readyState !== 'loading',
    fontsLoaded: document.fonts.status === 'loaded',
    domQuietMs: performance.now() - world.curbcutLastMutationAt,
  };
}
