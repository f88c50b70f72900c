import { describe, expect, test } from 'bun:test';
import { addressLiteral, createAddressPolicy } from '../../src/browser/address-policy.ts';
import { ScanFailedError } from '../../src/errors.ts';
import { networksFrom } from '../support/networks.ts';

const policyWith = (...networks: string[]) => createAddressPolicy(networksFrom(networks));
const publicOnly = policyWith();

/** Blocks that are not for the public, with an address on either side where that one is public. */
const forbidden: [name: string, addresses: string[], neighbours?: string[]][] = [
  ['0.0.0.0/8', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['100.64.0.0/10, CGNAT', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['127.0.0.0/8, loopback', ['127.0.0.1', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  [
    '169.254.0.0/16, link-local',
    ['169.254.0.1', '169.254.169.254'],
    ['169.253.255.255', '169.255.0.0'],
  ],
  ['172.16.0.0/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  [
    '192.0.0.0/24, protocols',
    ['192.0.0.1', '192.0.0.192', '192.0.0.255'],
    ['191.255.255.255', '192.0.1.0'],
  ],
  ['192.0.2.0/24, documentation', ['192.0.2.1', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['192.52.193.0/24, AMT', ['192.52.193.1']],
  ['192.88.99.0/24, 6to4 relays', ['192.88.99.1'], ['192.88.98.255', '192.88.100.0']],
  ['192.168.0.0/16', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  [
    '198.18.0.0/15, benchmarking',
    ['198.18.0.0', '198.19.255.255'],
    ['198.17.255.255', '198.20.0.0'],
  ],
  ['198.51.100.0/24, documentation', ['198.51.100.7'], ['198.51.99.255', '198.51.101.0']],
  ['203.0.113.0/24, documentation', ['203.0.113.7'], ['203.0.112.255', '203.0.114.0']],
  ['224.0.0.0/4, multicast', ['224.0.0.0', '239.255.255.255'], ['223.255.255.255']],
  ['240.0.0.0/4, reserved', ['240.0.0.0', '255.255.255.254', '255.255.255.255']],
  ['168.63.129.16, Azure', ['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
  ['::/96, unspecified, loopback, IPv4-compatible', ['::', '::1', '::7f00:1', '::808:808']],
  [
    '::ffff:0:0/96, IPv4-mapped',
    ['::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:10.0.0.1'],
    ['::ffff:8.8.8.8'],
  ],
  ['::ffff:0:0:0/96, IPv4-translated', ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8']],
  ['64:ff9b::/96, NAT64', ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::808:808']],
  ['64:ff9b:1::/48, local NAT64', ['64:ff9b:1::1', '64:ff9b:1:ffff::7f00:1']],
  ['100::/64, discard', ['100::1', '100:0:0:1::1']],
  ['2001::/32, Teredo', ['2001::1', '2001:0:4136:e378:8000:63bf:80ff:fffe']],
  ['2001::/23, protocols', ['2001:2::1', '2001:20::1', '2001:1ff::1'], ['2001:200::1']],
  [
    '2001:db8::/32, documentation',
    ['2001:db8::1', '2001:db8:ffff::'],
    ['2001:db7::1', '2001:db9::1'],
  ],
  ['2002::/16, 6to4', ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1'], ['2003::1']],
  ['3fff::/20, documentation', ['3fff::1', '3fff:fff:ffff::'], ['3ffe::1', '3fff:1000::1']],
  ['outside 2000::/3', ['1fff::1', '4000::1', '8000::1', 'e000::1'], ['2400::1']],
  ['5f00::/16, segment routing', ['5f00::1']],
  ['fc00::/7, unique local', ['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1']],
  ['fe80::/10, link-local', ['fe80::1', 'febf::1', 'fe80::1%eth0']],
  ['fec0::/10, site-local', ['fec0::1', 'feff::1']],
  ['ff00::/8, multicast', ['ff02::1', 'ff0e::1']],
  [
    'ISATAP of an address that is not public',
    ['2a00:1450::5efe:7f00:1', '2a00:1450::200:5efe:10.0.0.1', '2a00:1450::5efe:a9fe:a9fe'],
    ['2a00:1450::5efe:808:808', '2a00:1450::100:5efe:7f00:1', '2a00:1450::5eff:7f00:1'],
  ],
];

describe('without allowed networks', () => {
  test.each(forbidden)(
    '%s is forbidden, and what lies beside it is not',
    (_, addresses, neighbours = []) => {
      expect(addresses.filter((address) => publicOnly.allows(address))).toEqual([]);
      expect(neighbours.filter((address) => !publicOnly.allows(address))).toEqual([]);
    },
  );

  test.each([
    '8.8.8.8',
    '93.184.216.34',
    '192.31.196.1',
    '192.175.48.1',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2620:4f:8000::1',
    '2A00:1450:4001:800::200E',
  ])('%s is public', (address) => {
    expect(publicOnly.allows(address)).toBe(true);
  });

  test.each(['', 'localhost', 'example.com', '256.1.1.1', '1.2.3.4/32', '[::1]', '12345::'])(
    'the text %p is no address',
    (text) => {
      expect(publicOnly.allows(text)).toBe(false);
    },
  );
});

test.each([
  ['127.0.0.1/32', ['127.0.0.1', '::ffff:127.0.0.1'], ['127.0.0.2', '127.0.0.0', '::1']],
  ['10.1.0.0/16', ['10.1.0.0', '10.1.255.255'], ['10.0.255.255', '10.2.0.0']],
  ['fd00:1::/32', ['fd00:1::', 'fd00:1:ffff::1'], ['fd00::1', 'fd00:2::1']],
  ['0.0.0.0/0', ['0.0.0.0', '169.254.169.254', '168.63.129.16'], ['::1', 'fe80::1']],
  ['::/0', ['::1', 'fe80::1', '64:ff9b::7f00:1'], ['10.0.0.1', '::ffff:10.0.0.1']],
])('allowing %s opens that network and nothing beside it', (network, inside, outside) => {
  const policy = policyWith(network);
  expect(inside.filter((address) => !policy.allows(address))).toEqual([]);
  expect(outside.filter((address) => policy.allows(address))).toEqual([]);
  expect(policy.allows('8.8.8.8')).toBe(true);
});

describe('a URL', () => {
  const codeOf = async (url: string, ...networks: string[]): Promise<string | null> => {
    const outcome: unknown = await policyWith(...networks)
      .assertReachable(new URL(url))
      .catch((error: unknown) => error);
    if (outcome === undefined) return null;
    if (outcome instanceof ScanFailedError) return outcome.code;
    throw outcome;
  };

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]:8080/',
    'http://[::ffff:7f00:1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://metrics.localhost/',
  ])('%s is unreachable', async (url) => {
    expect(await codeOf(url)).toBe('address-unreachable');
  });

  test.each(['http://8.8.8.8/', 'https://[2606:4700:4700::1111]/'])(
    '%s is reachable',
    async (url) => {
      expect(await codeOf(url)).toBeNull();
    },
  );

  test('with the name localhost needs both its addresses to be allowed', async () => {
    expect(await codeOf('http://localhost/', '127.0.0.1/32')).toBe('address-unreachable');
    expect(await codeOf('http://a.localhost/', '::1/128')).toBe('address-unreachable');
    expect(await codeOf('http://a.localhost/', '127.0.0.1/32', '::1/128')).toBeNull();
  });

  test('whose name does not resolve gives dns-not-found', async () => {
    // Longer than a label may be, so that no resolver is asked.
    expect(await codeOf(`http://${'x'.repeat(64)}.test/`)).toBe('dns-not-found');
  });

  test('that is forbidden is refused without its address being named', async () => {
    const refused = publicOnly.assertReachable(new URL('http://localhost/'));
    const error: unknown = await refused.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ScanFailedError);
    expect(String(error)).toContain('localhost could not be reached');
    expect(String(error)).not.toMatch(/127\.|::1/);
  });

  test.each([
    ['http://10.0.0.1/', '10.0.0.1'],
    ['http://[fe80::1]:80/', 'fe80::1'],
    ['http://example.com/', null],
    ['http://1.2.3.4.example/', null],
  ])('%s has the address literal %p', (url, literal) => {
    expect(addressLiteral(new URL(url))).toBe(literal);
  });
});
