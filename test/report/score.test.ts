import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { type Impact, impacts, type Summary } from '../../src/report/report.ts';
import { labelOf, scoreOf, summarize } from '../../src/report/score.ts';

type Counts = Partial<Record<Impact, number>>;

function summaryOf(counts: Counts): Summary {
  return summarize(
    impacts.flatMap((impact) => Array.from({ length: counts[impact] ?? 0 }, () => ({ impact }))),
  );
}

const arbitraryCounts = fc.record({
  critical: fc.nat({ max: 6 }),
  serious: fc.nat({ max: 12 }),
  moderate: fc.nat({ max: 25 }),
  minor: fc.nat({ max: 60 }),
});

test('impacts are ordered from the worst', () => {
  expect(impacts).toEqual(['critical', 'serious', 'moderate', 'minor']);
});

test('a summary counts the rules of each impact and all of them', () => {
  expect(summaryOf({ critical: 1, serious: 2, moderate: 3, minor: 4 })).toEqual({
    critical: 1,
    serious: 2,
    moderate: 3,
    minor: 4,
    total: 10,
  });
  expect(summarize([])).toEqual({ critical: 0, serious: 0, moderate: 0, minor: 0, total: 0 });
});

describe('a score is 100 less the deductions', () => {
  test.each<[Counts, number]>([
    [{}, 100],
    [{ critical: 1 }, 75],
    [{ serious: 1 }, 90],
    [{ moderate: 1 }, 95],
    [{ minor: 1 }, 98],
    [{ critical: 1, serious: 1, moderate: 1, minor: 1 }, 58],
    [{ critical: 3 }, 25],
    [{ serious: 9 }, 10],
    [{ moderate: 19 }, 5],
    [{ minor: 49 }, 2],
  ])('%j: %d', (counts, score) => {
    expect(scoreOf(summaryOf(counts))).toBe(score);
  });
});

describe('a score is never below 0', () => {
  test.each<[Counts, number]>([
    [{ critical: 3, serious: 2, minor: 2 }, 1],
    [{ critical: 4 }, 0],
    [{ critical: 3, serious: 2, moderate: 1 }, 0],
    [{ critical: 3, serious: 2, minor: 3 }, 0],
    [{ critical: 1_000 }, 0],
  ])('%j: %d', (counts, score) => {
    expect(scoreOf(summaryOf(counts))).toBe(score);
  });
});

describe('the label is for 90 or more with nothing critical and nothing serious', () => {
  test.each<[Counts, number, boolean]>([
    [{}, 100, true],
    [{ minor: 1 }, 98, true],
    [{ moderate: 2 }, 90, true],
    [{ minor: 5 }, 90, true],
    [{ moderate: 1, minor: 2 }, 91, true],
    [{ moderate: 1, minor: 3 }, 89, false],
    [{ minor: 6 }, 88, false],
    [{ moderate: 3 }, 85, false],
    [{ serious: 1 }, 90, false],
    [{ serious: 1, minor: 1 }, 88, false],
    [{ critical: 1 }, 75, false],
  ])('%j: %d, %p', (counts, score, verified) => {
    const summary = summaryOf(counts);
    expect(scoreOf(summary)).toBe(score);
    expect(labelOf(summary)).toBe(verified ? 'WCAG AA Verified' : null);
  });
});

test('score and label are as the specification says, whatever was violated', () => {
  fc.assert(
    fc.property(arbitraryCounts, (counts) => {
      const { critical, serious, moderate, minor } = counts;
      const summary = summaryOf(counts);
      const score = Math.max(0, 100 - 25 * critical - 10 * serious - 5 * moderate - 2 * minor);
      expect(summary).toEqual({ ...counts, total: critical + serious + moderate + minor });
      expect(scoreOf(summary)).toBe(score);
      expect(labelOf(summary) !== null).toBe(score >= 90 && critical === 0 && serious === 0);
    }),
  );
});
