import type { RunOptions } from 'axe-core';
import { ScanFailedError } from '../errors.ts';
import { finishRun, readRunningRule, runMain } from './axe-in-page.ts';
import { injectAxe, scannedTags } from './axe-script.ts';
import { ChildFrameWalk } from './child-frame-walk.ts';
import type { Frame, IsolatedWorlds } from './isolated-world.ts';
import { type BoundedResults, maxNodesLength } from './results-json.ts';
import { isTimeout, within } from './time-limit.ts';

/** axe-core's answer for a page, in axe's own words. */
export interface AxeResults extends BoundedResults {
  readonly unscannedFrameCount: number;
  /** Rules that took too long on this page and were left out. */
  readonly rulesNotCompleted: readonly string[];
}

const runOptions: RunOptions = {
  runOnly: { type: 'tag', values: scannedTags },
  resultTypes: ['violations', 'incomplete'],
};

const answerTimeoutMs = 2_000;
/** A page on which more take too long is too large for all of them. */
const maxStoppedRules = 2;

/**
 * Runs axe in the main frame and everything below it. A child frame that can't be scanned is
 * counted and left out, and so is a rule that has not come to its end after `timeoutMs`; what the
 * main frame throws is thrown, and so it does when another document has come since it was called
 * first.
 */
export async function runAxeInFrames(
  worlds: IsolatedWorlds,
  main: Frame,
  timeoutMs: number,
): Promise<AxeResults> {
  const rulesNotCompleted: string[] = [];
  for (;;) {
    try {
      const results = await runOnce(worlds, main, timeoutMs, withoutRules(rulesNotCompleted));
      return { ...results, rulesNotCompleted };
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const rule = await within(answerTimeoutMs, worlds.call(main, readRunningRule));
      if (rule === null || rulesNotCompleted.length >= maxStoppedRules) throw tooSlow(error);
      rulesNotCompleted.push(rule);
      worlds.renew();
    }
  }
}

function tooSlow(cause: unknown): ScanFailedError {
  return new ScanFailedError(
    'scan-timed-out',
    'axe-core did not come to an end on this page, not even without the rules that took longest. The page is too large to be checked as a whole.',
    { cause },
  );
}

async function runOnce(
  worlds: IsolatedWorlds,
  main: Frame,
  timeoutMs: number,
  options: RunOptions,
): Promise<Omit<AxeResults, 'rulesNotCompleted'>> {
  const [frames] = await Promise.all([worlds.frames(), injectAxe(worlds, main)]);
  const { json: whole, children } = await worlds.callWithin(
    timeoutMs,
    main,
    runMain,
    options,
    frames.length > 1,
    maxNodesLength,
  );
  if (whole !== null) return { ...parseResults(whole), unscannedFrameCount: 0 };
  const walk = new ChildFrameWalk(worlds, frames, options);
  await walk.visitPage(main, children);
  const { parts } = walk;
  const json = await worlds.callWithin(timeoutMs, main, finishRun, parts, options, maxNodesLength);
  const unscannedFrameCount = parts.filter((part) => part === null).length;
  return { ...parseResults(json), unscannedFrameCount };
}

function withoutRules(ids: readonly string[]): RunOptions {
  return { ...runOptions, rules: Object.fromEntries(ids.map((id) => [id, { enabled: false }])) };
}

function parseResults(json: string): BoundedResults {
  return JSON.parse(json) as BoundedResults;
}
