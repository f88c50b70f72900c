import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  htmlResponse,
  page,
  type PageServer,
  servePages,
  serveBytes,
} from '../support/page-server.ts';
import { type BrowserStage, countsOf, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const faulty = page('<img src="data:,">');
const runs = (script: string) => page(`<img src="data:,"><script>${script}</script>`);
const typed = (body: BodyInit, type: string) => () =>
  new Response(body, { headers: { 'content-type': type } });
const xhtml = (image: string) =>
  `<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>A</title></head><body><main>${image}</main></body></html>`;
/** Sends a little all the time, and never ends. */
const stream = (type: string) => () => {
  let timer: ReturnType<typeof setInterval>;
  const body = new ReadableStream({
    start: (controller) => {
      timer = setInterval(() => controller.enqueue(new TextEncoder().encode('data: a\n\n')), 50);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body, { headers: { 'content-type': type } });
};
const answer = (fields: string, body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${fields}\r\n\r\n${body}`;

const needed = [
  'nodeName',
  'nodeType',
  'childNodes',
  'parentNode',
  'getAttribute',
  'hasAttributes',
  'classList',
];

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage();
  pages = servePages(() => ({
    ...Object.fromEntries(
      needed.flatMap((name) => [
        [`/field/${name}`, page(`<form><label>A <input name="${name}"></label></form>`)],
        [`/id/${name}`, page(`<form><label>A <input id="${name}"></label></form>`)],
        [
          `/frame/${name}`,
          page(`<img src="data:,"><iframe title="a" src="/field/${name}"></iframe>`),
        ],
      ]),
    ),
    '/no-clobbering':
      page(`${needed.map((name) => `<input aria-label="A" name="${name}">`).join('')}
      <form>${needed.map((name) => `<input aria-label="A" name="${name}_">`).join('')}</form>`),
    '/utf-16': typed(Buffer.from(`\ufeff${faulty}`, 'utf16le'), 'text/html'),
    '/utf-16-by-field': typed(Buffer.from(faulty, 'utf16le'), 'text/html; charset=utf-16le'),
    '/wrong-charset': typed(Buffer.from(`${faulty}\xe9\xff`, 'latin1'), 'text/html; charset=utf-8'),
    '/unknown-charset': typed(faulty, 'text/html; charset=klingon'),
    '/xhtml': typed(xhtml('<img src="data:,"/>'), 'application/xhtml+xml'),
    '/206': () => new Response(faulty, { status: 206, headers: { 'content-type': 'text/html' } }),
    '/empty': () => htmlResponse(''),
    '/204': () => new Response(null, { status: 204 }),
    '/205': () => new Response(null, { status: 205 }),
    '/304': () => new Response(null, { status: 304 }),
    '/events': stream('text/event-stream'),
    '/log': stream('text/plain'),
    '/written-again': runs(
      `onload = () => setTimeout(() => document.write('<p>b</p><img src="data:,">'))`,
    ),
    '/removed': runs('onload = () => document.documentElement.remove();'),
    '/deep': page(`<img src="data:,">${'<div>'.repeat(3_000)}a${'</div>'.repeat(3_000)}`),
    '/throws': runs('setInterval(() => { Promise.reject(Error()); throw Error(); });'),
    '/fullscreen': runs(
      'setInterval(() => { document.body.requestFullscreen().catch(() => {}); document.body.requestPointerLock(); });',
    ),
    '/closes': runs('close();'),
    '/shares-memory': () =>
      htmlResponse(
        runs(
          'const spin = "onmessage = ({ data }) => { for (;;) Atomics.add(data, 0, 1); }"; new Worker(URL.createObjectURL(new Blob([spin]))).postMessage(new Int32Array(new SharedArrayBuffer(64)));',
        ),
        {
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-embedder-policy': 'require-corp',
        },
      ),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

describe('is scanned as a browser reads it:', () => {
  test.concurrent.each([
    ['/utf-16', { 'image-alt': 1 }],
    ['/utf-16-by-field', { 'image-alt': 1 }],
    ['/wrong-charset', { 'image-alt': 1 }],
    ['/unknown-charset', { 'image-alt': 1 }],
    ['/xhtml', { 'image-alt': 1 }],
    ['/206', { 'image-alt': 1 }],
    ['/empty', { 'document-title': 1, 'html-has-lang': 1 }],
    ['/deep', { 'image-alt': 1 }],
    ['/throws', { 'image-alt': 1 }],
    ['/fullscreen', { 'image-alt': 1 }],
    ['/closes', { 'image-alt': 1 }],
    ['/shares-memory', { 'image-alt': 1 }],
    ['/no-clobbering', {}],
    // The document that it opens is never closed.
    ['/written-again', { 'document-title': 1, 'html-has-lang': 1, 'image-alt': 1 }],
  ])(
    '%s',
    async (path, counts) => {
      const { violations, warnings } = await stage.scan(pages.origin + path);
      expect(countsOf(violations)).toEqual(counts);
      expect(warnings).toEqual([]);
    },
    scanTimeoutMs,
  );
});

describe('is no document:', () => {
  test.concurrent.each([
    ['/204', 'answered 204, without content.'],
    ['/205', 'answered 205, without content.'],
    ['/304', 'answered without a document.'],
    ['/events', 'answered with text/event-stream.'],
    ['/log', 'answered with text/plain.'],
  ])(
    '%s',
    async (path, sentence) => {
      const { code, message } = await stage.fail(pages.origin + path);
      expect(code).toBe('not-html');
      expect(message).toBe(`${pages.origin}${path} ${sentence} Only HTML pages can be scanned.`);
    },
    scanTimeoutMs,
  );
});

describe('a server that breaks off', () => {
  test.concurrent.each([
    ['in the coding', answer('Content-Encoding: gzip', 'not gzip'), 'ERR_CONTENT_DECODING_FAILED'],
    ['in a chunk', answer('Transfer-Encoding: chunked', 'ZZ\r\n'), 'ERR_INVALID_CHUNKED_ENCODING'],
  ])(
    '%s before there is a document gives connection-reset',
    async (_, bytes, reason) => {
      using server = serveBytes({ bytes });
      const { code, message } = await stage.fail(server.origin);
      expect(code).toBe('connection-reset');
      expect(message).toContain(reason);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'later leaves a page that is scanned, with a warning',
    async () => {
      using server = serveBytes({ bytes: answer('Content-Length: 9999', faulty) });
      const { violations, warnings } = await stage.scan(server.origin);
      expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
      expect(warnings).toEqual([
        'The page was still loading or changing when it was scanned, so parts may be missing.',
      ]);
    },
    scanTimeoutMs,
  );
});

describe('a form that hides from axe-core its', () => {
  test.concurrent.each(needed.flatMap((name) => [`field/${name}`, `id/${name}`]))(
    '%s gives dom-clobbered',
    async (path) => {
      const { code, message } = await stage.fail(`${pages.origin}/${path}`);
      expect(code).toBe('dom-clobbered');
      expect(message).toContain(`the name or id ${path.split('/')[1]},`);
    },
    scanTimeoutMs,
  );

  test.concurrent.each(['parentNode', 'childNodes'])(
    '%s costs a page no more than the frame that it is in',
    async (name) => {
      const { violations, warnings } = await stage.scan(`${pages.origin}/frame/${name}`);
      expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
      expect(warnings).toEqual(['1 frame of the page could not be scanned and count for nothing.']);
    },
    scanTimeoutMs,
  );
});

test.concurrent(
  'a page that removes its root gives scan-failed',
  async () => {
    const { code, message } = await stage.fail(`${pages.origin}/removed`);
    expect(code).toBe('scan-failed');
    expect(message).toContain('may hide or remove parts of the DOM');
  },
  scanTimeoutMs,
);
