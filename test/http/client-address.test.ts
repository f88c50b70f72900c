import { describe, expect, test } from 'bun:test';
import { clientAddress } from '../../src/http/client-address.ts';
import { networksFrom } from '../support/networks.ts';

const proxies = ['10.0.0.0/8', '2001:db8:ffff::/48'];
const proxy = '10.0.0.1';

function addressOf(
  peerAddress: string | undefined,
  headers: HeadersInit = {},
  trusted: string[] = proxies,
): string {
  return clientAddress({
    peerAddress,
    headers: new Headers(headers),
    trustedProxies: networksFrom(trusted),
  });
}

const forwardedFor = (value: string): string => addressOf(proxy, { 'X-Forwarded-For': value });
const forwarded = (value: string): string => addressOf(proxy, { Forwarded: value });

describe('the peer is the client, in one spelling', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['fe80::2%br-lan.4', 'fe80::/64'],
    ['::ffff:192.0.2.1%eth0', '192.0.2.1'],
  ])('%s is %s', (peer, client) => {
    expect(addressOf(peer)).toBe(client);
  });

  test.each([undefined, '', 'localhost', '192.0.2.1:80', '/run/curbcut.sock'])(
    '%p is unknown, whatever the headers say',
    (peer) => {
      expect(addressOf(peer, { 'X-Forwarded-For': '203.0.113.7' })).toBe('unknown');
    },
  );
});

describe('without a trusted proxy in front, no header changes the client', () => {
  const claims: [name: string, value: string][] = [
    ['X-Forwarded-For', '203.0.113.7'],
    ['X-Forwarded-For', '203.0.113.7, 203.0.113.8'],
    ['X-Forwarded-For', '10.0.0.1'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['X-Forwarded-For', '::1'],
    ['X-Forwarded-For', '[2001:db8::1]:443'],
    ['X-Forwarded-For', '::ffff:203.0.113.7'],
    ['X-Forwarded-For', ''],
    ['X-Forwarded-For', ','],
    ['X-Forwarded-For', '__proto__'],
    ['X-Forwarded-For', 'A'.repeat(8_000)],
    ['Forwarded', 'for=203.0.113.7'],
    ['Forwarded', 'for="[2001:db8::1]"'],
    ['X-Real-IP', '203.0.113.7'],
    ['X-Client-IP', '203.0.113.7'],
    ['X-Originating-IP', '203.0.113.7'],
    ['X-Cluster-Client-IP', '203.0.113.7'],
    ['True-Client-IP', '203.0.113.7'],
    ['CF-Connecting-IP', '203.0.113.7'],
    ['Fastly-Client-IP', '203.0.113.7'],
    ['Fly-Client-IP', '203.0.113.7'],
    ['X-Azure-ClientIP', '203.0.113.7'],
    ['Via', '1.1 203.0.113.7'],
    ['Host', '127.0.0.1'],
  ];
  test.each(claims)('%s: %s', (name, value) => {
    expect(addressOf('192.0.2.1', { [name]: value }, [])).toBe('192.0.2.1');
    expect(addressOf('192.0.2.1', { [name]: value })).toBe('192.0.2.1');
  });
});

test('behind a trusted proxy only X-Forwarded-For and Forwarded count', () => {
  for (const name of ['X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'X-Client-IP', 'Via']) {
    expect(addressOf(proxy, { [name]: '203.0.113.7' })).toBe(proxy);
  }
});

describe('a peer is trusted inside a range and not beside it', () => {
  test.each([
    ['10.0.0.0', '10.0.0.0/8', true],
    ['10.255.255.255', '10.0.0.0/8', true],
    ['9.255.255.255', '10.0.0.0/8', false],
    ['11.0.0.0', '10.0.0.0/8', false],
    ['192.0.2.1', '192.0.2.1/32', true],
    ['192.0.2.2', '192.0.2.1/32', false],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['10.1.2.3', '::ffff:10.0.0.0/104', true],
    ['11.1.2.3', '::ffff:10.0.0.0/104', false],
    ['2001:db8:ffff::1', '2001:db8:ffff::/48', true],
    ['2001:db8:fffe::1', '2001:db8:ffff::/48', false],
    ['fe80::1%eth0', 'fe80::/10', true],
    ['192.0.2.1', '0.0.0.0/0', true],
    ['2001:db8::1', '0.0.0.0/0', false],
    ['192.0.2.1', '::/0', false],
    ['2001:db8::1', '::/0', true],
  ])('%s in %s: %p', (peer, range, isTrusted) => {
    const client = addressOf(peer, { 'X-Forwarded-For': '203.0.113.7' }, [range]);
    expect(client === '203.0.113.7').toBe(isTrusted);
  });
});

describe('X-Forwarded-For is read from the right', () => {
  test.each([
    ['one hop', '203.0.113.7', '203.0.113.7'],
    ['what the client wrote is passed over', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [
      'trusted proxies are passed over',
      '198.51.100.1, 203.0.113.7, 10.0.0.3, 10.0.0.2',
      '203.0.113.7',
    ],
    ['a trusted address behind an untrusted one', '10.0.0.2, 203.0.113.7', '203.0.113.7'],
    ['all trusted: the furthest', '10.0.0.4, 10.0.0.3, 10.0.0.2', '10.0.0.4'],
    ['without spaces', '198.51.100.1,203.0.113.7', '203.0.113.7'],
    ['with tabs', '198.51.100.1\t,\t203.0.113.7', '203.0.113.7'],
    ['a port', '203.0.113.7:5678', '203.0.113.7'],
    ['IPv6', '2001:db8::1', '2001:db8::/64'],
    ['IPv6 in brackets', '[2001:db8::1]', '2001:db8::/64'],
    ['IPv6 with a port', '[2001:db8::1]:443', '2001:db8::/64'],
    ['IPv4-mapped', '::ffff:203.0.113.7', '203.0.113.7'],
    ['a trusted IPv4-mapped proxy', '203.0.113.7, ::ffff:10.0.0.2', '203.0.113.7'],
    ['a zone', 'fe80::1%eth0', 'fe80::/64'],
    ['a quote that the client left open', '"198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ])('%s', (_, value, client) => {
    expect(forwardedFor(value)).toBe(client);
  });

  test('over repeated fields', () => {
    const headers = new Headers();
    headers.append('X-Forwarded-For', '198.51.100.1');
    headers.append('X-Forwarded-For', '203.0.113.7, 10.0.0.2');
    expect(addressOf(proxy, headers)).toBe('203.0.113.7');
  });
});

describe('what cannot be read is counted against the proxy that reported it', () => {
  test.each([
    '',
    ' ',
    ',',
    '203.0.113.7,',
    'unknown',
    'not an ip',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.07',
    '0xcb.0.113.7',
    '3405803783',
    '203.0.113.7%00',
    '203.0.113.7:',
    '203.0.113.7:port',
    '203.0.113.7:123456',
    '203.0.113.7/32',
    '203.0.113.7 203.0.113.8',
    '[203.0.113.7]',
    '[2001:db8::1',
    '2001:db8::1]',
    '[2001:db8::1]443',
    '2001:db8:::1',
    '2001:db8::12345',
    '__proto__',
    'constructor',
    'A'.repeat(8_000),
    '['.repeat(4_000) + ':'.repeat(4_000),
  ])('X-Forwarded-For: %s', (value) => {
    expect(forwardedFor(value)).toBe(proxy);
    if (value.trim() !== '') {
      expect(forwardedFor(`203.0.113.7, ${value}, 10.0.0.2`)).toBe('10.0.0.2');
    }
  });

  test.each([
    '',
    ',',
    '203.0.113.7',
    'for',
    'for=',
    'for=""',
    'for=unknown',
    'for=_hidden',
    'for="_gazonk"',
    'proto=https;by=203.0.113.7',
    'for=203.0.113.7;for=203.0.113.8',
    'for=203.0.113.7 x',
    'for=203.0.113.7;x',
    'x;for=203.0.113.7',
    'for="203.0.113.7',
    'for=203.0.113.7"',
    'for="203.0.113.7"x',
    'for = 203.0.113.7',
    'host="a;for=203.0.113.7;b"',
  ])('Forwarded: %s', (value) => {
    expect(forwarded(value)).toBe(proxy);
  });
});

describe('Forwarded is read from the right', () => {
  test.each([
    ['one hop', 'for=203.0.113.7', '203.0.113.7'],
    [
      'the name in any case, among others',
      'By=10.0.0.1;FOR=203.0.113.7;proto=https',
      '203.0.113.7',
    ],
    ['what the client wrote is passed over', 'for=198.51.100.1, for=203.0.113.7', '203.0.113.7'],
    [
      'trusted proxies are passed over',
      'for=203.0.113.7, for=10.0.0.3,for="10.0.0.2:80"',
      '203.0.113.7',
    ],
    ['all trusted: the furthest', 'for=10.0.0.3, for=10.0.0.2', '10.0.0.3'],
    ['empty parameters', 'for=203.0.113.7;; ;proto=https;', '203.0.113.7'],
    ['quoted, with a port', 'for="203.0.113.7:47011"', '203.0.113.7'],
    ['with a hidden port', 'for="203.0.113.7:_x"', '203.0.113.7'],
    ['with a port outside quotes', 'for=203.0.113.7:47011', '203.0.113.7'],
    ['IPv6', 'for="[2001:db8:cafe::17]"', '2001:db8:cafe::/64'],
    ['IPv6 with a port', 'for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::/64'],
    ['an escape', String.raw`for="203.0.113\.7"`, '203.0.113.7'],
    ['a comma in quotes', 'for=203.0.113.7;host="a, for=198.51.100.1"', '203.0.113.7'],
    [
      'an escaped quote',
      String.raw`for=203.0.113.7;host="a\", for=198.51.100.1;b=\""`,
      '203.0.113.7',
    ],
    ['a quote that the client left open', 'for="198.51.100.1, for=203.0.113.7', '203.0.113.7'],
    ['the same before a quoted hop', 'for="198.51.100.1, for="[2001:db8::1]"', '2001:db8::/64'],
    ['a hidden hop behind a proxy', 'for=203.0.113.7, for=_secret, for=10.0.0.2', '10.0.0.2'],
  ])('%s', (_, value, client) => {
    expect(forwarded(value)).toBe(client);
  });
});

function both(xForwardedFor: string, forwardedValue: string): string {
  return addressOf(proxy, { 'X-Forwarded-For': xForwardedFor, Forwarded: forwardedValue });
}

describe('of two headers', () => {
  test('that agree, the client is theirs', () => {
    expect(both('203.0.113.7', 'for="203.0.113.7:80"')).toBe('203.0.113.7');
    expect(both('2001:db8::1', 'for="[2001:db8::2]"')).toBe('2001:db8::/64');
  });

  test('that disagree, neither is believed', () => {
    expect(both('203.0.113.7', 'for=198.51.100.1')).toBe(proxy);
    expect(both('203.0.113.7', 'for=unknown')).toBe(proxy);
    expect(both('garbage', 'for=198.51.100.1')).toBe(proxy);
  });

  test('a blank one says nothing', () => {
    expect(both('203.0.113.7', '')).toBe('203.0.113.7');
    expect(both(' ', 'for=203.0.113.7')).toBe('203.0.113.7');
  });
});
