import { expect, test } from 'bun:test';
import { geometricMean, median, quantile } from './statistics.ts';

test('a quantile lies between the two values next to it', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([1, 2])).toBe(1.5);
  expect(quantile([10, 20, 30, 40, 50], 0.95)).toBeCloseTo(48);
  expect(quantile([7], 0.95)).toBe(7);
  expect(median([])).toBeNaN();
});

test('the mean of ratios weighs twice as much like half as much', () => {
  expect(geometricMean([0.5, 2])).toBeCloseTo(1);
  expect(geometricMean([])).toBeNaN();
});
