import type { FrameContextObject, RunOptions } from 'axe-core';
import { type ChildContext, runPart, selectFrame } from './axe-in-page.ts';
import { injectAxe, shareAxe } from './axe-script.ts';
import type { Frame, IsolatedWorlds } from './isolated-world.ts';
import { isTimeout, within } from './time-limit.ts';

/** A page with more frames than this is an attack or an accident; each frame costs a copy of axe. */
const maxChildFrames = 50;
/** To send axe to each of fewer child frames costs as little as to send it to all at once. */
const fewestToShare = 4;
const childFrameTimeoutMs = 10_000;
/** In characters of JSON, for all child frames together: they name every element, faulty or not. */
const maxPartsLength = 64_000_000;

/**
 * Visits frames depth first, the order in which `axe.finishRun` wants their parts:
 * https://github.com/dequelabs/axe-core/blob/develop/doc/run-partial.md
 */
export class ChildFrameWalk {
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

  /** From the main frame on. */
  async visitPage(main: Frame, children: (ChildContext | null)[]): Promise<void> {
    await this.#shareAxe(main, children.length);
    await this.#visitAll(main, children);
  }

  async #visitAll(parent: Frame, children: (ChildContext | null)[]): Promise<void> {
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
      if (visit !== null) await this.#visitAll(frame, visit.children);
    }
  }

  /** Ahead of many frames in the main frame's process; where it fails, axe is sent to each of them. */
  async #shareAxe(main: Frame, childCount: number): Promise<void> {
    const frames = [...this.#framesById.values()];
    const reached = frames.filter(({ id, session }) => session === main.session && id !== main.id);
    if (childCount < fewestToShare || reached.length > maxChildFrames) return;
    await within(childFrameTimeoutMs, shareAxe(this.#worlds, main)).catch(() => {});
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
    return this.#worlds.call(frame, runPart, context, this.#options, this.#room);
  }
}

/** A frame whose document has not come, or will come when it is scrolled to, has no URL. */
function isLoaded(frame: Frame | undefined): frame is Frame {
  return frame !== undefined && !frame.isErrorPage && frame.url !== '';
}
