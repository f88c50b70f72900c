import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { closedPort, page, type PageServer, servePages, silence } from '../support/page-server.ts';
import {
  type BrowserStage,
  countsOf,
  scanTimeoutMs,
  sitePerProcess,
  startBrowserStage,
} from './browser-stage.ts';

const iframe = (src: string, attributes = '') =>
  `<iframe title="${src}" src="${src}" ${attributes}></iframe>`;
/** Without titles, which would have to differ. */
const cleanFrames = (count: number) => '<iframe src="/clean" role="none"></iframe>'.repeat(count);

let pages: PageServer;
beforeAll(() => {
  pages = servePages(({ otherOrigin }) => ({
    '/clean': page(),
    '/image': page('<img src="data:,">'),
    '/refused': page(iframe(`http://127.0.0.1:${closedPort()}/`) + iframe('/image')),
    '/forbidden-to-frame': page(iframe('/deny') + iframe('/image')),
    '/deny': () => new Response('', { headers: { 'x-frame-options': 'DENY' } }),
    '/no-content': page(iframe('/204') + iframe('/image')),
    '/204': () => new Response(null, { status: 204 }),
    '/lazy': page(
      `${iframe('/image')}<div style="height: 20000px"></div>${iframe('/clean', 'loading="lazy"')}`,
    ),
    '/named-so': page(
      '<svg role="img" aria-label="a" width="9" height="9"><iframe title="a">b</iframe></svg>',
    ),
    '/silent': page(iframe('/silence') + iframe('/image')),
    '/silence': silence,
    '/50-frames': page(cleanFrames(49) + iframe('/image')),
    '/51-frames': page(cleanFrames(49) + iframe('/image') + cleanFrames(1)),
    '/busy-frame': page(iframe(`${otherOrigin}/busy`) + iframe('/image')),
    '/busy': page('<script>onload = () => { for (;;); }</script>'),
  }));
});
afterAll(() => pages[Symbol.asyncDispose]());

const warning = '1 frame of the page could not be scanned and count for nothing.';

describe('frames that are left out', () => {
  let stage: BrowserStage;
  beforeAll(async () => {
    stage = await startBrowserStage();
  }, scanTimeoutMs);
  afterAll(() => stage[Symbol.asyncDispose]());

  test.concurrent.each([
    ['a frame whose server is down', '/refused'],
    ['a frame that forbids to be framed', '/forbidden-to-frame'],
    ['a frame that was answered without content', '/no-content'],
    ['a lazy frame far below', '/lazy'],
    ['a frame after the fiftieth', '/51-frames'],
  ])(
    '%s is left out with a warning, and the others are scanned',
    async (_, path) => {
      const { violations, warnings } = await stage.scan(pages.origin + path);
      expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
      expect(warnings).toEqual([warning]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'an element that is only named like a frame is not missed',
    async () => {
      const { violations, warnings } = await stage.scan(`${pages.origin}/named-so`);
      expect(violations).toEqual([]);
      expect(warnings).toEqual([]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'a frame that never answers is left out within seconds, well before the navigation times out',
    async () => {
      const startedAt = performance.now();
      const { violations, warnings } = await stage.scan(`${pages.origin}/silent`);
      expect(performance.now() - startedAt).toBeLessThan(8_000);
      expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
      expect(warnings).toEqual([warning]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'fifty frames are all scanned',
    async () => {
      const { violations, warnings } = await stage.scan(`${pages.origin}/50-frames`);
      expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
      expect(warnings).toEqual([]);
    },
    scanTimeoutMs,
  );
});

test.concurrent(
  'a frame that keeps a process of its own busy is left out',
  async () => {
    await using binary = await sitePerProcess();
    await using stage = await startBrowserStage({ binary });
    const { violations, warnings } = await stage.scan(`${pages.origin}/busy-frame`);
    expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
    expect(warnings).toEqual([warning]);
  },
  scanTimeoutMs,
);
