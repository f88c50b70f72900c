import { describe, expect, test } from 'bun:test';
import { parsePolicy } from '../../src/rate-limit/policy.ts';

describe('a rate limit is read as quota and window', () => {
  test.each([
    ['10/1h', 10, 3_600],
    ['100/1d', 100, 86_400],
    ['1/1s', 1, 1],
    ['5/30s', 5, 30],
    ['7/15m', 7, 900],
    ['100000/365d', 100_000, 31_536_000],
    ['1/31536000s', 1, 31_536_000],
  ])('%s', (text, quota, windowSeconds) => {
    expect(parsePolicy('scan-get', text)).toEqual({ name: 'scan-get', quota, windowSeconds });
  });
});

test('off is no policy', () => {
  expect(parsePolicy('scan-get', 'off')).toBeNull();
});

describe('a quota out of bounds is refused by its bounds', () => {
  test.each(['0/1h', '100001/1h', `${'9'.repeat(400)}/1h`])('%s', (text) => {
    expect(() => parsePolicy('scan-get', text)).toThrow('the quota goes from 1 to 100000');
  });
});

describe('a window out of bounds is refused by its bounds', () => {
  test.each(['10/0s', '10/0d', '10/366d', '10/31536001s', `10/${'9'.repeat(400)}s`])(
    '%s',
    (text) => {
      expect(() => parsePolicy('scan-get', text)).toThrow('the window goes from 1s to 365d');
    },
  );
});

describe('any other text is refused with the form it should have', () => {
  test.each([
    '',
    ' ',
    'OFF',
    'none',
    '10',
    '10/',
    '/1h',
    '10/h',
    '10/1',
    '10/1w',
    '10/1H',
    '10/1hh',
    '10/1h ',
    ' 10/1h',
    '10 / 1h',
    '10/1h\n',
    '-1/1h',
    '+10/1h',
    '10/-1h',
    '1e3/1h',
    '0x10/1h',
    '010/1h',
    '10/01h',
    '1.5/1h',
    '10/1.5h',
    '10/1h, 100/1d',
    '١٠/1h',
    'NaN/1h',
    'Infinity/1h',
    '10/1_',
  ])('%j', (text) => {
    expect(() => parsePolicy('scan-get', text)).toThrow(
      new RangeError(
        `${JSON.stringify(text)} is not a rate limit: write a quota, a slash and a window as in 10/1h (units s, m, h, d), or off.`,
      ),
    );
  });
});
