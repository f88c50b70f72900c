import type { TCPSocketListener } from 'bun';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  htmlResponse,
  page,
  type PageServer,
  servePages,
  silence,
} from '../support/page-server.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const redirect = (location: string, status: number) => () =>
  new Response(null, { status, headers: { location } });
const runs = (script: string) => page(`<script>${script}</script>`);

let stage: BrowserStage;
let pages: PageServer;
/** At an address that is not among the allowed ones. */
let forbidden: TCPSocketListener;
let connectionCount = 0;
beforeAll(async () => {
  stage = await startBrowserStage({ allowNetworks: ['127.0.0.1/32', '::1/128'] });
  forbidden = Bun.listen({
    port: 0,
    hostname: '127.0.0.2',
    socket: { open: () => void (connectionCount += 1), data: () => {} },
  });
  const inside = `http://127.0.0.2:${forbidden.port}`;
  pages = servePages(({ otherOrigin }) => ({
    '/end': page(),
    '/chain': redirect('/chain/2', 301),
    '/chain/2': redirect(`${otherOrigin}/chain/3`, 302),
    '/chain/3': redirect('/chain/4', 303),
    '/chain/4': redirect('/chain/5', 307),
    '/chain/5': redirect('/end?x=1#part', 308),
    '/circle': redirect('/circle', 302),
    '/meta-refresh': page('', '<meta http-equiv="refresh" content="0; url=/end">'),
    '/refresh-header': () => htmlResponse(page(), { refresh: '0; url=/end' }),
    '/late-meta-refresh': page('', '<meta http-equiv="refresh" content="2; url=/end">'),
    '/late-refresh-header': () => htmlResponse(page(), { refresh: '3; url=/end' }),
    '/much-later': page('', '<meta http-equiv="refresh" content="4; url=/end">'),
    '/refreshing': page('', '<meta http-equiv="refresh" content="2">'),
    '/while-parsing': runs('location = "/end"'),
    '/on-load': runs('onload = () => { location = "/end"; }'),
    '/twice': runs('onload = () => location.replace("/on-load")'),
    '/form': page('<form action="/end"></form><script>document.forms[0].submit()</script>'),
    // Goes on while axe waits for what it wants to know of the sound.
    '/restless': page(
      '<audio autoplay src="/silence"></audio><script>setTimeout(() => location.reload(), 1_500);</script>',
    ),
    '/silence': silence,
    '/replacing-itself': runs('location.replace("?" + Math.random())'),
    '/restless-by-time': (request) => {
      const delayMs = new URL(request.url).searchParams.get('ms');
      return htmlResponse(runs(`onload = () => setTimeout(() => location.reload(), ${delayMs})`));
    },
    '/to-forbidden': (request) =>
      redirect(`${inside}/${new URL(request.url).searchParams.get('path')}`, 302)(),
    '/script-to-forbidden': runs(`onload = () => { location = "${inside}/page"; }`),
    '/through-forbidden': redirect(`${inside}/back`, 302),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  forbidden.stop(true);
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

test.concurrent(
  'a chain of redirects over two sites is followed, and finalUrl is its end',
  async () => {
    const { url, finalUrl } = await stage.scan(`${pages.origin}/chain`);
    expect(url).toBe(`${pages.origin}/chain`);
    expect(finalUrl).toBe(`${pages.otherOrigin}/end?x=1`);
  },
  scanTimeoutMs,
);

test.concurrent.each([
  '/meta-refresh',
  '/refresh-header',
  '/late-meta-refresh',
  '/late-refresh-header',
  '/while-parsing',
  '/on-load',
  '/twice',
  '/form',
])(
  'the page that %s goes on to is the one that is scanned',
  async (path) => {
    const { url, finalUrl, warnings } = await stage.scan(pages.origin + path);
    expect(url).toBe(pages.origin + path);
    expect(finalUrl.replace(/\?$/, '')).toBe(`${pages.origin}/end`);
    expect(warnings).toEqual([]);
  },
  scanTimeoutMs,
);

test.concurrent.each(['/much-later', '/refreshing'])(
  'the page that %s refreshes is scanned as it is',
  async (path) => {
    const { finalUrl, warnings } = await stage.scan(pages.origin + path);
    expect(finalUrl).toBe(pages.origin + path);
    expect(warnings).toEqual([]);
  },
  scanTimeoutMs,
);

test.concurrent(
  'redirects in a circle give too-many-redirects',
  async () => {
    const { code, message } = await stage.fail(`${pages.origin}/circle`);
    expect(code).toBe('too-many-redirects');
    expect(message).toContain(`${pages.origin}/circle could not be loaded`);
  },
  scanTimeoutMs,
);

test.concurrent(
  'a page that never stays gives no report',
  async () => {
    const { code } = await stage.fail(`${pages.origin}/restless`);
    expect(code).toBe('page-unstable');
    expect(pages.requests.filter(({ url }) => url.endsWith('/restless'))).toHaveLength(4);
  },
  scanTimeoutMs,
);

test.concurrent(
  'a page that leaves just when it seems to have settled is no fault of the service',
  async () => {
    const scans = Array.from({ length: 6 }, (_, index) =>
      stage.scan(`${pages.origin}/restless-by-time?ms=${285 + 10 * index}`),
    );
    for (const outcome of await Promise.allSettled(scans)) {
      if (outcome.status === 'rejected') expect(outcome.reason.code).not.toBe('scan-failed');
    }
  },
  scanTimeoutMs,
);

test(
  'a page that goes on and on when the time for loading is over is no fault of the service',
  async () => {
    await using impatient = await startBrowserStage({ navigationTimeoutMs: 300 });
    const scans = Array.from({ length: 6 }, () =>
      impatient.scan(`${pages.origin}/replacing-itself`),
    );
    for (const outcome of await Promise.allSettled(scans)) {
      if (outcome.status === 'rejected') expect(outcome.reason.code).not.toBe('scan-failed');
    }
  },
  scanTimeoutMs,
);

describe('a forbidden address', () => {
  test.concurrent.each(['page', 'other'])(
    'that a redirect leads to is unreachable: /%s',
    async (path) => {
      const { code, message } = await stage.fail(`${pages.origin}/to-forbidden?path=${path}`);
      expect(code).toBe('address-unreachable');
      expect(message).toBe(
        `http://127.0.0.2:${forbidden.port}/${path} could not be loaded: it could not be reached. Check that the address is public and that the site is up.`,
      );
    },
    scanTimeoutMs,
  );

  test.concurrent.each(['/script-to-forbidden', '/through-forbidden'])(
    'on the way of %s is enough to refuse the page',
    async (path) => {
      expect((await stage.fail(pages.origin + path)).code).toBe('address-unreachable');
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'is not even asked when it is the URL itself',
    async () => {
      const { code } = await stage.fail(`http://127.0.0.2:${forbidden.port}/page`);
      expect(code).toBe('address-unreachable');
    },
    scanTimeoutMs,
  );

  test('gets no connection', () => {
    expect(connectionCount).toBe(0);
  });
});
