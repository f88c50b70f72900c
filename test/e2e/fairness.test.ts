import { expect, test } from 'bun:test';
import { page, servePages } from '../support/page-server.ts';
import { startServer } from '../support/server-process.ts';
import { until } from '../support/test-app.ts';

test('without limits too, a client with many scans waiting is refused more and holds up nobody', async () => {
  const held = Promise.withResolvers<Response>();
  const paths = ['a1', 'a2', 'a3', 'a4', 'b1'];
  await using pages = servePages(() => ({
    '/held': () => held.promise,
    ...Object.fromEntries(paths.map((path) => [`/${path}`, page()])),
  }));
  await using server = await startServer({
    DATABASE_PATH: ':memory:',
    TRUSTED_PROXIES: '127.0.0.0/8',
    SCAN_CONCURRENCY: '1',
    MAX_WAITING: '7',
  });
  const start = (client: string, path: string) =>
    fetch(`${server.url}/api/v1/scan`, {
      method: 'POST',
      headers: { 'x-forwarded-for': client },
      body: JSON.stringify({ url: `${pages.origin}/${path}`, async: true }),
    });
  const accepted = async (client: string, path: string): Promise<void> => {
    expect((await start(client, path)).status).toBe(202);
  };
  const visited = () =>
    pages.requests
      .map(({ url }) => new URL(url).pathname.slice(1))
      .filter((it) => /^\w+$/.test(it));

  await accepted('192.0.2.1', 'held');
  await until(() => visited().includes('held'));
  for (const path of ['a1', 'a2', 'a3', 'a4']) await accepted('192.0.2.1', path);
  const refused = await start('192.0.2.1', 'a5');
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'too-many-waiting' });
  await accepted('192.0.2.2', 'b1');

  held.resolve(new Response(page(), { headers: { 'content-type': 'text/html' } }));
  await until(() => visited().includes('a4'));
  expect([...new Set(visited())]).toEqual(['held', 'a1', 'b1', 'a2', 'a3', 'a4']);
}, 60_000);
