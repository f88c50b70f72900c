import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Frame, IsolatedWorlds } from '../../src/browser/isolated-world.ts';
import { navigate } from '../../src/browser/navigate.ts';
import { settle } from '../../src/browser/settle.ts';
import { page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

type World = typeof globalThis & { runs: number };
const script = 'globalThis.runs = (globalThis.runs ?? 0) + 1;';
const readRuns = (): number => (globalThis as World).runs ?? 0;

let pages: PageServer;
let stage: BrowserStage;
beforeAll(async () => {
  pages = servePages(() => ({
    '/': page('<iframe title="a" src="/a"></iframe><iframe title="b" src="/b" sandbox></iframe>'),
    '/a': page(),
    '/b': page(),
    '/later': page(),
  }));
  stage = await startBrowserStage();
}, scanTimeoutMs);
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});

/** The page's worlds and frames: itself, `/a` and `/b`. */
async function onFrames(
  use: (worlds: IsolatedWorlds, frames: [Frame, Frame, Frame]) => Promise<void>,
): Promise<void> {
  const taken = await stage.pool.take();
  try {
    const { scanPage } = taken;
    await navigate(scanPage, new URL(pages.origin), scanTimeoutMs);
    await settle(scanPage, new AbortController().signal);
    await use(scanPage.worlds, (await scanPage.worlds.frames()) as [Frame, Frame, Frame]);
  } finally {
    await taken.close();
  }
}

test(
  'a shared script runs once in each frame that it is injected into, and in no other',
  () =>
    onFrames(async (worlds, [main, a, b]) => {
      await worlds.share(main.session, script);
      for (const frame of [a, b, b]) await worlds.inject(frame, script);
      expect(await worlds.call(main, readRuns)).toBe(0);
      expect(await worlds.call(a, readRuns)).toBe(1);
      expect(await worlds.call(b, readRuns)).toBe(1);
    }),
  scanTimeoutMs,
);

test(
  'a document that has come since a script was shared has it injected all the same',
  () =>
    onFrames(async (worlds, [main, a]) => {
      await worlds.share(main.session, script);
      await worlds.call(a, () => {
        location.href = '/later';
      });
      const isLater = ({ url }: Frame): boolean => url.endsWith('/later');
      let later: Frame | undefined;
      while (later === undefined) later = (await worlds.frames()).find(isLater);
      await worlds.inject(later, script);
      expect(await worlds.call(later, readRuns)).toBe(1);
    }),
  scanTimeoutMs,
);

test(
  'a world that was renewed has nothing of what was shared with the one before',
  () =>
    onFrames(async (worlds, [main, a]) => {
      await worlds.share(main.session, script);
      await worlds.inject(a, script);
      worlds.renew();
      expect(await worlds.call(a, readRuns)).toBe(0);
      await worlds.inject(a, script);
      expect(await worlds.call(a, readRuns)).toBe(1);
    }),
  scanTimeoutMs,
);
