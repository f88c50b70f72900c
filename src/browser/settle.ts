import type { IsolatedWorlds } from './isolated-world.ts';
import type { ScanPage } from './scan-page.ts';
import { pause, within } from './time-limit.ts';

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
  { worlds, requests, scheduled }: ScanPage,
  signal: AbortSignal,
): Promise<{ settled: boolean }> {
  const deadline = performance.now() + settleCapMs;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    // A navigation may take the document away; its successor is asked next.
    const state = await within(deadline - performance.now(), readState(worlds)).catch(() =>
      pause(pollMs),
    );
    if (state === undefined) continue;
    if (state === 'error page') return { settled: true };
    const networkQuietMs = requests.quietMs();
    const quiet =
      networkQuietMs >= churningDomMs || (networkQuietMs >= quietMs && state.domQuietMs >= quietMs);
    if (state.parsed && state.fontsLoaded && quiet && !scheduled.isPending)
      return { settled: true };
    await pause(pollMs);
  }
  await worlds.stopLoading();
  return { settled: false };
}

const settleCapMs = 10_000;
const pollMs = 50;
const quietMs = 250;
/** A page that loads nothing for so long and still changes has a clock or a carousel. */
const churningDomMs = 2_000;
interface DocumentState {
  parsed: boolean;
  fontsLoaded: boolean;
  domQuietMs: number;
}

async function readState(worlds: IsolatedWorlds): Promise<DocumentState | 'error page'> {
  const frame = await worlds.mainFrame();
  return frame.isErrorPage ? 'error page' : worlds.call(frame, readDocumentState);
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
