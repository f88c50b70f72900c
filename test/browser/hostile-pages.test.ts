import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'puppeteer';
import { page, type PageServer, servePages, silence } from '../support/page-server.ts';
import { type BrowserStage, countsOf, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const runs = (script: string) => page(`<img src="data:,"><script>${script}</script>`);

let stage: BrowserStage;
let pages: PageServer;
/** Resolves when the page has come as far as its test wants it. */
let reached = Promise.withResolvers<void>();
beforeAll(async () => {
  stage = await startBrowserStage({ navigationTimeoutMs: 2_000 });
  pages = servePages(() => ({
    '/alert': runs('alert(1); confirm(2); prompt(3);'),
    '/late-alert': runs('onload = () => setTimeout(alert, 50)'),
    '/print': runs('print(); onload = () => print();'),
    '/beforeunload': runs(
      'onbeforeunload = (event) => { event.preventDefault(); return "Stay?"; }; document.body.click();',
    ),
    '/popup': runs('open("/opened"); open("/opened", "_blank", "noopener"); open("about:blank");'),
    '/popups': runs('for (let i = 0; i < 20; i += 1) open("/opened?" + i);'),
    '/opened': runs(
      'alert(1); opener?.alert(2); for (const end = Date.now() + 200; Date.now() < end;);',
    ),
    '/permissions': runs(
      'navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission(); navigator.mediaDevices?.getUserMedia({ video: true });',
    ),
    '/workers': runs(
      'const source = URL.createObjectURL(new Blob(["for (;;);"])); for (let i = 0; i < 2; i += 1) new Worker(source);',
    ),
    '/history': runs('for (let i = 0; i < 300; i += 1) history.pushState(null, "", "?" + i);'),
    '/long-url': runs('history.replaceState(null, "", "?" + "x".repeat(100_000));'),
    '/to-long-404': runs('location = "/missing?" + "x".repeat(10_000);'),
    '/long-ids': runs('document.images[0].id = "x".repeat(1_000_000);'),
    '/full-of-hashes': runs('setInterval(() => { location.hash = Math.random(); }, 20);'),
    '/alert-loop': runs('for (;;) alert(1);'),
    '/loop': runs('for (;;);'),
    '/loop-later': runs('onload = async () => { await fetch("/ready"); for (;;); };'),
    // axe goes up from the field to the form and back to the field.
    '/axe-loop': page(
      '<div><template shadowrootmode="open"><form><label>A <input name="parentNode"></label></form></template></div>',
    ),
    '/busy-after-load': runs('onload = async () => { await fetch("/reached"); for (;;); };'),
    '/never': page('<script src="/silence"></script>'),
    '/silence': () => {
      reached.resolve();
      return silence();
    },
    '/reached': () => {
      reached.resolve();
      return new Response('');
    },
    '/fine': runs(''),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

async function browserOf({ chromium }: BrowserStage): Promise<Browser> {
  await using lease = await chromium.lease();
  return lease.context.browser();
}

/** Crashes the one tab that is open. */
async function crashTab(browser: Browser): Promise<void> {
  const target = browser.targets().find((one) => one.browserContext().id !== undefined);
  const session = await target?.createCDPSession();
  // Nobody is left to answer.
  session?.send('Page.crash').catch(() => {});
}

async function expectUsable(): Promise<void> {
  const { violations } = await stage.scan(`${pages.origin}/fine`);
  expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
  await stage.pool.drop();
  const contexts = (await browserOf(stage)).browserContexts();
  expect(contexts).toHaveLength(1);
}

describe('a page is scanned although it', () => {
  test.concurrent.each([
    ['opens dialogs', '/alert'],
    ['opens a dialog when it has loaded', '/late-alert'],
    ['prints itself', '/print'],
    ['does not want to be left', '/beforeunload'],
    ['opens windows', '/popup'],
    ['opens many windows', '/popups'],
    ['asks for permissions', '/permissions'],
    ['keeps the processor busy beside it', '/workers'],
    ['fills the history', '/history'],
    ['changes its fragment all the time', '/full-of-hashes'],
  ])(
    '%s',
    async (_, path) => {
      const { violations } = await stage.scan(pages.origin + path);
      expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
    },
    scanTimeoutMs,
  );

  test('such pages leave nothing behind', expectUsable, scanTimeoutMs);
});

describe('what a page chose is cut:', () => {
  test.concurrent(
    'its URL, and a warning says so',
    async () => {
      const { finalUrl, warnings } = await stage.scan(`${pages.origin}/long-url`);
      expect(finalUrl).toBe(`${pages.origin}/long-url?`.padEnd(2_047, 'x') + '…');
      expect(warnings).toEqual([
        "The document's URL is longer than 2048 characters: finalUrl is cut.",
      ]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'its ids',
    async () => {
      const [rule] = (await stage.scan(`${pages.origin}/long-ids`)).violations;
      expect(rule?.nodes.map(({ target }) => target)).toEqual([['#'.padEnd(1_000, 'x') + '…']]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'its URL in an error',
    async () => {
      const { message } = await stage.fail(`${pages.origin}/to-long-404`);
      expect(message).toStartWith(`${pages.origin}/missing?xxx`);
      expect(message.length).toBeLessThan(400);
    },
    scanTimeoutMs,
  );
});

describe('a page that never becomes ready, because of', () => {
  test.concurrent.each([
    ['a script that does not end', '/loop'],
    ['dialogs that do not end', '/alert-loop'],
  ])(
    '%s, gives page-unresponsive',
    async (_, path) => {
      const { code, message } = await stage.fail(pages.origin + path);
      expect(code).toBe('page-unresponsive');
      expect(message).toContain('Look for a script that does not end');
    },
    scanTimeoutMs,
  );
});

describe('aborting the signal ends', () => {
  test.each([
    ['a page that hangs after it has loaded', '/busy-after-load'],
    ['a page that is loading', '/never'],
  ])(
    '%s: at once, with the reason, and the browser goes on',
    async (_, path) => {
      const abort = new AbortController();
      const reason = new Error('enough');
      reached = Promise.withResolvers();
      const outcome = stage
        .scan(pages.origin + path, abort.signal)
        .catch((error: unknown) => error);
      await reached.promise;
      const abortedAt = performance.now();
      abort.abort(reason);
      expect(await outcome).toBe(reason);
      expect(performance.now() - abortedAt).toBeLessThan(1_500);
      await expectUsable();
    },
    scanTimeoutMs,
  );

  test(
    'a page on which axe does not come to an end',
    async () => {
      const signal = AbortSignal.timeout(1_500);
      const startedAt = performance.now();
      const outcome = stage.scan(`${pages.origin}/axe-loop`, signal);
      expect(await outcome.catch((error: unknown) => error)).toBe(signal.reason);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
      await expectUsable();
    },
    scanTimeoutMs,
  );

  test(
    'a scan before it has begun',
    async () => {
      const reason = new Error('too late');
      const requestCount = pages.requests.length;
      const outcome = stage.scan(`${pages.origin}/fine`, AbortSignal.abort(reason));
      expect(await outcome.catch((error: unknown) => error)).toBe(reason);
      expect(pages.requests).toHaveLength(requestCount);
    },
    scanTimeoutMs,
  );
});

describe('a page that crashes its tab', () => {
  test(
    'gives page-crashed, and other pages are scanned',
    async () => {
      const browser = await browserOf(stage);
      reached = Promise.withResolvers();
      const outcome = stage.fail(`${pages.origin}/never`);
      await reached.promise;
      await crashTab(browser);
      const { code, message } = await outcome;
      expect(code).toBe('page-crashed');
      expect(message).toContain('crashed the browser tab');
      await expectUsable();
    },
    scanTimeoutMs,
  );
});
