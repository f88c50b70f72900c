import type * as AxeCore from 'axe-core';
import type { CrossTreeSelector, FrameContextObject, RunOptions } from 'axe-core';
import type { cutTexts, resultsJson } from './results-json.ts';

/* What runs in a frame, in our world of it, beside axe. */

/** A frame whose selector is longer was named to do harm. */
const longestSelector = 2_000;

/** Defines what the functions below need; comes after axe and `resultsJsonSource`. */
export const axeInPageSource = `
globalThis.curbcutLongestSelector = ${longestSelector};
globalThis.curbcutFrameContexts = ${frameContexts.toString()};
(${noteRunningRule.toString()})();
`;

/** A frame in a frame, as axe knows it. */
export interface ChildContext {
  frameSelector: CrossTreeSelector;
  frameContext: FrameContextObject;
}

// The functions below run in the page.
declare const axe: typeof AxeCore;
declare const curbcutCutTexts: typeof cutTexts;
declare const curbcutFrameContexts: typeof frameContexts;
declare const curbcutLongestSelector: number;
declare const curbcutResultsJson: typeof resultsJson;
type MainFrameWorld = typeof globalThis & { curbcutMainPart: AxeCore.PartialResult };
type World = typeof globalThis & { curbcutRunningRule: string | null };

interface AxeInternals {
  readonly _audit: {
    readonly rules: readonly { readonly id: string; run: Method; after: Method }[];
  };
}
type Method = (...args: unknown[]) => unknown;

/** Marks in the page's timeline would tell the same, but the page could write them too. */
function noteRunningRule(): void {
  const world = globalThis as World;
  const { _audit: audit } = axe as unknown as AxeInternals;
  const noted = (method: Method, ruleId: string): Method =>
    function notedMethod(this: unknown, ...args) {
      world.curbcutRunningRule = ruleId;
      return method.apply(this, args);
    };
  world.curbcutRunningRule = null;
  for (const rule of audit.rules) {
    rule.run = noted(rule.run, rule.id);
    rule.after = noted(rule.after, rule.id);
  }
}

/** The rule that was started last; null before the first. */
export function readRunningRule(): string | null {
  return (globalThis as World).curbcutRunningRule ?? null;
}

/** Null for a frame that is not to be visited. */
function frameContexts(context: FrameContextObject | Document): (ChildContext | null)[] {
  return axe.utils
    .getFrameContexts(context)
    .map((child) =>
      JSON.stringify(child.frameSelector).length > curbcutLongestSelector ? null : child,
    );
}

export function selectFrame(frameSelector: CrossTreeSelector): Element | null {
  return axe.utils.shadowSelect(frameSelector);
}

/**
 * The results of a page without frames to visit; else the main frame's part, which stays in the page,
 * being the largest. The frames are those that the part has places for: it is made in the same turn.
 */
export async function runMain(
  options: RunOptions,
  hasFrames: boolean,
  maxLength: number,
): Promise<{ json: string | null; children: (ChildContext | null)[] }> {
  // To axe, all that is named so is a frame: what SVG or another vocabulary has of that name too.
  const children = hasFrames ? curbcutFrameContexts(document) : [];
  if (children.length === 0) {
    const results = await axe.run(document, { ...options, iframes: false });
    return { json: curbcutResultsJson(results, maxLength), children };
  }
  (globalThis as MainFrameWorld).curbcutMainPart = await axe.runPartial(document, options);
  return { json: null, children };
}

export async function runPart(
  context: FrameContextObject,
  options: RunOptions,
  maxLength: number,
): Promise<{ part: string; children: (ChildContext | null)[] }> {
  const children = curbcutFrameContexts(context);
  const part = JSON.stringify(await axe.runPartial(context, options), curbcutCutTexts);
  // What a frame adds can't be shortened without falsifying the counts.
  if (part.length > maxLength) throw new Error('this frame has too many elements');
  return { part, children };
}

export async function finishRun(
  childParts: (string | null)[],
  options: RunOptions,
  maxLength: number,
): Promise<string> {
  const results = await axe.finishRun(
    [
      (globalThis as MainFrameWorld).curbcutMainPart,
      ...childParts.map((part) => (part === null ? null : JSON.parse(part))),
    ],
    options,
  );
  return curbcutResultsJson(results, maxLength);
}
