import { expect, test } from 'bun:test';
import { capacityOf } from '../../src/scan/capacity.ts';

const gigabyte = 2 ** 30;

test.each([
  ['eight scans for each processor', 2, 16 * gigabyte, 16],
  ['two for each gigabyte where that is less', 2, 4 * gigabyte, 8],
  ['no more than fit', 2, 4 * gigabyte - 1, 7],
  ['one at least', 1, gigabyte / 4, 1],
  ['not more than one browser can serve', 64, 1_024 * gigabyte, 64],
])('a machine has room for %s', (_, processors, memoryBytes, concurrency) => {
  expect(capacityOf(processors, memoryBytes).concurrency).toBe(concurrency);
});

test('axe runs in as many pages at once as there are processors', () => {
  expect(capacityOf(1, gigabyte).axeConcurrency).toBe(1);
  expect(capacityOf(4, gigabyte).axeConcurrency).toBe(4);
});
