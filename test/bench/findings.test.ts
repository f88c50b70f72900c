import { expect, test } from 'bun:test';
import { differencesFrom, type Findings } from './findings.ts';

const expected: Findings = {
  axeVersion: '4.14.1',
  violations: { label: { impact: 'critical', count: 2 } },
  incomplete: { 'color-contrast': { impact: 'serious', count: 3 } },
};

test('the same rules, impacts and counts are no difference, whatever their version', () => {
  expect(differencesFrom(expected, { ...expected, axeVersion: '4.11.4' })).toEqual([]);
});

test('another count or impact, a missing and an additional rule are told', () => {
  const found: Findings = {
    ...expected,
    violations: { label: { impact: 'critical', count: 1 }, list: { impact: 'serious', count: 4 } },
    incomplete: { 'color-contrast': { impact: 'minor', count: 3 } },
  };
  expect(differencesFrom(expected, found)).toEqual([
    'violation label: 1 critical instead of 2 critical',
    'violation list: 4 serious instead of nothing',
    'to review color-contrast: 3 minor instead of 3 serious',
  ]);
});

test('where only the number of rules to review is told, numbers are compared', () => {
  expect(differencesFrom(expected, { ...expected, incomplete: 1 })).toEqual([]);
  expect(differencesFrom(expected, { ...expected, incomplete: 2 })).toEqual([
    '2 rules to review instead of 1',
  ]);
});
