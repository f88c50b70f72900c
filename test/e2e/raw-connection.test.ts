import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServerProcess, startServer } from '../support/server-process.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ DATABASE_PATH: ':memory:', RATE_LIMIT_GET: '100/1h' });
}, 30_000);
afterAll(() => server[Symbol.asyncDispose]());

/** Sends the bytes as they are, and waits until the server has closed the connection. */
async function exchange(bytes: string): Promise<string> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let answer = '';
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(server.url).port),
    socket: {
      data: (_, chunk) => void (answer += chunk.toString()),
      close: () => resolve(),
    },
  });
  socket.write(bytes);
  await closed;
  return answer;
}

const getWith = (target: string, host: string) =>
  exchange(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
const remainingIn = (answer: string) => Number(/^ratelimit-remaining: (\d+)/im.exec(answer)?.[1]);

test.each(['a', 'localhost', '[', 'a b', '', '%', 'x'.repeat(4_000)])(
  'a scan is counted whatever Host it names (%#)',
  async (host) => {
    const before = remainingIn(await getWith('/api/v1/scan?url=x', 'localhost'));
    const answer = await getWith('/api/v1/scan?url=x', host);
    expect(answer).toStartWith('HTTP/1.1 400');
    expect(answer).toContain('"code":"invalid-url"');
    expect(remainingIn(answer)).toBe(before - 1);
  },
);

test('a path that only ends like that of a scan is none, however short the Host', async () => {
  for (const target of ['/xx/api/v1/scan?url=x', '/x/api/v1/scan?url=x', '//api/v1/scan?url=x']) {
    expect(await getWith(target, 'a')).toStartWith('HTTP/1.1 404');
  }
});

test.each([
  ['a line break in a field', 'X-A: a\rb'],
  ['a bare line feed', 'X-A: a\nSet-Cookie: b'],
  ['NUL in a field', 'X-A: a\0b'],
  ['a space before a field', ' X-A: a'],
  ['a length that is none', 'Content-Length: abc'],
  ['two lengths', 'Content-Length: 1\r\nTransfer-Encoding: chunked'],
])('a head with %s is refused before anything is read of it', async (_, field) => {
  const answer = await exchange(`GET /livez HTTP/1.1\r\nHost: localhost\r\n${field}\r\n\r\n`);
  expect(answer).toStartWith('HTTP/1.1 400');
  expect(answer).not.toContain('Set-Cookie');
});

test.each([
  [16_000, '200'],
  [17_000, '431'],
])('a head may have 16 KiB: %d bytes', async (bytes, status) => {
  const head = `GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-A: `;
  expect(await exchange(`${head.padEnd(bytes, 'a')}\r\n\r\n`)).toStartWith(`HTTP/1.1 ${status}`);
});

test('a client that breaks off in its body is no fault of the service', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(server.url).port),
    socket: { data: () => {}, close: () => resolve() },
  });
  socket.write(
    'POST /api/v1/scan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"url":',
  );
  await fetch(`${server.url}/livez`);
  socket.terminate();
  await closed;
  await fetch(`${server.url}/livez`);
  await exchange('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(server.logLines().filter(({ level }) => level === 'error')).toEqual([]);
});

test('a request without a Host gets problem details', async () => {
  const answer = await exchange('GET /api/v1/scan HTTP/1.0\r\n\r\n');
  expect(answer).toStartWith('HTTP/1.1 400');
  expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
});

test('a body of any announced size gets problem details', async () => {
  const length = 1_000_000_000_000;
  const answer = await exchange(
    `POST /api/v1/scan HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${'a'.repeat(65_537)}`,
  );
  expect(answer).toStartWith('HTTP/1.1 400');
  expect(answer).toContain('"code":"invalid-body"');
  expect(answer.toLowerCase()).toContain('access-control-allow-origin: *');
});

test.each([
  ['head', 'GET /api/v1/scan HTTP/1.1\r\nHost: local'],
  ['body', 'POST /api/v1/scan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"url":'],
])(
  'a client that never finishes its %s does not hold up the end',
  async (_, bytes) => {
    await using other = await startServer({ DATABASE_PATH: ':memory:' });
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(other.url).port),
      socket: { data: () => {}, close: () => resolve() },
    });
    socket.write(bytes);
    // Until it has come to the server.
    await fetch(`${other.url}/livez`);
    expect(await other.stop('SIGTERM')).toBe(0);
    await closed;
  },
  20_000,
);
