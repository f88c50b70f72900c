import { expect, test } from 'bun:test';
import { derivePartitionKey } from '../../src/rate-limit/partition-key.ts';

const secret = new Uint8Array(32).fill(7);

test('a client has one key under one secret', () => {
  expect(derivePartitionKey(secret, '192.0.2.1')).toBe(derivePartitionKey(secret, '192.0.2.1'));
});

test('another client or another secret gives another key', () => {
  const key = derivePartitionKey(secret, '192.0.2.1');
  expect(derivePartitionKey(secret, '192.0.2.2')).not.toBe(key);
  expect(derivePartitionKey(new Uint8Array(32).fill(8), '192.0.2.1')).not.toBe(key);
});

test('the key is HMAC-SHA256, test case 2 of RFC 4231', () => {
  expect(derivePartitionKey(new TextEncoder().encode('Jefe'), 'what do ya want for nothing?')).toBe(
    Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex').toString(
      'base64url',
    ),
  );
});
