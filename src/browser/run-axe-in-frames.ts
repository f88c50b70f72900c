import type * as AxeCore from 'axe-core';
import type { CrossTreeSelector, FrameContextObject, Result, RunOptions } from 'axe-core';
import type { Frame, IsolatedWorlds } from './isolated-world.ts';
import { within } from './time-limit.ts';

/** axe-core's answer for a page, in axe's own words. */
export interface AxeResults {
  readonly violations: Result[];
  /** Rules that need a person to decide. */
  readonly incomplete: Result[];
  readonly engineVersion: string;
  readonly unscannedFrameCount: number;
}

/** WCAG 2.1 level A and AA: https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#axe-core-tags */
const runOptions: RunOptions = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] },
  resultTypes: ['violations', 'incomplete'],
};

/** A page with more frames than this is an attack or an accident; each frame costs a copy of axe. */
const maxChildFrames = 50;
const childFrameTimeoutMs = 10_000;

const axeSource = await Bun.file(new URL(import.meta.resolve('axe-core/axe.min.js'))).text();

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

/**
 * Runs axe in the main frame and everything below it. A child frame that can't be scanned is
 * counted and left out; what the main frame throws is thrown.
 */
export async function runAxeInFrames(worlds: IsolatedWorlds): Promise<AxeResults> {
  const frames = await worlds.frames();
  const [main] = frames;
  await injectAxe(worlds, main);
  const children = await worlds.call(main, frameContexts, null);
  if (children.length === 0) {
    return {
      ...parseResults(await worlds.call(main, runWhole, runOptions)),
      unscannedFrameCount: 0,
    };
  }
  await worlds.call(main, runMainPart, runOptions);
  const walk = new ChildFrameWalk(worlds, frames);
  await walk.visitAll(main, children);
  const json = await worlds.call(main, finishRun, walk.parts, runOptions);
  const unscannedFrameCount = walk.parts.filter((part) => part === null).length;
  return { ...parseResults(json), unscannedFrameCount };
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

  constructor(worlds: IsolatedWorlds, frames: Frame[]) {
    this.#worlds = worlds;
    this.#framesById = new Map(frames.map((frame) => [frame.id, frame]));
  }

  async visitAll(parent: Frame, children: ChildContext[]): Promise<void> {
    for (const { frameSelector, frameContext } of children) {
      const id = await this.#worlds.childFrameId(parent, selectFrame, frameSelector);
      const frame = id === undefined ? undefined : this.#framesById.get(id);
      if (!isLoaded(frame) || this.parts.length >= maxChildFrames) {
        this.parts.push(null);
        continue;
      }
      // A frame that hangs or fails must not cost the page its report.
      const visit = await within(childFrameTimeoutMs, this.#run(frame, frameContext)).catch(
        () => null,
      );
      this.parts.push(visit?.part ?? null);
      if (visit !== null) await this.visitAll(frame, visit.children);
    }
  }

  async #run(
    frame: Frame,
    context: FrameContextObject,
  ): Promise<{ part: string; children: ChildContext[] }> {
    await injectAxe(this.#worlds, frame);
    const children = await this.#worlds.call(frame, frameContexts, context);
    return { part: await this.#worlds.call(frame, runPart, context, runOptions), children };
  }
}

/** A frame whose document has not come, or will come when it is scrolled to, has no URL. */
function isLoaded(frame: Frame | undefined): frame is Frame {
  return frame !== undefined && !frame.isErrorPage && frame.url !== '';
}

async function injectAxe(worlds: IsolatedWorlds, frame: Frame): Promise<void> {
  await worlds.inject(frame, `${microtaskTimers}\n${axeSource}`);
}

function parseResults(json: string): Omit<AxeResults, 'unscannedFrameCount'> {
  return JSON.parse(json) as Omit<AxeResults, 'unscannedFrameCount'>;
}

interface ChildContext {
  frameSelector: CrossTreeSelector;
  frameContext: FrameContextObject;
}

// The functions below run in the page's isolated world, where `injectAxe` left `axe`.
declare const axe: typeof AxeCore;
type MainFrameWorld = typeof globalThis & { curbcutMainPart: AxeCore.PartialResult };

function frameContexts(context: FrameContextObject | null): ChildContext[] {
  return axe.utils.getFrameContexts(context ?? document);
}

function selectFrame(frameSelector: CrossTreeSelector): Element | null {
  return axe.utils.shadowSelect(frameSelector);
}

async function runWhole(options: RunOptions): Promise<string> {
  const { violations, incomplete, testEngine } = await axe.run(document, {
    ...options,
    iframes: false,
  });
  return JSON.stringify({ violations, incomplete, engineVersion: testEngine.version });
}

/** The main frame's part stays in the page, being the largest. */
async function runMainPart(options: RunOptions): Promise<void> {
  (globalThis as MainFrameWorld).curbcutMainPart = await axe.runPartial(document, options);
}

async function runPart(context: FrameContextObject, options: RunOptions): Promise<string> {
  return JSON.stringify(await axe.runPartial(context, options));
}

async function finishRun(childParts: (string | null)[], options: RunOptions): Promise<string> {
  const { violations, incomplete, testEngine } = await axe.finishRun(
    [
      (globalThis as MainFrameWorld).curbcutMainPart,
      ...childParts.map((part) => (part === null ? null : JSON.parse(part))),
    ],
    options,
  );
  return JSON.stringify({ violations, incomplete, engineVersion: testEngine.version });
}
