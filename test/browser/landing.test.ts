import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  closedPort,
  htmlResponse,
  page,
  type PageServer,
  serveBytes,
  servePages,
} from '../support/page-server.ts';
import { type BrowserStage, countsOf, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const typed =
  (type: string, body: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(new TextEncoder().encode(body), { headers: { 'content-type': type, ...headers } });
/** Goes on when the page has loaded, as scripts do. */
const goTo = (target: string) => page(`<script>onload = () => { location = ${target}; };</script>`);
const asData = (html: string) =>
  `URL.createObjectURL(new Blob(['${html}'], { type: 'text/html' }))`;

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage();
  pages = servePages(() => ({
    '/json': () => Response.json({}),
    '/text': typed('text/plain', '<!doctype html><p>Not HTML</p>'),
    '/pdf': typed('application/pdf', '%PDF-1.4'),
    '/image': typed('image/png', ''),
    '/drawing': typed('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    '/feed': typed('text/xml', '<a/>'),
    '/bytes': typed('application/octet-stream', page()),
    '/download': typed('text/html', page(), {
      'content-disposition': 'attachment; filename=a.html',
    }),
    '/204': () => new Response(null, { status: 204 }),
    '/empty': typed('', ''),
    '/empty-html': typed('text/html', ''),
    '/xhtml': typed(
      'application/xhtml+xml',
      '<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>A page</title></head><body><main><img src="data:,"/></main></body></html>',
    ),
    '/status': (request) => {
      const query = new URL(request.url).searchParams;
      return new Response(query.has('empty') ? null : page(), {
        status: Number(query.get('code')),
        headers: { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="members"' },
      });
    },
    '/inline': () => htmlResponse(page(), { 'content-disposition': 'inline' }),
    '/to-404': goTo('"/status?code=404"'),
    '/to-empty-404': goTo('"/status?code=404&empty"'),
    '/to-401': goTo('"/status?code=401"'),
    '/to-json': goTo('"/json"'),
    '/to-refused': goTo(`"http://127.0.0.1:${closedPort()}/"`),
    '/to-unknown-host': goTo(`"http://${'x'.repeat(64)}.test/"`),
    '/to-blank': goTo('"about:blank"'),
    '/to-blob': goTo(asData('<h1>Made up</h1>')),
    '/to-download': goTo('"/download"'),
    '/to-204': goTo('"/204"'),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

test.concurrent.each([
  ['/json', 'application/json'],
  ['/text', 'text/plain'],
  ['/pdf', 'application/pdf'],
  ['/image', 'image/png'],
  ['/drawing', 'image/svg+xml'],
  ['/feed', 'text/xml'],
  ['/bytes', 'application/octet-stream'],
  ['/download', 'a download'],
  ['/204', '204'],
  ['/empty', 'text/plain'],
  ['/to-json', 'application/json'],
  ['/to-blank', 'about:blank'],
  ['/to-blob', 'blob:'],
])(
  '%s is no HTML page, and the message says what it is',
  async (path, answer) => {
    const { code, message } = await stage.fail(pages.origin + path);
    expect(code).toBe('not-html');
    expect(message).toContain(answer);
  },
  scanTimeoutMs,
);

test.concurrent.each([
  ['an empty HTML document', '/empty-html', { 'document-title': 1, 'html-has-lang': 1 }],
  ['XHTML', '/xhtml', { 'image-alt': 1 }],
  ['a document that is explicitly not a download', '/inline', {}],
  ['a page that offers a download when it has loaded', '/to-download', {}],
  ['a page that goes on to an answer without content', '/to-204', {}],
])(
  '%s is scanned',
  async (_, path, counts) => {
    const { finalUrl, violations, warnings } = await stage.scan(pages.origin + path);
    expect(countsOf(violations)).toEqual(counts);
    expect({ finalUrl, warnings }).toEqual({ finalUrl: pages.origin + path, warnings: [] });
  },
  scanTimeoutMs,
);

test.concurrent(
  'HTML without a content type is scanned, as a browser shows it',
  async () => {
    using server = serveBytes({ bytes: `HTTP/1.1 200 OK\r\n\r\n${page('<button></button>')}` });
    const { violations } = await stage.scan(server.origin);
    expect(countsOf(violations)).toEqual({ 'button-name': 1 });
  },
  scanTimeoutMs,
);

test.concurrent.each([
  ['?code=400', '400 Bad Request'],
  ['?code=401', '401 Unauthorized'],
  ['?code=403', '403 Forbidden'],
  ['?code=404', '404 Not Found'],
  ['?code=404&empty', '404 Not Found'],
  ['?code=410', '410 Gone'],
  ['?code=429', '429 Too Many Requests'],
  ['?code=500', '500 Internal Server Error'],
  ['?code=503&empty', '503 Service Unavailable'],
])(
  'an answer with %s gives error-status',
  async (query, line) => {
    const { code, message } = await stage.fail(`${pages.origin}/status${query}`);
    expect(code).toBe('error-status');
    expect(message).toContain(`${pages.origin}/status${query} answered ${line}`);
  },
  scanTimeoutMs,
);

test.concurrent.each([200, 203, 299])(
  'a page with status %i is scanned',
  async (status) => {
    const { violations } = await stage.scan(`${pages.origin}/status?code=${status}`);
    expect(violations).toEqual([]);
  },
  scanTimeoutMs,
);

test.concurrent.each([
  ['/to-404', 'error-status', '/status?code=404 answered 404 Not Found'],
  ['/to-empty-404', 'error-status', '/status?code=404&empty answered 404 Not Found'],
  ['/to-401', 'error-status', '/status?code=401 answered 401 Unauthorized'],
  ['/to-refused', 'connection-refused', 'it refused the connection'],
  ['/to-unknown-host', 'dns-not-found', 'its name does not resolve'],
])(
  'a page whose script goes to an error is not scanned: %s gives %s',
  async (path, code, text) => {
    const failure = await stage.fail(pages.origin + path);
    expect(failure.code).toBe(code as typeof failure.code);
    expect(failure.message).toContain(text);
  },
  scanTimeoutMs,
);
