import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { htmlResponse, page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, countsOf, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const runs = (script: string) => page(`<img src="data:,"><script>${script}</script>`);
const afterLoad = (script: string) => runs(`onload = () => setTimeout(() => { ${script} })`);
const refresh = '<meta http-equiv="refresh" content="0;url=?again">';
const redirect = (location: string) => () =>
  new Response(null, { status: 302, headers: { location } });

/** To which Chromium lets no page go, or which it takes for no navigation. */
const refused = {
  file: 'file:///etc/passwd',
  viewSource: 'view-source:http://127.0.0.1/',
  crash: 'chrome://crash',
  hang: 'chrome://hang',
  version: 'chrome://version',
  devtools: 'devtools://devtools/bundled/inspector.html',
  filesystem: 'filesystem:http://127.0.0.1/temporary/a',
  ftp: 'ftp://127.0.0.1/',
  data: 'data:text/html,<h1>b</h1>',
  mail: 'mailto:someone@curbcut.test',
  phone: 'tel:123',
  unknown: 'unknown:thing',
};

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage();
  pages = servePages(() => ({
    ...Object.fromEntries(
      Object.entries(refused).map(([name, url]) => [
        `/${name}`,
        afterLoad(`open(${JSON.stringify(url)}); location = ${JSON.stringify(url)};`),
      ]),
    ),
    '/replaces': runs('location.replace("?" + Math.random());'),
    '/reloads': afterLoad('location.reload();'),
    '/refreshes': page('', refresh),
    '/refreshes-by-field': () => htmlResponse(page(), { refresh: '0;url=?again' }),
    '/wants-to-stay': runs(
      'onbeforeunload = (event) => event.preventDefault(); setInterval(() => { location = "?" + Math.random(); });',
    ),
    '/chain': (request) => {
      const rest = Number(new URL(request.url).searchParams.get('rest'));
      return rest === 0 ? htmlResponse(page()) : redirect(`/chain?rest=${rest - 1}`)();
    },
    '/script-chain': (request) => {
      const rest = Number(new URL(request.url).searchParams.get('rest'));
      return htmlResponse(
        rest === 0 ? page() : runs(`location.replace("/script-chain?rest=${rest - 1}");`),
      );
    },
    '/pushes': runs(
      'setInterval(() => { for (let i = 0; i < 50; i += 1) history.pushState(0, "", "?" + Math.random()); });',
    ),
    '/blob': afterLoad('location = URL.createObjectURL(new Blob(["b"], { type: "text/html" }));'),
    '/blank': afterLoad('open("about:blank", "_self");'),
    '/socket': afterLoad('location = "ws://127.0.0.1/";'),
    '/javascript': afterLoad('location = "javascript:\'<p>b</p>\'";'),
    '/to-ftp': redirect('ftp://127.0.0.1/'),
    '/to-data': redirect('data:text/html,b'),
    '/to-javascript': redirect('javascript:1'),
    '/to-chrome': redirect('chrome://crash'),
    '/to-file': redirect('file:///etc/passwd'),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

describe('a page stays where it is when it goes to and opens', () => {
  test.concurrent.each(Object.keys(refused))(
    '%s',
    async (name) => {
      const { finalUrl, violations, warnings } = await stage.scan(`${pages.origin}/${name}`);
      expect(finalUrl).toBe(`${pages.origin}/${name}`);
      expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
      expect(warnings).toEqual([]);
    },
    scanTimeoutMs,
  );
});

describe('only web pages are scanned:', () => {
  test.concurrent.each([
    ['/blob', 'The page went to blob:'],
    ['/blank', 'The page went to about:blank, which no web server answers.'],
    ['/socket', 'The page went to ws://127.0.0.1/, which no web server answers.'],
    ['/to-ftp', 'The page went to ftp://127.0.0.1/, which no web server answers.'],
    ['/to-data', 'it leads to an address that is none of http or https (ERR_UNSAFE_REDIRECT).'],
    ['/to-chrome', 'it leads to an address that is none of http or https (ERR_UNSAFE_REDIRECT).'],
    ['/to-file', 'it leads to an address that is none of http or https (ERR_UNSAFE_REDIRECT).'],
    ['/to-javascript', '/to-javascript answered without a document.'],
  ])(
    '%s',
    async (path, sentence) => {
      const { code, message } = await stage.fail(pages.origin + path);
      expect(code).toBe('not-html');
      expect(message).toContain(sentence);
    },
    scanTimeoutMs,
  );
});

describe('too-many-redirects is what ends a page that', () => {
  test.concurrent.each([
    ['replaces itself', '/replaces'],
    ['reloads itself', '/reloads'],
    ['refreshes itself by a field', '/refreshes-by-field'],
    ['goes away without end and asks whether to stay', '/wants-to-stay'],
    ['comes after 41 others', '/script-chain?rest=41'],
    ['comes after 20 redirects', '/chain?rest=20'],
  ])(
    '%s',
    async (_, path) => {
      expect((await stage.fail(pages.origin + path)).code).toBe('too-many-redirects');
    },
    scanTimeoutMs,
  );
});

test.concurrent.each(['/chain?rest=19', '/script-chain?rest=39'])(
  '%s is not too far to go',
  async (path) => {
    const { finalUrl } = await stage.scan(pages.origin + path);
    expect(finalUrl).toBe(`${pages.origin}${path.replace(/\d+$/, '0')}`);
  },
  scanTimeoutMs,
);

test.concurrent(
  'a page that writes history without end is held back as in any Chrome, and scanned',
  async () => {
    const { violations, warnings } = await stage.scan(`${pages.origin}/pushes`);
    expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
    expect(warnings).toEqual([]);
  },
  scanTimeoutMs,
);

test.concurrent(
  'what a javascript: URL makes of a page is scanned',
  async () => {
    const { finalUrl, violations } = await stage.scan(`${pages.origin}/javascript`);
    expect(finalUrl).toBe(`${pages.origin}/javascript`);
    expect(countsOf(violations)).toEqual({ 'document-title': 1, 'html-has-lang': 1 });
  },
  scanTimeoutMs,
);
