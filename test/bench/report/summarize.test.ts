import { expect, test } from 'bun:test';
import type { ContestantName } from '../contestants/lineup.ts';
import type { SingleScan } from '../figures/one-at-a-time.ts';
import { meanRatio, ofSize, summarizePages } from './summarize.ts';

const scan = (
  contestant: ContestantName,
  page: string,
  cpuMs: number,
  elements = 100,
): SingleScan => ({
  contestant,
  page,
  cpuMs,
  wallMs: cpuMs / 2,
  rootCpuMs: cpuMs / 10,
  findings: { axeVersion: '4.14.1', violations: {}, incomplete: {} },
  ...(contestant === 'floor' ? { elements } : {}),
});

test('a page is told by medians, its size by the floor', () => {
  const [page] = summarizePages([
    scan('floor', 'a', 100, 1_500),
    ...[10, 90, 20].map((cpuMs) => scan('curbcut', 'a', cpuMs)),
  ]);
  expect(page?.elements).toBe(1_500);
  expect(page?.of.get('curbcut')).toEqual({
    cpuMs: 20,
    wallMs: 10,
    rootShare: 0.1,
    differences: [],
  });
  expect(ofSize(page === undefined ? [] : [page], '1,000 to 3,000')).toHaveLength(1);
});

test('what was found otherwise than by the floor is told once', () => {
  const other = {
    ...scan('pa11y', 'a', 10),
    findings: { axeVersion: '4.11', violations: {}, incomplete: 2 },
  };
  const [page] = summarizePages([scan('floor', 'a', 10), other, other]);
  expect(page?.of.get('pa11y')?.differences).toEqual(['2 rules to review instead of 0']);
});

test('the mean ratio is over the pages that both have scanned', () => {
  const pages = summarizePages([
    scan('floor', 'a', 100),
    scan('floor', 'b', 100),
    scan('floor', 'c', 100),
    scan('curbcut', 'a', 50),
    scan('curbcut', 'b', 200),
  ]);
  expect(meanRatio(pages, 'cpuMs', 'curbcut')).toBeCloseTo(1);
  expect(meanRatio(pages, 'cpuMs', 'lighthouse')).toBeNaN();
});
