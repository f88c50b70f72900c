import { expect, test } from 'bun:test';
import { readPreference } from '../../src/http/prefer.ts';

test.each([
  [null, null],
  ['', null],
  ['return=minimal', null],
  ['respond-async', { waitMs: 0, applied: 'respond-async' }],
  ['Respond-Async', { waitMs: 0, applied: 'respond-async' }],
  ['wait=0', { waitMs: 0, applied: 'wait=0' }],
  ['wait=10', { waitMs: 10_000, applied: 'wait=10' }],
  ['wait = 10', { waitMs: 10_000, applied: 'wait=10' }],
  ['wait="10"', { waitMs: 10_000, applied: 'wait=10' }],
  ['respond-async, wait=10', { waitMs: 10_000, applied: 'wait=10' }],
  ['return=minimal; foo=bar, wait=7; x', { waitMs: 7_000, applied: 'wait=7' }],
  ['wait=3600', { waitMs: 3_600_000, applied: 'wait=3600' }],
  ['wait=3601', { waitMs: 3_600_000, applied: 'wait=3600' }],
  ['wait=-1', null],
  ['wait=1.5', null],
  ['wait=soon', null],
  ['wait', null],
  ['await=5', null],
])('Prefer: %s is read as %j', (header, preference) => {
  expect(readPreference(header)).toEqual(preference);
});
