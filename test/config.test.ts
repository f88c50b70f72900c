import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { type Config, ConfigError, environmentSchema, parseConfig } from '../src/config.ts';
import type { Network } from '../src/network.ts';

function faultsOf(environment: Record<string, string>): string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const [head, ...faults] = (error as ConfigError).message.split('\n  ');
    expect(head).toBe('The configuration has faults:');
    return faults;
  }
  return [];
}

const printNetwork = ([address, bits]: Network) => `${address.toString()}/${bits}`;

function cidrsOf(text: string): string[] {
  const { trustedProxies } = parseConfig({ TRUSTED_PROXIES: text }).http;
  return trustedProxies.map(printNetwork);
}

const defaults: Config = {
  server: { port: 3_000, hostname: '0.0.0.0' },
  http: {
    publicUrl: 'http://localhost:3000',
    docsUrl: 'http://localhost:3000/docs',
    operatorName: 'Curbcut',
    postWaitMs: 25_000,
    trustedProxies: [],
    policies: {
      get: { name: 'scan-get', quota: 10, windowSeconds: 3_600 },
      post: { name: 'scan-post', quota: 100, windowSeconds: 86_400 },
      total: { name: 'scan-total', quota: 100, windowSeconds: 86_400 },
    },
  },
  scan: { concurrency: 0, maxWaiting: 100, deadlineMs: 60_000 },
  browser: {
    executablePath: undefined,
    egress: { allowNetworks: [], allowHosts: [], allowPorts: [80, 443, 8_080, 8_443] },
    navigationTimeoutMs: 30_000,
    axeTimeoutMs: 18_000,
  },
  store: { databasePath: './data/curbcut.sqlite', retentionMs: 30 * 86_400_000 },
  log: { level: 'info' },
};

test('with nothing set everything has a default', () => {
  expect(parseConfig({})).toEqual(defaults);
});

test('an empty variable counts as unset', () => {
  const names = Object.keys(environmentSchema.properties);
  expect(parseConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(defaults);
});

test('variables that are not the service’s are left alone', () => {
  expect(parseConfig({ PATH: '/usr/bin', port: '80', SCAN_CONCURRENCYX: '9' })).toEqual(defaults);
});

test('every variable reaches the part that it configures', () => {
  const config = parseConfig({
    PORT: '8080',
    HOST: '::1',
    DATABASE_PATH: ':memory:',
    RATE_LIMIT_GET: '1/2s',
    RATE_LIMIT_POST: 'off',
    RATE_LIMIT_TOTAL: '3/4m',
    TRUSTED_PROXIES: '10.0.0.0/8',
    ALLOW_NETWORKS: 'fd00::/8',
    SCAN_CONCURRENCY: '5',
    SCAN_TIMEOUT_SECONDS: '7',
    MAX_WAITING: '0',
    POST_WAIT_SECONDS: '8',
    RETENTION_DAYS: '9',
    OPERATOR_NAME: 'Ämter & Co.',
    PUBLIC_URL: 'https://scan.example.com/',
    LOG_LEVEL: 'silent',
    PUPPETEER_EXECUTABLE_PATH: '/opt/chrome',
  });
  expect(config).toMatchObject({
    server: { port: 8_080, hostname: '::1' },
    http: {
      publicUrl: 'https://scan.example.com',
      docsUrl: 'https://scan.example.com/docs',
      operatorName: 'Ämter & Co.',
      postWaitMs: 8_000,
      policies: {
        get: { quota: 1, windowSeconds: 2 },
        post: null,
        total: { quota: 3, windowSeconds: 240 },
      },
    },
    scan: { concurrency: 5, maxWaiting: 0, deadlineMs: 7_000 },
    browser: { executablePath: '/opt/chrome', navigationTimeoutMs: 3_500, axeTimeoutMs: 2_100 },
    store: { databasePath: ':memory:', retentionMs: 9 * 86_400_000 },
    log: { level: 'silent' },
  });
  expect(config.http.trustedProxies.map(printNetwork)).toEqual(['10.0.0.0/8']);
  expect(config.browser.egress.allowNetworks.map(printNetwork)).toEqual(['fd00::/8']);
});

test('the links follow the port unless PUBLIC_URL says otherwise', () => {
  expect(parseConfig({ PORT: '8080' }).http.docsUrl).toBe('http://localhost:8080/docs');
});

const bounds = [
  ['PORT', 0, 65_535],
  ['SCAN_CONCURRENCY', 0, 64],
  ['SCAN_TIMEOUT_SECONDS', 5, 600],
  ['MAX_WAITING', 0, 100_000],
  ['POST_WAIT_SECONDS', 0, 600],
  ['RETENTION_DAYS', 1, 3_650],
] as const;

describe('a number is accepted within its bounds and refused beyond them', () => {
  test.each(bounds)('%s from %d to %d', (name, least, most) => {
    expect(faultsOf({ [name]: String(least) })).toEqual([]);
    expect(faultsOf({ [name]: String(most) })).toEqual([]);
    expect(faultsOf({ [name]: String(least - 1) })).toEqual([
      `${name} is “${least - 1}”. Expected integer to be greater or equal to ${least}.`,
    ]);
    expect(faultsOf({ [name]: String(most + 1) })).toEqual([
      `${name} is “${most + 1}”. Expected integer to be less or equal to ${most}.`,
    ]);
  });

  test('and these are all the numbers there are', () => {
    const numbers = Object.entries(environmentSchema.properties)
      .filter(([, { type }]) => type === 'integer')
      .map(([name]) => name);
    expect(numbers).toEqual(bounds.map(([name]) => name));
  });
});

describe('a number is refused unless it is written as a plain whole one', () => {
  test.each([
    '1e1',
    '1e3',
    ' 5',
    '5 ',
    '5\n',
    '+5',
    '05',
    '5.0',
    '5.5',
    '5,0',
    '5_0',
    '0x10',
    '0b1',
    '10n',
    '-0',
    '٥',
    'five',
    'NaN',
    'Infinity',
    'true',
    'null',
    '[]',
    '9007199254740993',
    '9'.repeat(400),
    ' ',
  ])('%j', (text) => {
    const [fault, ...others] = faultsOf({ MAX_WAITING: text });
    expect(fault).toStartWith(`MAX_WAITING is “${text}”. Expected `);
    expect(others).toEqual([]);
  });

  test('whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), (text) => {
        fc.pre(!/^(0|[1-9]\d*)$/.test(text));
        expect(faultsOf({ MAX_WAITING: text })).toHaveLength(1);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (number) => {
        expect(parseConfig({ MAX_WAITING: String(number) }).scan.maxWaiting).toBe(number);
      }),
    );
  });
});

describe('a list of networks', () => {
  test.each([
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['10.0.0.0/8,192.168.0.0/16', ['10.0.0.0/8', '192.168.0.0/16']],
    [' 10.0.0.0/8 , ,fd00::/8, ', ['10.0.0.0/8', 'fd00::/8']],
    [',', []],
    ['::ffff:10.0.0.0/104,::ffff:0:0/95', ['10.0.0.0/8', '::ffff:0:0/95']],
    ['0.0.0.0/0,::/0', ['0.0.0.0/0', '::/0']],
    ['127.0.0.1/32,::1/128', ['127.0.0.1/32', '::1/128']],
  ])('%j is read', (text, cidrs) => {
    expect(cidrsOf(text)).toEqual(cidrs);
  });

  test.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8 192.168.0.0/16',
    '10.0.0.0/8;192.168.0.0/16',
    '::/129',
    'fd00::',
    'loopback',
    '256.0.0.0/8',
    '/8',
  ])('%j is refused with what to write', (text) => {
    const fault = `“${text}” is not a network. Write CIDRs such as 10.0.0.0/8, separated by commas.`;
    expect(faultsOf({ TRUSTED_PROXIES: text })).toEqual([`TRUSTED_PROXIES: ${fault}`]);
    expect(faultsOf({ ALLOW_NETWORKS: text })).toEqual([`ALLOW_NETWORKS: ${fault}`]);
  });

  test('is refused by every entry that is wrong', () => {
    expect(faultsOf({ TRUSTED_PROXIES: '10.0.0.0/8, nginx, ::1' })).toEqual([
      'TRUSTED_PROXIES: “nginx” is not a network. “::1” is not a network. Write CIDRs such as 10.0.0.0/8, separated by commas.',
    ]);
  });
});

describe('HOST', () => {
  test.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost'])('%s is taken', (text) => {
    expect(parseConfig({ HOST: text }).server.hostname).toBe(text);
  });

  test.each(['999.1.1.1', 'scan.example.com', '127.0.0.1:80', '[::1]', '*'])(
    '%s is refused with what to write',
    (text) => {
      expect(faultsOf({ HOST: text })).toEqual([
        `HOST: “${text}” is not an address. Write one of this machine, such as 127.0.0.1.`,
      ]);
    },
  );
});

describe('ALLOW_HOSTS', () => {
  test.each([
    ['', []],
    ['localhost:3000', ['localhost:3000']],
    ['Intranet.Example:80, 10.0.0.1:8081', ['intranet.example:80', '10.0.0.1:8081']],
    ['[::1]:65535,0x7f.1:1', ['[::1]:65535', '127.0.0.1:1']],
  ])('%j is read in the spelling of URLs', (text, hosts) => {
    expect(parseConfig({ ALLOW_HOSTS: text }).browser.egress.allowHosts).toEqual(hosts);
  });

  test.each([
    'localhost',
    'localhost:',
    'localhost:0',
    'localhost:65536',
    'localhost:http',
    'http://localhost:80',
    'me@localhost:80',
    'localhost:80/path',
    '::1:80',
    '*:80',
    '10.0.0.0/8:80',
  ])('%j is refused with what to write', (text) => {
    expect(faultsOf({ ALLOW_HOSTS: text })).toEqual([
      `ALLOW_HOSTS: “${text}” is not a host and a port. Write pairs such as localhost:3000.`,
    ]);
  });
});

describe('ALLOW_PORTS', () => {
  test.each([
    ['443', [443]],
    ['1, 65535', [1, 65_535]],
  ])('%j is read', (text, ports) => {
    expect(parseConfig({ ALLOW_PORTS: text }).browser.egress.allowPorts).toEqual(ports);
  });

  test.each(['0', '65536', '080', '80-90', 'http', '-1', '8.0'])(
    '%j is refused with what to write',
    (text) => {
      expect(faultsOf({ ALLOW_PORTS: text })).toEqual([
        `ALLOW_PORTS: “${text}” is not a port. Write numbers such as 443, separated by commas.`,
      ]);
    },
  );
});

describe('PUBLIC_URL', () => {
  test.each([
    ['https://scan.example.com', 'https://scan.example.com'],
    ['https://scan.example.com/', 'https://scan.example.com'],
    ['HTTPS://Scan.Example.com:443/', 'https://scan.example.com'],
    ['http://10.0.0.1:8080', 'http://10.0.0.1:8080'],
    ['https://example.com/?', 'https://example.com'],
    ['https://example.com/#', 'https://example.com'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ])('%j is taken without slash at its end', (text, publicUrl) => {
    const { http } = parseConfig({ PUBLIC_URL: text });
    expect(http.publicUrl).toBe(publicUrl);
    expect(http.docsUrl).toBe(`${publicUrl}/docs`);
  });

  test.each([
    'scan.example.com',
    '/docs',
    'ftp://example.com',
    'javascript:alert(1)',
    'https://',
    'https://example.com/?a=1',
    'https://example.com/#docs',
    'https://user:word@example.com/',
    'https://user@example.com/',
  ])('%j is refused', (text) => {
    expect(faultsOf({ PUBLIC_URL: text })).toEqual([
      expect.stringMatching(
        /^PUBLIC_URL: “.*” is not an http or https URL without user, path and query, /,
      ),
    ]);
  });
});

describe('LOG_LEVEL', () => {
  test.each(['debug', 'info', 'warn', 'error', 'silent'] as const)('%s is a level', (level) => {
    expect(parseConfig({ LOG_LEVEL: level }).log.level).toBe(level);
  });

  test.each(['verbose', 'INFO', 'info ', '0'])('%j is none', (text) => {
    expect(faultsOf({ LOG_LEVEL: text })).toEqual([
      `LOG_LEVEL: “${text}” is no level. Write one of debug, info, warn, error, silent.`,
    ]);
  });
});

describe('a rate limit that cannot be read is refused', () => {
  test.each(['RATE_LIMIT_GET', 'RATE_LIMIT_POST', 'RATE_LIMIT_TOTAL'])('%s', (name) => {
    expect(faultsOf({ [name]: '10 per hour' })).toEqual([
      `${name}: "10 per hour" is not a rate limit: write a quota, a slash and a window as in 10/1h (units s, m, h, d), or off.`,
    ]);
  });
});

test('all faults are reported at once, each with its variable', () => {
  const faults = faultsOf({
    PORT: '1e3',
    SCAN_CONCURRENCY: '-1',
    RATE_LIMIT_GET: 'none',
    TRUSTED_PROXIES: 'nginx',
    PUBLIC_URL: 'example.com',
    LOG_LEVEL: 'loud',
    RETENTION_DAYS: '30',
  });
  expect(faults.map((fault) => fault.split(/[: ]/, 1)[0])).toEqual([
    'PORT',
    'SCAN_CONCURRENCY',
    'RATE_LIMIT_GET',
    'TRUSTED_PROXIES',
    'PUBLIC_URL',
    'LOG_LEVEL',
  ]);
});

test('the configuration is frozen, and so is everything in it', () => {
  const assertFrozen = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    expect(value).toSatisfy(Object.isFrozen);
    for (const part of Object.values(value)) assertFrozen(part);
  };
  assertFrozen(parseConfig({ TRUSTED_PROXIES: '10.0.0.0/8', ALLOW_NETWORKS: '::1/128' }));
});
