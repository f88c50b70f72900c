import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { closedPort, page, type PageServer, servePages } from '../support/page-server.ts';
import { runAxeInMainWorld } from './axe-in-main-world.ts';
import {
  type BrowserStage,
  scanTimeoutMs,
  sitePerProcess,
  startBrowserStage,
  targetsOf,
} from './browser-stage.ts';

const unscanned = (count: string) =>
  `${count} of the page could not be scanned and count for nothing.`;
const iframe = (src: string, attributes = '') =>
  `<iframe title="${src}" src="${src}" ${attributes}></iframe>`;

let pages: PageServer;
beforeAll(() => {
  pages = servePages(({ origin, otherOrigin }) => ({
    '/clean': page(),
    '/image': page('<img src="data:,">'),
    '/button': page('<button></button>'),
    '/nameless': page('<iframe src="/clean"></iframe>'),
    '/same-origin': page(iframe('/image')),
    '/cross-origin': page(iframe(`${otherOrigin}/image`)),
    '/srcdoc': page('<iframe title="a" srcdoc="<img src=data:,>"></iframe>'),
    '/without-source': page(
      `<iframe title="a"></iframe><script>
        frames[0].document.body.innerHTML = '<img src="data:,">';
      </script>`,
    ),
    '/frameset': `<!doctype html><html lang="en"><title>Frames</title>
      <frameset cols="50%,50%"><frame title="a" src="/image"><frame title="b" src="/button"></frameset></html>`,
    '/in-shadow': page(
      `<div id="host"></div><script>
        document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '${iframe('/image')}';
      </script>`,
    ),
    '/hidden': page(`<div style="display: none">${iframe('/image')}</div>`),
    '/sandboxed': page(iframe('/image', 'sandbox')),
    '/sandboxed-with-scripts': page(iframe('/image', 'sandbox="allow-scripts"')),
    '/middle': page(`<select></select>${iframe(`${origin}/button`)}`),
    '/nested': page(
      iframe(`http://127.0.0.1:${closedPort()}/`) +
        iframe(`${otherOrigin}/middle`) +
        iframe('/204') +
        iframe('/image'),
    ),
    '/many': page(
      iframe('/image', 'id="plain"') +
        iframe('/image?sandboxed', 'id="sandboxed" sandbox') +
        iframe(`${otherOrigin}/image`, 'id="elsewhere"') +
        iframe('/many/nested', 'id="nested"') +
        iframe('/many/named', 'id="named"') +
        `<div style="display: none">${iframe('/button')}</div>`,
    ),
    '/many/nested': page(iframe('/image')),
    // Named as what axe is kept under in the frames' worlds.
    '/many/named': page(
      '<object id="curbcutSharedScript" aria-label="a"></object><img src="data:,">',
    ),
    '/204': () => new Response(null, { status: 204 }),
  }));
});
afterAll(() => pages[Symbol.asyncDispose]());

describe.each([
  ['in processes as the browser likes', () => null],
  ['in a process for each site', sitePerProcess],
])('frames %s', (_, findBinary) => {
  let binary: Awaited<ReturnType<typeof sitePerProcess>> | null;
  let stage: BrowserStage;
  beforeAll(async () => {
    binary = await findBinary();
    stage = await startBrowserStage(binary === null ? {} : { binary });
  }, scanTimeoutMs);
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await binary?.[Symbol.asyncDispose]();
  });

  test.concurrent.each([
    ['a frame of the same origin', '/same-origin', ['iframe', 'img']],
    ['a frame of another origin', '/cross-origin', ['iframe', 'img']],
    ['a frame with srcdoc', '/srcdoc', ['iframe', 'img']],
    ['a frame that a script has filled', '/without-source', ['iframe', 'img']],
    ['a sandboxed frame without scripts', '/sandboxed', ['iframe', 'img']],
    ['a sandboxed frame with scripts', '/sandboxed-with-scripts', ['iframe', 'img']],
    ['a frame in a shadow tree', '/in-shadow', [['#host', 'iframe'], 'img']],
  ])(
    '%s is scanned',
    async (_name, path, target) => {
      const { violations, warnings } = await stage.scan(pages.origin + path);
      expect(targetsOf(violations)).toEqual({ 'image-alt': [target] });
      expect(warnings).toEqual([]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'nested frames of several sites keep their places around frames that did not load',
    async () => {
      const { violations, warnings } = await stage.scan(`${pages.origin}/nested`);
      const middle = `iframe[title="${pages.otherOrigin}/middle"]`;
      expect(targetsOf(violations)).toEqual({
        'button-name': [[middle, 'iframe', 'button']],
        'image-alt': [['iframe[title="/image"]', 'img']],
        'select-name': [[middle, 'select']],
      });
      expect(warnings).toEqual([unscanned('2 frames')]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'more frames than axe is sent to one by one are all scanned, also where scripts are forbidden',
    async () => {
      const { violations, warnings } = await stage.scan(`${pages.origin}/many`);
      const image = violations.find(({ id }) => id === 'image-alt');
      expect(image?.nodes.map(({ target }) => target)).toEqual([
        ['#plain', 'img'],
        ['#sandboxed', 'img'],
        ['#elsewhere', 'img'],
        ['#nested', 'iframe', 'img'],
        ['#named', 'img'],
      ]);
      expect(warnings).toEqual([]);
    },
    scanTimeoutMs,
  );

  test.concurrent.each(['/same-origin', '/cross-origin', '/frameset', '/hidden', '/nameless'])(
    'findings on %s are what axe.run finds in the page by itself',
    async (path) => {
      const expected = await runAxeInMainWorld(stage, pages.origin + path);
      const scan = await stage.scan(pages.origin + path);
      expect(targetsOf(scan.violations)).toEqual(targetsOf(expected.violations));
      expect(targetsOf(scan.incomplete)).toEqual(targetsOf(expected.incomplete));
    },
    scanTimeoutMs,
  );
});
