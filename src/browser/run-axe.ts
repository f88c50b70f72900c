import { BrowserDiedError, DomainError, ScanFailedError } from '../errors.ts';
import { loadAxeAhead } from './axe-script.ts';
import type { ContextLease } from './browser-instance.ts';
import { cut } from './cut.ts';
import { PageFunctionError } from './isolated-world.ts';
import { inspectLanding, type Landing, unstable } from './landing.ts';
import { navigate } from './navigate.ts';
import { isUnreachable } from './navigation-failure.ts';
import type { BoundedResults } from './results-json.ts';
import { type AxeResults, runAxeInFrames } from './run-axe-in-frames.ts';
import type { PagePool, PooledPage } from './page-pool.ts';
import type { ScanPage } from './scan-page.ts';
import { settle } from './settle.ts';

export interface AxeRequest {
  /** Tried in order while the one before cannot be reached: https, then http, for a bare domain. */
  readonly candidates: readonly [URL, ...URL[]];
  /** Aborting it ends the page at once; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

export interface PageScan extends Omit<AxeResults, 'unscannedFrameCount'> {
  /** The candidate that answered. */
  readonly url: string;
  /** The scanned document's URL; cut when it is longer than 2,048 characters. */
  readonly finalUrl: string;
  /** Sentences for the reader of the report: in what the scan differs from a visit. */
  readonly warnings: string[];
  /** Resolves when nothing of the page is left in the browser. */
  readonly closed: Promise<void>;
}

/**
 * Loads one page in a context of its own, waits until it has finished rendering, and runs axe.
 * Throws `ScanFailedError`: `BrowserDiedError` when it was the browser's fault and not the page's.
 */
export type RunAxe = (request: AxeRequest) => Promise<PageScan>;

interface Timeouts {
  readonly navigationTimeoutMs: number;
  /** After which a rule that is not through is left out, and axe runs again. */
  readonly axeTimeoutMs: number;
}

export type Gate = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

const maxDocuments = 3;
/** As for the URL that is asked for; a script can make it any length. */
const maxUrlLength = 2_048;

export function createRunAxe({
  pool,
  gate,
  ...timeouts
}: {
  pool: PagePool;
  /** Starts the work when a processor is free for it. */
  gate: Gate;
} & Timeouts): RunAxe {
  return async ({ candidates, signal }) => {
    signal.throwIfAborted();
    const page = await takeUnlessAborted(pool, signal);
    const { lease, scanPage } = page;
    const work = scan(scanPage, gate, candidates, signal, timeouts);
    // Disposing of the page makes what is still under way reject, with nobody listening.
    work.catch(() => {});
    try {
      const results = await Promise.race([
        work,
        scanPage.failed,
        lease.died,
        rejectOnAbort(signal),
      ]);
      return { ...results, closed: page.close() };
    } catch (error) {
      const reason = explain(error, lease, signal);
      await page.close();
      throw reason;
    }
  };
}

/** A browser may take long to start; whoever stopped waiting for it has no use for the page. */
async function takeUnlessAborted(pool: PagePool, signal: AbortSignal): Promise<PooledPage> {
  const taking = pool.take();
  try {
    return await Promise.race([taking, rejectOnAbort(signal)]);
  } catch (error) {
    taking.then(
      (page) => page.close(),
      () => {},
    );
    throw error;
  }
}

async function scan(
  scanPage: ScanPage,
  gate: Gate,
  candidates: AxeRequest['candidates'],
  signal: AbortSignal,
  { navigationTimeoutMs, axeTimeoutMs }: Timeouts,
): Promise<Omit<PageScan, 'closed'>> {
  const { url, timedOut } = await open(scanPage, candidates, navigationTimeoutMs);
  for (let document = 1; ; document += 1) {
    // Where it can't be, whatever comes next says why.
    loadAxeAhead(scanPage.worlds).catch(() => {});
    const { settled } = await settle(scanPage, signal);
    const frame = await scanPage.worlds.mainFrame();
    try {
      const landing = await inspectLanding(scanPage, frame);
      const { unscannedFrameCount, ...results } = await gate(
        () => runAxeInFrames(scanPage.worlds, frame, axeTimeoutMs),
        signal,
      );
      const warnings = describe({
        landing,
        settled: settled && !timedOut && landing.isWhole,
        unscannedFrameCount,
        results,
      });
      return {
        ...results,
        url: url.href,
        finalUrl: cut(landing.frame.url, maxUrlLength),
        warnings,
      };
    } catch (error) {
      if (error instanceof DomainError) throw error;
      const now = await scanPage.worlds.mainFrame();
      if (now.loaderId === frame.loaderId) throw error;
      if (document < maxDocuments) continue;
      throw unstable(url.href, error);
    }
  }
}

async function open(
  scanPage: ScanPage,
  candidates: AxeRequest['candidates'],
  navigationTimeoutMs: number,
): Promise<{ url: URL; timedOut: boolean }> {
  const [url, ...others] = candidates;
  // A dead first candidate must leave time for the next.
  const timeoutMs = others.length > 0 ? navigationTimeoutMs / 2 : navigationTimeoutMs;
  try {
    return { url, ...(await navigate(scanPage, url, timeoutMs)) };
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || !isUnreachable(error)) throw error;
    return open(scanPage, [next, ...rest], navigationTimeoutMs).catch((nextError: unknown) => {
      // Of a host that answers neither way, what is wrong with the first is what to mend.
      throw isUnreachable(nextError) ? error : nextError;
    });
  }
}

function describe(outcome: {
  landing: Landing;
  settled: boolean;
  unscannedFrameCount: number;
  results: Omit<AxeResults, 'unscannedFrameCount'>;
}): string[] {
  const warnings: string[] = [];
  if (!outcome.settled) {
    warnings.push(
      'The page was still loading or changing when it was scanned, so parts may be missing.',
    );
  }
  const count = outcome.unscannedFrameCount;
  if (count > 0) {
    warnings.push(
      `${count} ${count === 1 ? 'frame' : 'frames'} of the page could not be scanned and count for nothing.`,
    );
  }
  const { rulesNotCompleted } = outcome.results;
  if (rulesNotCompleted.length > 0) {
    warnings.push(
      `The page took too long to check for ${rulesNotCompleted.join(' and ')}, so that it was not checked for that.`,
    );
  }
  if (!isComplete(outcome.results)) {
    warnings.push(
      'More elements were found than a report can list. Counts are exact, but some elements are missing.',
    );
  }
  if (outcome.landing.frame.url.length > maxUrlLength) {
    warnings.push(`The document's URL is longer than ${maxUrlLength} characters: finalUrl is cut.`);
  }
  if (isSandboxedWithoutScripts(outcome.landing.response.headers)) {
    warnings.push(
      "The page's Content-Security-Policy sandbox forbids scripts, so it was scanned without any of its scripts having run.",
    );
  }
  return warnings;
}

function isComplete({ violations, incomplete }: BoundedResults): boolean {
  return [...violations, ...incomplete].every(({ nodeCount, nodes }) => nodes.length === nodeCount);
}

function isSandboxedWithoutScripts(headers: Headers): boolean {
  const directives = (headers.get('content-security-policy') ?? '').split(/[;,]/);
  return directives.some((directive) => {
    const [name, ...tokens] = directive.trim().toLowerCase().split(/\s+/);
    return name === 'sandbox' && !tokens.includes('allow-scripts');
  });
}

function explain(error: unknown, lease: ContextLease, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof DomainError) return error;
  if (!lease.isAlive()) {
    return new BrowserDiedError('The browser ended during the scan. Try again.', { cause: error });
  }
  const detail =
    error instanceof PageFunctionError
      ? 'axe-core could not work on this page: its markup or its scripts may hide or remove parts of the DOM that axe-core needs.'
      : 'The page could not be scanned. Try again; if it fails each time, please report the page.';
  return new ScanFailedError('scan-failed', detail, { cause: error });
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
