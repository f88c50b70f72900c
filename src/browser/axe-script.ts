import { loadAxe } from './axe/axe-source.ts';
import { axeInPageSource } from './axe-in-page.ts';
import { assertNoClobberedForm } from './clobbered-forms.ts';
import type { Frame, IsolatedWorlds } from './isolated-world.ts';
import { resultsJsonSource } from './results-json.ts';

/** WCAG 2.1 level A and AA: https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#axe-core-tags */
export const scannedTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

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

const script = [microtaskTimers, axeSource, resultsJsonSource, axeInPageSource].join('\n');

/** Loads axe into the main frame ahead of time, while the page waits for the network. */
export async function loadAxeAhead(worlds: IsolatedWorlds): Promise<void> {
  await worlds.inject(await worlds.mainFrame(), script);
}

/** Throws `ScanFailedError` for a document that axe can't work on. */
export async function injectAxe(worlds: IsolatedWorlds, frame: Frame): Promise<void> {
  await assertNoClobberedForm(worlds, frame);
  await worlds.inject(frame, script);
}

/** Makes `injectAxe` cheap in all frames that the frame's session reaches. */
export async function shareAxe(worlds: IsolatedWorlds, { session }: Frame): Promise<void> {
  await worlds.share(session, script);
}
