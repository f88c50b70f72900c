import { describe, expect, test } from 'bun:test';
import { createAddressPolicy } from '../../src/browser/address-policy.ts';
import { EgressError, resolveTarget } from '../../src/browser/resolve-target.ts';
import { rulesWith } from '../support/networks.ts';

/** The addresses for `host:443`, or the code of the refusal. */
async function resolve(
  host: string,
  { answers = [], networks = [] }: { answers?: string[]; networks?: string[] } = {},
): Promise<string[] | string> {
  const policy = createAddressPolicy(rulesWith(networks));
  const resolveHost = () =>
    answers.length > 0 ? Promise.resolve(answers) : Promise.reject(new Error('ENOTFOUND'));
  try {
    const addresses = await resolveTarget({ host, port: 443 }, policy, resolveHost);
    return addresses.map((address) => address.toString());
  } catch (error) {
    if (error instanceof EgressError) return error.code;
    throw error;
  }
}

test('a name has all its addresses, in the order of the answer', async () => {
  const answers = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'];
  expect(await resolve('example.com', { answers })).toEqual(answers);
});

test.each([
  ['of this machine', ['127.0.0.1']],
  ['of the cloud’s metadata', ['169.254.169.254']],
  ['that stands behind a good one', ['93.184.216.34', '127.0.0.1']],
  ['of IPv6 that stands behind a good one', ['93.184.216.34', '::1']],
  ['that is IPv4-mapped', ['::ffff:10.0.0.1']],
  ['that leads through NAT64', ['64:ff9b::a00:1']],
  ['that cannot be read', ['93.184.216.34', 'example.org']],
])('a name with an address %s is refused', async (_, answers) => {
  expect(await resolve('example.com', { answers })).toBe('address-unreachable');
});

test('an address is not asked for', async () => {
  expect(await resolve('93.184.216.34')).toEqual(['93.184.216.34']);
  expect(await resolve('2606:2800:220::1')).toEqual(['2606:2800:220::1']);
  expect(await resolve('127.0.0.1')).toBe('address-unreachable');
  expect(await resolve('::ffff:7f00:1')).toBe('address-unreachable');
});

test.each(['', '.', 'a..example', '.example', '127.0.0.1..'])(
  'the name “%s”, which has an empty label, does not resolve, whatever the resolver says',
  async (host) => {
    expect(await resolve(host, { answers: ['93.184.216.34'] })).toBe('dns-not-found');
  },
);

test('a name that the resolver does not know does not resolve', async () => {
  expect(await resolve('example.com')).toBe('dns-not-found');
});

describe('localhost and the names below it', () => {
  const answers = ['93.184.216.34'];

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.'])(
    'are this machine, whatever the resolver says: %s',
    async (host) => {
      expect(await resolve(host, { answers })).toBe('address-unreachable');
      expect(await resolve(host, { answers, networks: ['127.0.0.0/8'] })).toEqual(['127.0.0.1']);
      expect(await resolve(host, { answers, networks: ['::1/128'] })).toEqual(['::1']);
      const networks = ['::1/128', '127.0.0.1/32'];
      expect(await resolve(host, { answers, networks })).toEqual(['127.0.0.1', '::1']);
    },
  );

  test.each(['notlocalhost', 'localhost.example.com', 'localhost-1.com'])(
    'are not %s',
    async (host) => {
      expect(await resolve(host, { answers })).toEqual(answers);
    },
  );
});
