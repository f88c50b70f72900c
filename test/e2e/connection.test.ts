import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { until } from '../support/test-app.ts';

let pages: ReturnType<typeof Bun.serve>;
let server: ServerProcess;
const held = Promise.withResolvers<Response>();

beforeAll(async () => {
  pages = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: ({ url }) => (url.endsWith('/held') ? held.promise : new Response('no page')),
  });
  server = await startServer({
    DATABASE_PATH: ':memory:',
    TRUSTED_PROXIES: '127.0.0.0/8',
    RATE_LIMIT_GET: '2/1h',
  });
}, 30_000);
afterAll(async () => {
  held.resolve(new Response('late'));
  await server[Symbol.asyncDispose]();
  await pages.stop(true);
});

const scanPath = (path: string) =>
  `/api/v1/scan?url=${encodeURIComponent(`http://127.0.0.1:${pages.port}${path}`)}`;
const codes = () => server.logLines().map(({ code }) => code);

test('a client that closes its connection frees the scan that it alone waited for', async () => {
  const client = new AbortController();
  const answer = fetch(server.url + scanPath('/held'), {
    signal: client.signal,
    headers: { 'x-forwarded-for': '198.51.100.1' },
  });
  answer.catch(() => {});
  await until(() => pages.pendingRequests > 0);
  client.abort();
  await until(() => codes().includes('scan-cancelled'));
  await until(() => pages.pendingRequests === 0);
}, 30_000);

test('behind a trusted proxy each forwarded client has limits of its own', async () => {
  const remaining = async (headers: Record<string, string>) => {
    const response = await fetch(server.url + scanPath('/plain'), { headers });
    await response.text();
    return response.headers.get('ratelimit-remaining');
  };
  expect(await remaining({ 'x-forwarded-for': '203.0.113.1' })).toBe('1');
  expect(await remaining({ 'x-forwarded-for': '203.0.113.1' })).toBe('0');
  expect(await remaining({ 'x-forwarded-for': '203.0.113.2' })).toBe('1');
  expect(await remaining({ 'x-forwarded-for': '192.0.2.9, 203.0.113.2' })).toBe('0');
  expect(await remaining({ forwarded: 'for="[2001:db8:1:2::3]:4711"' })).toBe('1');
  expect(await remaining({ forwarded: 'for="[2001:db8:1:2:ffff::9]"' })).toBe('0');
  expect(await remaining({ forwarded: 'for="[2001:db8:1:3::3]"' })).toBe('1');
}, 30_000);

test('the log names no client', () => {
  expect(JSON.stringify(server.logLines())).not.toMatch(/203\.0\.113|2001:db8|198\.51\.100/);
});

test('a page that embeds the API of this service starts no scan', async () => {
  await using other = await startServer({ DATABASE_PATH: ':memory:' });
  const embedded = `${other.url}/api/v1/scan?url=${encodeURIComponent(`http://127.0.0.1:${pages.port}/`)}`;
  using embedding = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(
        `<!doctype html><html lang="en"><title>Page</title><h1>Page</h1><img alt="" src="${embedded}"><script>fetch("${embedded}")</script>`,
        { headers: { 'content-type': 'text/html' } },
      ),
  });
  const response = await fetch(`${other.url}/api/v1/scan`, {
    method: 'POST',
    body: JSON.stringify({ url: `http://127.0.0.1:${embedding.port}/` }),
  });
  expect(response.status).toBe(200);
  expect(other.logLines().filter(({ message }) => message.startsWith('scan '))).toHaveLength(1);
}, 30_000);
