import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createAddressPolicy } from '../../src/browser/address-policy.ts';
import { type EgressLimits, EgressProxy } from '../../src/browser/egress-proxy.ts';
import { createLog } from '../../src/log.ts';
import { rulesWith } from '../support/networks.ts';
import { closedPort } from '../support/page-server.ts';
import { until } from '../support/test-app.ts';

/** Sends back what it gets. */
let echo: Server;
let echoPort: number;
let accepted = 0;
beforeAll(async () => {
  echo = createServer((socket) => {
    accepted += 1;
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  echoPort = (echo.address() as AddressInfo).port;
});
afterAll(() => void echo.close());

const logLines: Record<string, unknown>[] = [];
const lookups: string[] = [];

function startProxy({
  networks = ['127.0.0.0/8'],
  answers = ['127.0.0.1'],
  resolveHost = () => Promise.resolve(answers),
  limits,
}: {
  networks?: string[];
  answers?: string[];
  resolveHost?: () => Promise<string[]>;
  limits?: Partial<EgressLimits>;
} = {}) {
  return EgressProxy.start({
    addressPolicy: createAddressPolicy(rulesWith(networks)),
    resolveHost: (name) => {
      lookups.push(name);
      return resolveHost();
    },
    log: createLog('info', (line) => logLines.push(JSON.parse(line))),
    limits,
  });
}

/** A browser's side of a connection through the proxy. */
class Client {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  #received = Buffer.alloc(0);

  constructor(proxy: EgressProxy) {
    this.socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    this.closed = once(this.socket, 'close');
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, Buffer.from(chunk)]);
    });
  }

  /** The next bytes, or fewer when the connection closes before. */
  async read(count: number): Promise<Buffer> {
    while (this.#received.length < count && !this.socket.closed) {
      await Promise.race([once(this.socket, 'data'), this.closed]);
    }
    const bytes = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return bytes;
  }

  /** Asks for a connection; returns the code of the reply. */
  async ask(host: string, port: number): Promise<number | undefined> {
    this.socket.write(Uint8Array.of(5, 1, 0));
    await this.read(2);
    const name = Buffer.from(host);
    const request = [5, 1, 0, 3, name.length, ...name, port >> 8, port & 255];
    // In pieces, as a slow network delivers.
    for (const byte of request) this.socket.write(Uint8Array.of(byte));
    return (await this.read(10))[1];
  }
}

const [succeeded, failed] = [0, 1];

test('a connection that is allowed carries what is said, both ways', async () => {
  await using proxy = await startProxy();
  const client = new Client(proxy);
  expect(await client.ask('pages.example', echoPort)).toBe(succeeded);
  client.socket.write('GET / HTTP/1.1\r\n\r\n');
  expect((await client.read(18)).toString()).toBe('GET / HTTP/1.1\r\n\r\n');
  client.socket.end();
  await client.closed;
});

test('an answer arrives whole although the site has closed before it is read', async () => {
  const length = 1_000_000;
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  const site = createServer((socket) => {
    socket.on('close', () => resolve());
    socket.end(Buffer.alloc(length));
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  await using proxy = await startProxy();
  const client = new Client(proxy);
  await client.ask('pages.example', (site.address() as AddressInfo).port);
  await sent;
  expect((await client.read(length)).length).toBe(length);
  await client.closed;
  site.close();
});

test('a connection that the browser gives up is given up on the other side', async () => {
  await using proxy = await startProxy();
  const client = new Client(proxy);
  await client.ask('pages.example', echoPort);
  const connections = promisify(echo.getConnections.bind(echo));
  await until(async () => (await connections()) === 1);
  client.socket.destroy();
  await until(async () => (await connections()) === 0);
});

test('a lookup that outlasts the scan leads to no connection', async () => {
  const before = accepted;
  const lookup = Promise.withResolvers<string[]>();
  lookups.length = 0;
  const proxy = await startProxy({ resolveHost: () => lookup.promise });
  const client = new Client(proxy);
  const reply = client.ask('pages.example', echoPort);
  await until(() => lookups.length > 0);
  await proxy[Symbol.asyncDispose]();
  await client.closed;
  lookup.resolve(['127.0.0.1']);
  expect(await reply).toBeUndefined();
  await using other = await startProxy();
  await new Client(other).ask('pages.example', echoPort);
  expect(accepted).toBe(before + 1);
});

test('a name is resolved once, however many connections go there', async () => {
  await using proxy = await startProxy();
  lookups.length = 0;
  for (let time = 1; time <= 3; time += 1) {
    expect(await new Client(proxy).ask('pages.example', echoPort)).toBe(succeeded);
  }
  expect(lookups).toEqual(['pages.example']);
});

test('the first address that can be reached is taken', async () => {
  await using proxy = await startProxy({ answers: ['127.0.0.2', '127.0.0.1'] });
  expect(await new Client(proxy).ask('pages.example', echoPort)).toBe(succeeded);
});

describe('a connection that cannot be had fails, and the proxy knows why:', () => {
  const attempt = async (
    host: string,
    port: number,
    options: Parameters<typeof startProxy>[0] = {},
  ) => {
    await using proxy = await startProxy(options);
    const client = new Client(proxy);
    expect(await client.ask(host, port)).toBe(failed);
    await client.closed;
    return proxy.failureOf(new URL(`http://${host}:${port}/`));
  };

  test('a forbidden address, to which nothing is sent', async () => {
    const before = accepted;
    expect(await attempt('127.0.0.1', echoPort, { networks: [] })).toBe('address-unreachable');
    expect(await attempt('localhost', echoPort, { networks: [] })).toBe('address-unreachable');
    expect(await attempt('pages.example', echoPort, { networks: [] })).toBe('address-unreachable');
    expect(accepted).toBe(before);
  });

  test('a name without an address', async () => {
    expect(await attempt('pages.example', echoPort, { answers: [] })).toBe('dns-not-found');
  });

  test('a port where nothing listens', async () => {
    expect(await attempt('pages.example', closedPort())).toBe('connection-refused');
  });

  test('a public address on a port that is not allowed', async () => {
    expect(await attempt('8.8.8.8', 22)).toBe('address-unreachable');
  });

  test('and the log says it with the address that the caller is not told', () => {
    expect(logLines).toContainEqual(
      expect.objectContaining({
        message: 'no way out',
        target: `pages.example:${echoPort}`,
        error: `port ${echoPort} of 127.0.0.1 is not allowed`,
      }),
    );
  });
});

test('a page cannot fill the log', async () => {
  await using proxy = await startProxy({ networks: [] });
  logLines.length = 0;
  for (let number = 1; number <= 30; number += 1) {
    await new Client(proxy).ask(`x${number}.example`, 80);
  }
  expect(logLines).toHaveLength(20);
});

test.each([
  ['another version', [4, 1, 0]],
  ['http', [...Buffer.from('CONNECT pages.example:80 HTTP/1.1\r\n\r\n')]],
  ['another command', [5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80]],
  ['another type of address', [5, 1, 0, 5, 1, 0, 9, 127, 0, 0, 1, 0, 80]],
])('who speaks %s is cut off', async (_, bytes) => {
  await using proxy = await startProxy();
  const client = new Client(proxy);
  client.socket.write(Uint8Array.from(bytes));
  client.socket.end();
  await client.closed;
});

describe('beyond', () => {
  test('so many bytes, all connections are cut', async () => {
    await using proxy = await startProxy({ limits: { bytes: 20 } });
    const client = new Client(proxy);
    await client.ask('pages.example', echoPort);
    client.socket.write('0123456789');
    expect((await client.read(10)).toString()).toBe('0123456789');
    client.socket.write('0');
    await client.closed;
    expect(await proxy.exceeded.catch((error: unknown) => error)).toMatchObject({
      code: 'page-too-large',
    });
  });

  test('so many connections, all are cut', async () => {
    await using proxy = await startProxy({ limits: { connections: 2 } });
    const clients = [new Client(proxy), new Client(proxy)];
    for (const client of clients) {
      expect(await client.ask('pages.example', echoPort)).toBe(succeeded);
    }
    const third = new Client(proxy);
    await Promise.all([...clients, third].map(({ closed }) => closed));
    expect(await proxy.exceeded.catch((error: unknown) => error)).toMatchObject({
      code: 'too-many-connections',
    });
  });
});

test('beyond so many hosts and ports, all connections are cut', async () => {
  await using proxy = await startProxy({ limits: { targets: 2 } });
  const ask = (host: string) => new Client(proxy).ask(host, echoPort);
  expect([await ask('a.example'), await ask('b.example'), await ask('a.example')]).toEqual([
    succeeded,
    succeeded,
    succeeded,
  ]);
  expect(await ask('c.example')).not.toBe(succeeded);
  expect(await proxy.exceeded.catch((error: unknown) => error)).toMatchObject({
    code: 'too-many-connections',
  });
});

test('closing it cuts what is open', async () => {
  const proxy = await startProxy();
  const client = new Client(proxy);
  await client.ask('pages.example', echoPort);
  await proxy[Symbol.asyncDispose]();
  await client.closed;
});
