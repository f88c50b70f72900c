import { expect, test } from 'bun:test';
import { rateLimitFields } from '../../src/rate-limit/fields.ts';
import type { PolicyState } from '../../src/rate-limit/limiter.ts';

const get: PolicyState = {
  policy: { name: 'scan-get', quota: 10, windowSeconds: 3_600 },
  remaining: 9,
  resetSeconds: 3_600,
};
const total: PolicyState = {
  policy: { name: 'scan-total', quota: 100, windowSeconds: 86_400 },
  remaining: 99,
  resetSeconds: 86_400,
};
const receipt = { eventIds: [] };

test('the fields name every policy and describe the tightest', () => {
  expect(
    rateLimitFields({
      allowed: true,
      retryAfterSeconds: 0,
      receipt,
      states: [get, total],
      tightest: get,
    }),
  ).toEqual({
    'RateLimit-Limit': '10',
    'RateLimit-Remaining': '9',
    'RateLimit-Reset': '3600',
    'RateLimit-Policy': '"scan-get";q=10;w=3600, "scan-total";q=100;w=86400',
    RateLimit: '"scan-get";r=9;t=3600',
  });
});

test('a refusal says when to come back', () => {
  const spent = { ...get, remaining: 0, resetSeconds: 59 };
  expect(
    rateLimitFields({
      allowed: false,
      retryAfterSeconds: 60,
      receipt,
      states: [spent],
      tightest: spent,
    }),
  ).toMatchObject({ 'RateLimit-Remaining': '0', 'RateLimit-Reset': '59', 'Retry-After': '60' });
});

test('a standing without anything left is no refusal', () => {
  const spent = { ...get, remaining: 0 };
  expect(rateLimitFields({ states: [spent], tightest: spent })).not.toHaveProperty('Retry-After');
});

test('without a policy there are no fields', () => {
  expect(rateLimitFields({ states: [], tightest: null })).toEqual({});
});

test('quotes and backslashes of a name are escaped', () => {
  const odd = { ...get, policy: { ...get.policy, name: String.raw`a"b\c` } };
  expect(rateLimitFields({ states: [odd], tightest: odd })['RateLimit']).toBe(
    String.raw`"a\"b\\c";r=9;t=3600`,
  );
});
