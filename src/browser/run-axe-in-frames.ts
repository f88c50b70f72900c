import type * as AxeCore from 'axe-core';
import type { CrossTreeSelector, FrameContextObject, RunOptions } from 'axe-core';
import { ScanFailedError } from '../errors.ts';
import { loadAxe } from './axe/axe-source.ts';
import { assertNoClobberedForm } from './clobbered-forms.ts';
import type { Frame, IsolatedWorlds } from './isolated-world.ts';
import {
  type BoundedResults,
  type cutTexts,
  maxNodesLength,
  type resultsJson,
  resultsJsonSource,
} from './results-json.ts';
import { isTimeout, within } from './time-limit.ts';

/** axe-core's answer for a page, in axe's own words. */
export interface AxeResults extends BoundedResults {
  readonly unscannedFrameCount: number;
  /** Rules that took too long on this page and were left out. */
  readonly rulesNotCompleted: readonly string[];
}

/** WCAG 2.1 level A and AA: https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#axe-core-tags */
export const scannedTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
const runOptions: RunOptions = {
  runOnly: { type: 'tag', values: scannedTags },
  resultTypes: ['violations', 'incomplete'],
};

/** A page with more frames than this is an attack or an accident; each frame costs a copy of axe. */
const maxChildFrames = 50;
/** To send axe to each of fewer child frames costs as little as to send it to all at once. */
const fewestToShare = 4;
const childFrameTimeoutMs = 10_000;
const answerTimeoutMs = 2_000;
/** A page on which more take too long is too large for all of them. */
const maxStoppedRules = 2;
/** In characters of JSON, for all child frames together: they name every element, faulty or not. */
const maxPartsLength = 64_000_000;
/** A frame whose selector is longer was named to do harm. */
const longestSelector = 2_000;

const { source: axeSource } = await loadAxe(scannedTags);

/**
 * axe yields between rules with `setTimeout(…, 0)`. In a document sandboxed without scripts timers
 * never fire and axe would not settle; elsewhere nested ones wait 4 ms each. In our world short
 * ones become microtasks; long ones are axe's own time limits and stay.
 */
const microtaskTimers = `{
  const nativeSetTimeout = globalThis.setTimeout;
  globalThis.setTimeout = (callback, delay = 0, ...args) =>
    delay > 50
      ? nativeSetTimeout(callback, delay, ...args)
      : (queueMicrotask(() => callback(...args)), 0);
}`;

const script = [
  microtaskTimers,
  axeSource,
  resultsJsonSource,
  `globalThis.curbcutFrameContexts = ${frameContexts.toString()};`,
  `(${noteRunningRule.toString()})()`,
].join('\n');

/** Loads axe into the main frame ahead of time, while the page waits for the network. */
export async function loadAxeAhead(worlds: IsolatedWorlds): Promise<void> {
  await worlds.inject(await worlds.mainFrame(), script);
}

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
  const { json: whole, children } = await worlds.callWithin(timeoutMs, main, runMain, options, {
    maxLength: maxNodesLength,
    maxSelectorLength: longestSelector,
  });
  if (whole !== null) return { ...parseResults(whole), unscannedFrameCount: 0 };
  await shareAxe(worlds, main, frames, children.length);
  const walk = new ChildFrameWalk(worlds, frames, options);
  await walk.visitAll(main, children);
  const { parts } = walk;
  const json = await worlds.callWithin(timeoutMs, main, finishRun, parts, options, maxNodesLength);
  const unscannedFrameCount = parts.filter((part) => part === null).length;
  return { ...parseResults(json), unscannedFrameCount };
}

function withoutRules(ids: readonly string[]): RunOptions {
  return { ...runOptions, rules: Object.fromEntries(ids.map((id) => [id, { enabled: false }])) };
}

/**
 * Visits frames depth first, the order in which `axe.finishRun` wants their parts:
 * https://github.com/dequelabs/axe-core/blob/develop/doc/run-partial.md
 */
class ChildFrameWalk {
  /** The JSON of one partial result a frame; null for a frame that could not be scanned. */
  readonly parts: (string | null)[] = [];
  readonly #worlds: IsolatedWorlds;
  readonly #framesById: ReadonlyMap<string, Frame>;
  readonly #options: RunOptions;
  #room = maxPartsLength;

  constructor(worlds: IsolatedWorlds, frames: Frame[], options: RunOptions) {
    this.#worlds = worlds;
    this.#options = options;
    this.#framesById = new Map(frames.map((frame) => [frame.id, frame]));
  }

  async visitAll(parent: Frame, children: (ChildContext | null)[]): Promise<void> {
    for (const child of children) {
      if (child === null || this.parts.length >= maxChildFrames) {
        this.parts.push(null);
        continue;
      }
      const { frameSelector, frameContext } = child;
      const id = await this.#worlds.childFrameId(parent, selectFrame, frameSelector);
      const frame = id === undefined ? undefined : this.#framesById.get(id);
      if (!isLoaded(frame)) {
        this.parts.push(null);
        continue;
      }
      // A frame that hangs or fails must not cost the page its report.
      const visit = await within(childFrameTimeoutMs, this.#run(frame, frameContext)).catch(
        (error: unknown) => this.#giveUp(frame, error),
      );
      this.parts.push(visit?.part ?? null);
      this.#room -= visit?.part.length ?? 0;
      if (visit !== null) await this.visitAll(frame, visit.children);
    }
  }

  /** It may share its process with the main frame, which would have to wait. */
  #giveUp(frame: Frame, error: unknown): null {
    if (isTimeout(error)) frame.session.send('Runtime.terminateExecution').catch(() => {});
    return null;
  }

  async #run(
    frame: Frame,
    context: FrameContextObject,
  ): Promise<{ part: string; children: (ChildContext | null)[] }> {
    await injectAxe(this.#worlds, frame);
    return this.#worlds.call(frame, runPart, context, this.#options, {
      maxLength: this.#room,
      maxSelectorLength: longestSelector,
    });
  }
}

/** A frame whose document has not come, or will come when it is scrolled to, has no URL. */
function isLoaded(frame: Frame | undefined): frame is Frame {
  return frame !== undefined && !frame.isErrorPage && frame.url !== '';
}

async function injectAxe(worlds: IsolatedWorlds, frame: Frame): Promise<void> {
  await assertNoClobberedForm(worlds, frame);
  await worlds.inject(frame, script);
}

/** Ahead of many frames in the main frame's process; where it fails, axe is sent to each of them. */
async function shareAxe(
  worlds: IsolatedWorlds,
  main: Frame,
  frames: Frame[],
  childCount: number,
): Promise<void> {
  const reached = frames.filter(({ id, session }) => id !== main.id && session === main.session);
  if (childCount < fewestToShare || reached.length > maxChildFrames) return;
  await within(childFrameTimeoutMs, worlds.share(main.session, script)).catch(() => {});
}

function parseResults(json: string): BoundedResults {
  return JSON.parse(json) as BoundedResults;
}

interface Limits {
  /** Of the JSON. */
  readonly maxLength: number;
  readonly maxSelectorLength: number;
}

interface ChildContext {
  frameSelector: CrossTreeSelector;
  frameContext: FrameContextObject;
}

// The functions below run in the page's isolated world, where `injectAxe` left `axe`.
declare const axe: typeof AxeCore;
declare const curbcutCutTexts: typeof cutTexts;
declare const curbcutFrameContexts: typeof frameContexts;
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
function readRunningRule(): string | null {
  return (globalThis as World).curbcutRunningRule ?? null;
}

/** Null for a frame that is not to be visited. */
function frameContexts(
  context: FrameContextObject | Document,
  maxSelectorLength: number,
): (ChildContext | null)[] {
  return axe.utils
    .getFrameContexts(context)
    .map((child) =>
      JSON.stringify(child.frameSelector).length > maxSelectorLength ? null : child,
    );
}

function selectFrame(frameSelector: CrossTreeSelector): Element | null {
  return axe.utils.shadowSelect(frameSelector);
}

/**
 * The results of a page without frames to visit; else the main frame's part, which stays in the page,
 * being the largest. The frames are those that the part has places for: it is made in the same turn.
 */
async function runMain(
  options: RunOptions,
  { maxLength, maxSelectorLength }: Limits,
): Promise<{ json: string | null; children: (ChildContext | null)[] }> {
  const children = curbcutFrameContexts(document, maxSelectorLength);
  if (children.length === 0) {
    const results = await axe.run(document, { ...options, iframes: false });
    return { json: curbcutResultsJson(results, maxLength), children };
  }
  (globalThis as MainFrameWorld).curbcutMainPart = await axe.runPartial(document, options);
  return { json: null, children };
}

async function runPart(
  context: FrameContextObject,
  options: RunOptions,
  { maxLength, maxSelectorLength }: Limits,
): Promise<{ part: string; children: (ChildContext | null)[] }> {
  const children = curbcutFrameContexts(context, maxSelectorLength);
  const part = JSON.stringify(await axe.runPartial(context, options), curbcutCutTexts);
  // What a frame adds can't be shortened without falsifying the counts.
  if (part.length > maxLength) throw new Error('this frame has too many elements');
  return { part, children };
}

async function finishRun(
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
