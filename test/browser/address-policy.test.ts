import { describe, expect, test } from 'bun:test';
import { createAddressPolicy, targetOf } from '../../src/browser/address-policy.ts';
import { type Address, parseAddress } from '../../src/network.ts';
import { rulesWith } from '../support/networks.ts';

const policyWith = (...networks: string[]) => createAddressPolicy(rulesWith(networks));
const target = { host: 'example.com', port: 443 };

function parse(text: string): Address {
  const address = parseAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

/** Those that may be reached for a URL of some public name. */
function reachable(addresses: readonly string[], ...networks: string[]): string[] {
  const policy = policyWith(...networks);
  return addresses.filter((address) => policy.allows(target, parse(address)));
}

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
      expect(reachable(addresses)).toEqual([]);
      expect(reachable(neighbours)).toEqual(neighbours);
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
    expect(reachable([address])).toEqual([address]);
  });
});

test.each([
  ['127.0.0.1/32', ['127.0.0.1', '::ffff:127.0.0.1'], ['127.0.0.2', '127.0.0.0', '::1']],
  ['10.1.0.0/16', ['10.1.0.0', '10.1.255.255'], ['10.0.255.255', '10.2.0.0']],
  ['fd00:1::/32', ['fd00:1::', 'fd00:1:ffff::1'], ['fd00::1', 'fd00:2::1']],
  ['0.0.0.0/0', ['0.0.0.0', '169.254.169.254', '168.63.129.16'], ['::1', 'fe80::1']],
  ['::/0', ['::1', 'fe80::1', '64:ff9b::7f00:1'], ['10.0.0.1', '::ffff:10.0.0.1']],
])('allowing %s opens that network and nothing beside it', (network, inside, outside) => {
  expect(reachable(inside, network)).toEqual(inside);
  expect(reachable(outside, network)).toEqual([]);
  expect(reachable(['8.8.8.8'], network)).toEqual(['8.8.8.8']);
});

describe('a public address', () => {
  const policy = createAddressPolicy({ ...rulesWith([]), allowPorts: [80, 8_443] });
  const address = parse('8.8.8.8');

  test('may be reached on the ports that are allowed and on no other', () => {
    const ports = [79, 80, 81, 443, 8_443].filter((port) =>
      policy.allows({ host: 'example.com', port }, address),
    );
    expect(ports).toEqual([80, 8_443]);
  });

  test('in a network that is allowed may be reached on every port', () => {
    const redis = { host: 'example.com', port: 6_379 };
    expect(policyWith('8.8.8.0/24').allows(redis, address)).toBe(true);
    expect(policyWith('8.8.9.0/24').allows(redis, address)).toBe(false);
  });
});

describe('a host and port that are allowed', () => {
  const policy = createAddressPolicy({
    ...rulesWith([]),
    allowHosts: ['intranet.example:3000', '10.0.0.1:81', '[::1]:82'],
  });

  test.each([
    ['intranet.example', 3_000, '10.9.9.9'],
    ['10.0.0.1', 81, '10.0.0.1'],
    ['::1', 82, '::1'],
  ])('open %s:%d and nothing else', (host, port, text) => {
    const address = parse(text);
    expect(policy.allows({ host, port }, address)).toBe(true);
    expect(policy.allows({ host, port: port + 1 }, address)).toBe(false);
    expect(policy.allows({ host: 'other.example', port }, address)).toBe(false);
    expect(policy.allows({ host: `x${host}`, port }, address)).toBe(false);
  });
});

describe('a URL', () => {
  const policy = createAddressPolicy({
    ...rulesWith(['10.1.0.0/16']),
    allowHosts: ['10.0.0.1:81', 'localhost:3000'],
  });
  const closed = createAddressPolicy(rulesWith([]));

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]:8080/',
    'http://[::ffff:7f00:1]/',
    'http://10.0.0.1/',
    'http://10.0.0.1:82/',
    'http://[fe80::1]/',
  ])('%s is refused because of its address', (url) => {
    expect(policy.refusalOf(new URL(url))).toContain(
      ' is not a public address. This service scans',
    );
  });

  test.each(['http://8.8.8.8:22/', 'https://[2606:4700:4700::1111]:81/'])(
    '%s is refused because of its port',
    (url) => {
      expect(policy.refusalOf(new URL(url))).toMatch(/^Port (22|81) is not one that is scanned/);
    },
  );

  test('with a name is refused because of its port, unless some network is open', () => {
    const url = new URL('http://example.com:81/');
    expect(closed.refusalOf(url)).toContain('on the ports 80, 443, 8080, 8443.');
    expect(policy.refusalOf(url)).toBeNull();
  });

  test.each([
    'http://8.8.8.8/',
    'https://8.8.8.8/',
    'http://8.8.8.8:8443/',
    'https://[2606:4700:4700::1111]/',
    'http://10.1.2.3:9/',
    'http://10.0.0.1:81/',
    'http://localhost:3000/',
    'http://example.com/',
  ])('%s is not refused', (url) => {
    expect(policy.refusalOf(new URL(url))).toBeNull();
  });

  test.each([
    ['http://example.com/', 'example.com', 80],
    ['https://example.com/', 'example.com', 443],
    ['https://[::1]:8443/', '::1', 8_443],
  ])('%s is reached at %s and port %d', (url, host, port) => {
    expect(targetOf(new URL(url))).toEqual({ host, port });
  });
});
