import type { CDPSession } from 'puppeteer';
import { isHtml, unresponsive } from './landing.ts';
import type { ScanPage } from './scan-page.ts';
import { isTimeout, pause, within } from './time-limit.ts';

/**
 * When has a page finished rendering? None of puppeteer's conditions says: `load` fires before a
 * script-built page has content, and `networkidle` never comes on a page that polls or hangs on an
 * image. So this waits until everything a visitor would wait for is quiet at once: the document and
 * its fonts are loaded, nothing was added to the DOM for a while, no other document is about to take
 * its place, and no request is under way, leaving out those that are meant to stay open, that are for
 * another page, or that have been hanging for long. A page of which no script has run can only change
 * by what it loads and by its style, and is not watched for any longer than that takes.
 * It asks the page from outside, because timers are dead in a document that is sandboxed without
 * scripts.
 */
export async function settle(
  scanPage: ScanPage,
  signal: AbortSignal,
): Promise<{ settled: boolean }> {
  const { session, worlds, log, requests, scheduled } = scanPage;
  const deadline = performance.now() + settleCapMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    using load = nextLoad(session);
    // A navigation may take the document away; its successor is asked next.
    const state = await within(deadline - performance.now(), readState(scanPage)).catch(() =>
      pause(pollMs),
    );
    if (state === undefined) continue;
    if (state === 'no page') return { settled: true };
    const networkQuietMs = requests.quietMs();
    const domQuietMs = state.animating ? 0 : state.domQuietMs;
    const quiet =
      networkQuietMs >= churningDomMs || (networkQuietMs >= quietMs && domQuietMs >= quietMs);
    // A script that has opened the document again may never close it.
    const abandoned = requests.isIdle && Math.min(networkQuietMs, state.domQuietMs) >= abandonedMs;
    const parsed = state.readyState !== 'loading' || abandoned;
    const isLoaded = state.readyState === 'complete' && state.fontsLoaded;
    const still = isLoaded && requests.isIdle && !state.animating;
    if (parsed && !scheduled.isPending) {
      if (quiet || (still && !(await hasRunScripts(session)))) return { settled: true };
    }
    // The next moment at which the page may have settled: to ask it costs.
    const soonestMs = quietMs - Math.min(networkQuietMs, domQuietMs);
    await Promise.race([load.fired, pause(Math.max(soonestMs, pollMs))]);
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
  readyState: DocumentReadyState;
  fontsLoaded: boolean;
  domQuietMs: number;
  animating: boolean;
}

async function readState({ worlds, log }: ScanPage): Promise<DocumentState | 'no page'> {
  const frame = await worlds.mainFrame();
  const response = log.responseOf(frame.loaderId);
  // An event stream, or a log that is written on, would be waited for in vain.
  const isPage = !frame.isErrorPage && (response === undefined || isHtml(response));
  return isPage ? worlds.call(frame, readDocumentState) : 'no page';
}

/** Whether any of the page's own scripts has, in any frame or handler; ours don't count. */
async function hasRunScripts(session: CDPSession): Promise<boolean> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value !== 0;
}

function nextLoad(session: CDPSession): Disposable & { readonly fired: Promise<void> } {
  const { promise: fired, resolve } = Promise.withResolvers<void>();
  const fire = (): void => resolve();
  session.once('Page.loadEventFired', fire);
  return { fired, [Symbol.dispose]: () => void session.off('Page.loadEventFired', fire) };
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
  // Fonts and images of the style are asked for when the page is laid out.
  document.documentElement?.getBoundingClientRect();
  const longestAnimationMs = 5_000;
  const isEnding = ({ playState, currentTime, effect }: Animation): boolean =>
    playState === 'running' &&
    Number(effect?.getComputedTiming().endTime) - Number(currentTime) < longestAnimationMs;
  return {
    readyState: document.readyState,
    fontsLoaded: document.fonts.status === 'loaded',
    domQuietMs: performance.now() - world.curbcutLastMutationAt,
    animating: document.getAnimations().some(isEnding),
  };
}
