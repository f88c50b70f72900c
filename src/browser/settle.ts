import type { HTTPRequest, Page } from 'puppeteer';
import type { IsolatedWorlds } from './isolated-world.ts';
import { pause, within } from './time-limit.ts';

/**
 * When has a page finished rendering? None of puppeteer's conditions says: `load` fires before a
 * script-built page has content, and `networkidle` never comes on a page that polls or hangs on an
 * image. So this waits until everything a visitor would wait for is quiet at once: the document and
 * its fonts are loaded, nothing was added to the DOM for a while, and no request is under way,
 * leaving out those that are meant to stay open or have been hanging for long.
 * It asks the page from outside, because timers are dead in a document that is sandboxed without
 * scripts.
 */
export async function settle(
  worlds: IsolatedWorlds,
  requests: OpenRequests,
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
    if (state.parsed && state.fontsLoaded && quiet) return { settled: true };
    await pause(pollMs);
  }
  // While a navigation is pending, Chromium holds back all answers about the document that is there.
  await worlds.session.send('Page.stopLoading');
  return { settled: false };
}

const settleCapMs = 10_000;
const pollMs = 50;
const quietMs = 250;
/** A page that loads nothing for so long and still changes has a clock or a carousel. */
const churningDomMs = 2_000;
/** A request older than this is taken for a long poll or a dead host. */
const hangingRequestMs = 4_000;
const streamingTypes: ReadonlySet<string> = new Set(['eventsource', 'websocket', 'media', 'ping']);

/** Counts the requests that a page has under way, from its creation on. */
export class OpenRequests {
  readonly #startedAt = new Map<HTTPRequest, number>();
  #lastEndedAt = performance.now();

  constructor(page: Page) {
    page.on('request', (request) => {
      if (!streamingTypes.has(request.resourceType())) {
        this.#startedAt.set(request, performance.now());
      }
    });
    const end = (request: HTTPRequest): void => {
      if (this.#startedAt.delete(request)) this.#lastEndedAt = performance.now();
    };
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    // Those of a document that was left neither finish nor fail.
    page.on('framenavigated', (frame) => {
      const requests = [...this.#startedAt.keys()].filter((request) => request.frame() === frame);
      const latest = requests.findLast((request) => request.isNavigationRequest());
      for (const request of requests) if (request !== latest) end(request);
    });
  }

  /** How long nothing was loading; 0 while something is. */
  quietMs(): number {
    const now = performance.now();
    const loading = [...this.#startedAt.values()].some((at) => now - at < hangingRequestMs);
    return loading ? 0 : now - this.#lastEndedAt;
  }
}

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
