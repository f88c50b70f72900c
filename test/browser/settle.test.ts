import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  htmlResponse,
  page,
  type PageServer,
  servePages,
  silence,
} from '../support/page-server.ts';
import { type BrowserStage, countsOf, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const warning =
  'The page was still loading or changing when it was scanned, so parts may be missing.';
const runs = (script: string, head = '') => page(`<script>${script}</script>`, head);
const addImage = 'document.querySelector("main").append(document.createElement("img"))';
/** The same, with what comes before a request that has no end would be given up. */
const runsUnheeded = (source: string, head = '') =>
  runs(`${source}; setTimeout(() => { ${addImage}; }, 3_500)`, head);
const script = (source: string) =>
  new Response(source, { headers: { 'content-type': 'text/javascript' } });
/** A page that is sent in part and never ends. */
const endless = (start: string) => () =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
    }),
    { headers: { 'content-type': 'text/html' } },
  );

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage({ navigationTimeoutMs: 4_000, maxConcurrentScans: 8 });
  pages = servePages(({ otherOrigin }) => ({
    '/at-once': page('<img src="data:,">'),
    '/late': runs(`onload = async () => { await fetch("/answer-later"); ${addImage}; }`),
    '/late-twice': runs(
      `onload = async () => { await fetch("/answer-soon"); await fetch("/answer-soon"); ${addImage}; }`,
    ),
    '/late-script': page('', `<script src="/script-later" async></script>`),
    '/script-later': async () => {
      await Bun.sleep(1_000);
      return script(addImage);
    },
    '/answer-soon': () => Bun.sleep(300).then(() => new Response('')),
    '/answer-later': () => Bun.sleep(1_500).then(() => new Response('')),
    '/growing': runs(
      `let rest = 8; const timer = setInterval(() => { document.querySelector("main").append("."); if (--rest === 0) { clearInterval(timer); ${addImage}; } }, 150);`,
    ),
    '/ticking': page(
      '<p id="clock"></p><script>setInterval(() => { clock.textContent = performance.now(); }, 50)</script>',
    ),
    '/animated': runs(
      'requestAnimationFrame(function turn(now) { document.body.style.top = `${now % 9}px`; requestAnimationFrame(turn); })',
    ),
    // Each step of it needs a frame that is painted.
    '/painted': runs(`requestAnimationFrame(() => requestAnimationFrame(() => { ${addImage}; }))`),
    '/in-view': page(
      `<p id="end">The end</p><script>new IntersectionObserver(([seen]) => { if (seen.isIntersecting) ${addImage}; }).observe(end)</script>`,
    ),
    '/event-stream': runs('new EventSource("/silence")'),
    '/hanging-image': page('<img alt="" src="/silence">'),
    '/hanging-poll': runs('fetch("/silence")'),
    '/hanging-async-script': page('', '<script async src="/silence"></script>'),
    '/restless': runs('onload = async () => { for (;;) await fetch("/answer-soon"); }'),
    '/endless': endless(page('<img src="data:,">').replace('</body></html>', '')),
    '/endless-head': endless('<!doctype html><html lang="en"><head><title>A page</title>'),
    '/hanging-script': page('<img src="data:,"><script src="/silence"></script><button></button>'),
    '/busy': runs('onload = () => setTimeout(() => { for (;;); });'),
    '/to-silence': runs(`${addImage}; onload = () => { location = "${otherOrigin}/silence"; }`),
    '/shared-worker': runsUnheeded('new SharedWorker("/worker")'),
    '/ended-worker': runsUnheeded('new Worker("/worker").terminate()'),
    '/ended-own-worker': runsUnheeded(
      'new Worker(URL.createObjectURL(new Blob([""]))).terminate()',
    ),
    '/ended-asking-worker': runsUnheeded(
      'const worker = new Worker("/asking-worker"); worker.onmessage = () => worker.terminate()',
    ),
    '/prefetching': runsUnheeded('', '<link rel="prefetch" href="/silence">'),
    '/speculating': runsUnheeded(
      '',
      '<script type="speculationrules">{ "prefetch": [{ "urls": ["/silence"] }] }</script>',
    ),
    '/worker': () => script(''),
    '/asking-worker': () => script('fetch("/silence"); postMessage("asked")'),
    '/leaves-requests': runs('fetch("/silence"); onload = () => { location = "/at-once"; }'),
    '/silence': silence,
    '/fonts': () =>
      htmlResponse(
        page(
          '<p style="font-family: Late">Text</p>',
          '<style>@font-face { font-family: Late; src: url("/font"); }</style>',
        ),
      ),
    '/hanging-font': page(
      `<p style="font-family: Never">Text</p><script>setTimeout(() => { ${addImage}; }, 8_000)</script>`,
      '<style>@font-face { font-family: Never; src: url("/silence"); }</style>',
    ),
    '/font': () => Bun.sleep(1_000).then(() => new Response('', { status: 404 })),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

async function scan(path: string) {
  const { violations, warnings, finalUrl } = await stage.scan(pages.origin + path);
  expect(finalUrl).toStartWith(pages.origin);
  return {
    counts: countsOf(violations),
    warnings,
    finalPath: finalUrl.slice(pages.origin.length),
  };
}

describe('what a page shows late is scanned', () => {
  test.concurrent.each([
    ['when it is fetched after the page has loaded', '/late'],
    ['when one answer asks for the next', '/late-twice'],
    ['when a script comes late', '/late-script'],
    ['when it is added bit by bit', '/growing'],
    ['when it is added in an animation frame', '/painted'],
    ['when it is added to what is in view', '/in-view'],
  ])(
    '%s',
    async (_, path) => {
      const counts = { 'image-alt': 1 };
      expect(await scan(path)).toEqual({ counts, warnings: [], finalPath: path });
    },
    scanTimeoutMs,
  );
});

describe('a page is not waited for', () => {
  test.concurrent.each([
    ['for its clock', '/ticking'],
    ['for its animation', '/animated'],
    ['for an event stream', '/event-stream'],
    ['for a font that does not come', '/fonts'],
    ['for one that never comes', '/hanging-font'],
    ['for an image that never comes', '/hanging-image'],
    ['for an answer that never comes', '/hanging-poll'],
    ['for an asynchronous script that never comes', '/hanging-async-script'],
    ['for a page that may be visited next', '/prefetching'],
    ['for one that its speculation rules name', '/speculating'],
    ['for a shared worker', '/shared-worker'],
    ['for a worker that is ended before its script has come', '/ended-worker'],
    ['for one that is ended before its script was read', '/ended-own-worker'],
    ['for what a worker has asked for that is ended', '/ended-asking-worker'],
  ])(
    '%s',
    async (_, path) => {
      expect(await scan(path)).toEqual({ counts: {}, warnings: [], finalPath: path });
    },
    scanTimeoutMs,
  );
});

describe('a page that does not come to an end is scanned as it is, with a warning:', () => {
  test.concurrent.each([
    ['one that keeps loading', '/restless', {}],
    ['one that is never sent whole', '/endless', { 'image-alt': 1 }],
    ['one that ends in its head', '/endless-head', {}],
    ['one that waits for a script', '/hanging-script', { 'image-alt': 1 }],
    ['one that goes on to a page that never answers', '/to-silence', { 'image-alt': 1 }],
  ])(
    '%s',
    async (_, path, counts) => {
      expect(await scan(path)).toEqual({ counts, warnings: [warning], finalPath: path });
    },
    scanTimeoutMs,
  );
});

test.concurrent(
  'a page that answers nothing for so long never will',
  async () => {
    const { code, message } = await stage.fail(`${pages.origin}/busy`);
    expect(code).toBe('page-unresponsive');
    expect(message).toStartWith(`${pages.origin}/busy answered, but kept the browser busy`);
  },
  scanTimeoutMs,
);

test(
  'a page is not waited for on account of what the page before it was loading',
  async () => {
    const startedAt = performance.now();
    const { finalPath, counts } = await scan('/leaves-requests');
    expect(performance.now() - startedAt).toBeLessThan(3_500);
    expect({ finalPath, counts }).toEqual({ finalPath: '/at-once', counts: { 'image-alt': 1 } });
  },
  scanTimeoutMs,
);
