import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  closedPort,
  page,
  type PageServer,
  serveBytes,
  servePages,
  silence,
} from '../support/page-server.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const tlsFixture = (name: string) =>
  Bun.file(new URL(`../fixtures/tls/self-signed.${name}`, import.meta.url));
/** Longer than a label may be, so that no resolver is asked. */
const unknownHost = `${'x'.repeat(64)}.test`;
const navigationTimeoutMs = 2_000;

let stage: BrowserStage;
let pages: PageServer;
let tlsPages: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  stage = await startBrowserStage({ navigationTimeoutMs });
  pages = servePages(() => ({
    '/': page(),
    '/missing': () => new Response('', { status: 404 }),
    '/silence': silence,
    '/no-document': () => {
      const start = (controller: ReadableStreamDefaultController) => controller.enqueue('<!-- ');
      return new Response(new ReadableStream({ start }), {
        headers: { 'content-type': 'text/html' },
      });
    },
    '/to-silence': () => new Response(null, { status: 302, headers: { location: '/silence' } }),
  }));
  tlsPages = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { key: tlsFixture('key'), cert: tlsFixture('crt') },
    fetch: () => new Response(page(), { headers: { 'content-type': 'text/html' } }),
  });
}, scanTimeoutMs);
afterAll(async () => {
  await tlsPages.stop(true);
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const refused = () => `http://127.0.0.1:${closedPort()}/`;

test.concurrent(
  'a port where nothing listens gives connection-refused',
  async () => {
    const url = refused();
    const { code, message } = await stage.fail(url);
    expect(code).toBe('connection-refused');
    expect(message).toBe(
      `${url} could not be loaded: it refused the connection. Check that the server is running and which port it listens on.`,
    );
  },
  scanTimeoutMs,
);

test.concurrent(
  'an answer that stops before there is anything of a document gives connection-timed-out',
  async () => {
    const { code, message } = await stage.fail(`${pages.origin}/no-document`);
    expect(code).toBe('connection-timed-out');
    expect(message).toContain('/no-document could not be loaded: it did not answer in time.');
  },
  scanTimeoutMs,
);

test.concurrent(
  'a name that does not resolve gives dns-not-found',
  async () => {
    const { code, message } = await stage.fail(`http://${unknownHost}/`);
    expect(code).toBe('dns-not-found');
    expect(message).toBe(
      `http://${unknownHost}/ could not be loaded: its name does not resolve. Check its spelling and its DNS records.`,
    );
  },
  scanTimeoutMs,
);

test.concurrent(
  'a certificate that nobody has signed gives tls-failed',
  async () => {
    const { code, message } = await stage.fail(`https://127.0.0.1:${tlsPages.port}/`);
    expect(code).toBe('tls-failed');
    expect(message).toContain('(ERR_CERT_AUTHORITY_INVALID)');
  },
  scanTimeoutMs,
);

test.concurrent(
  'https where only http is spoken gives tls-failed',
  async () => {
    const { code, message } = await stage.fail(pages.origin.replace('http:', 'https:'));
    expect(code).toBe('tls-failed');
    expect(message).toContain('(ERR_SSL_PROTOCOL_ERROR)');
  },
  scanTimeoutMs,
);

test.concurrent.each([
  ['a connection that is reset', 'reset', 'ERR_EMPTY_RESPONSE'],
  ['an empty answer', { bytes: '' }, 'ERR_EMPTY_RESPONSE'],
  ['an answer that is not HTTP', { bytes: 'SSH-2.0-X\r\n' }, 'ERR_INVALID_HTTP_RESPONSE'],
  [
    'an answer with two lengths',
    { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab' },
    'ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH',
  ],
] as const)(
  '%s gives connection-reset',
  async (_, answer, reason) => {
    using server = serveBytes(answer);
    const { code, message } = await stage.fail(server.origin);
    expect(code).toBe('connection-reset');
    expect(message).toContain(`(${reason})`);
  },
  scanTimeoutMs,
);

test.concurrent(
  'an answer that breaks off in the middle of the page is scanned as far as it came',
  async () => {
    using server = serveBytes({
      bytes: `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999\r\n\r\n${page('<button></button>')}`,
      // Chromium drops what it has not parsed by then.
      endAfterMs: 1_000,
    });
    const { violations } = await stage.scan(server.origin);
    expect(violations.map(({ id }) => id)).toEqual(['button-name']);
  },
  scanTimeoutMs,
);

test.concurrent(
  'a server that accepts and says nothing gives connection-timed-out',
  async () => {
    using server = serveBytes('silence');
    expect((await stage.fail(server.origin)).code).toBe('connection-timed-out');
    expect((await stage.fail(`${pages.origin}/to-silence`)).code).toBe('connection-timed-out');
  },
  scanTimeoutMs,
);

describe('of a bare domain, whose candidates are https and then http,', () => {
  const second = () => `${pages.origin}/`;

  test.concurrent.each([
    ['refuses the connection', refused],
    ['has no valid certificate', () => `https://127.0.0.1:${tlsPages.port}/`],
    ['does not speak TLS', () => pages.origin.replace('http:', 'https:')],
    ['is not at a public address', () => 'https://10.0.0.1/'],
  ])(
    'the second is scanned when the first %s',
    async (_, first) => {
      const { url, finalUrl } = await stage.scan([first(), second()]);
      expect({ url, finalUrl }).toEqual({ url: second(), finalUrl: second() });
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'the second is scanned when the first has not answered in half the time',
    async () => {
      using server = serveBytes('silence');
      const startedAt = performance.now();
      const { url } = await stage.scan([server.origin, second()]);
      expect(url).toBe(second());
      expect(performance.now() - startedAt).toBeGreaterThan(navigationTimeoutMs / 2);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'the first is scanned when it answers, and the second is not asked',
    async () => {
      await using other = servePages(() => ({ '/': page() }));
      const { url } = await stage.scan([second(), `${other.origin}/`]);
      expect(url).toBe(second());
      expect(other.requests).toEqual([]);
    },
    scanTimeoutMs,
  );

  test.concurrent.each([
    ['does not resolve', 'dns-not-found', () => `https://${unknownHost}/`],
    ['answers with an error', 'error-status', () => `${pages.origin}/missing`],
  ])(
    'the second is not tried when the first %s',
    async (_, code, first) => {
      await using other = servePages(() => ({ '/': page() }));
      const failure = await stage.fail([first(), `${other.origin}/`]);
      expect(failure.code).toBe(code as typeof failure.code);
      expect(other.requests).toEqual([]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'the failure is that of the first when neither can be reached',
    async () => {
      const https = `https://127.0.0.1:${tlsPages.port}/`;
      const failure = await stage.fail([https, refused()]);
      expect(failure.code).toBe('tls-failed');
      expect(failure.message).toStartWith(https);
    },
    scanTimeoutMs,
  );
});
