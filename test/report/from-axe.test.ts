import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { type AxeRuleResult, reportFromAxe, type ScannedPage } from '../../src/report/from-axe.ts';
import { type Impact, impacts } from '../../src/report/report.ts';

type Node = AxeRuleResult['nodes'][number];

function ruleOf(id: string, impact?: Impact | null, nodeCount = 1): AxeRuleResult {
  return {
    id,
    impact,
    description: `${id} described`,
    help: `${id} help`,
    helpUrl: `https://help.example/${id}`,
    tags: ['cat.test', 'wcag2a', 'wcag111'],
    nodeCount,
    nodes: Array.from({ length: nodeCount }, (_, index) => nodeOf(`#${id}-${index}`)),
  };
}

function nodeOf(...target: Node['target']): Node {
  return {
    html: '<p>',
    target,
    impact: 'serious',
    failureSummary: 'Fix it',
    any: [],
    all: [],
    none: [],
  };
}

function pageOf(changes: Partial<ScannedPage>): ScannedPage {
  return {
    url: 'https://example.com/',
    finalUrl: 'https://www.example.com/home',
    violations: [],
    incomplete: [],
    engineVersion: '4.14.1',
    rulesNotCompleted: [],
    warnings: [],
    startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 0),
    endedAtMs: Date.UTC(2026, 0, 2, 3, 4, 7, 89),
    ...changes,
  };
}

test('a clean page has a full score, the label and nothing else', () => {
  expect(reportFromAxe(pageOf({ warnings: ['Parts may be missing.'] }))).toEqual({
    report: {
      url: 'https://example.com/',
      finalUrl: 'https://www.example.com/home',
      score: 100,
      label: 'WCAG AA Verified',
      summary: { critical: 0, serious: 0, moderate: 0, minor: 0, total: 0 },
      violations: [],
      needsReviewCount: 0,
      rulesNotCompleted: [],
      warnings: ['Parts may be missing.'],
      scannedAt: '2026-01-02T03:04:07.089Z',
      durationMs: 2_089,
      engine: { name: 'axe-core', version: '4.14.1' },
    },
    findings: { violations: [], incomplete: [] },
  });
});

test('the report has the rule and how many elements it affects, the findings have the elements', () => {
  const rule = ruleOf('image-alt', 'critical', 3);
  const { report, findings } = reportFromAxe(pageOf({ violations: [rule] }));
  const { nodes: _, nodeCount: __, ...words } = rule;
  expect(report.violations).toEqual([{ ...words, impact: 'critical', count: 3 }]);
  expect(findings.violations).toMatchObject([words]);
  expect(findings.violations[0]?.nodes.map(({ target }) => target)).toEqual([
    ['#image-alt-0'],
    ['#image-alt-1'],
    ['#image-alt-2'],
  ]);
});

test('elements are kept as axe gives them, without what no report needs', () => {
  const check = {
    id: 'has-alt',
    data: null,
    relatedNodes: [],
    impact: 'critical',
    message: 'No alt',
  };
  const node = {
    html: '<img>',
    target: ['#frame', ['#host', 'img']],
    impact: null,
    failureSummary: 'Fix any of the following: No alt',
    any: [check],
    all: [{ ...check, id: 'all' }],
    none: [{ ...check, id: 'none' }],
  };
  const axeNode = { ...node, xpath: ['/img'], ancestry: ['html > img'], element: {} };
  const { findings } = reportFromAxe(
    pageOf({ violations: [{ ...ruleOf('image-alt', 'critical'), nodes: [axeNode] }] }),
  );
  expect(findings.violations[0]?.nodes).toEqual([node]);
});

describe('violations come', () => {
  const idsOf = (...violations: AxeRuleResult[]): string[] => {
    const { report, findings } = reportFromAxe(pageOf({ violations, incomplete: violations }));
    const ids = report.violations.map(({ id }) => id);
    expect(findings.violations.map(({ id }) => id)).toEqual(ids);
    expect(findings.incomplete.map(({ id }) => id)).toEqual(ids);
    return ids;
  };

  test('with the most severe first', () => {
    const ids = idsOf(
      ruleOf('a', 'minor', 9),
      ruleOf('b', 'critical'),
      ruleOf('c', 'moderate', 5),
      ruleOf('d', 'serious', 2),
    );
    expect(ids).toEqual(['b', 'd', 'c', 'a']);
  });

  test('then with the most affected elements', () => {
    expect(
      idsOf(ruleOf('a', 'serious', 2), ruleOf('b', 'serious', 10), ruleOf('c', 'serious', 9)),
    ).toEqual(['b', 'c', 'a']);
  });

  test('then by id, in no country’s alphabet', () => {
    expect(
      idsOf(
        ruleOf('b', 'minor'),
        ruleOf('ä', 'minor'),
        ruleOf('a-b', 'minor'),
        ruleOf('a', 'minor'),
        ruleOf('Z', 'minor'),
      ),
    ).toEqual(['Z', 'a', 'a-b', 'b', 'ä']);
  });

  test('with one that axe gives no impact among the minor ones', () => {
    expect(
      idsOf(
        ruleOf('c', null),
        ruleOf('b', 'minor'),
        ruleOf('a', undefined),
        ruleOf('d', 'moderate'),
      ),
    ).toEqual(['d', 'a', 'b', 'c']);
  });
});

test.each([null, undefined])('an impact of %p counts as minor', (impact) => {
  const { report } = reportFromAxe(pageOf({ violations: [ruleOf('a', impact)] }));
  expect(report.summary).toMatchObject({ minor: 1, total: 1 });
  expect(report.score).toBe(98);
  expect(report.violations[0]?.impact).toBe('minor');
});

test('incomplete rules are counted and kept, and never scored', () => {
  const incomplete = [ruleOf('a', 'critical', 4), ruleOf('b', null), ruleOf('c', 'serious')];
  const { report, findings } = reportFromAxe(pageOf({ incomplete }));
  expect(report).toMatchObject({
    score: 100,
    label: 'WCAG AA Verified',
    summary: { total: 0 },
    violations: [],
    needsReviewCount: 3,
  });
  expect(findings.incomplete.map(({ id, nodes }) => [id, nodes.length])).toEqual([
    ['a', 4],
    ['c', 1],
    ['b', 1],
  ]);
});

test('all violations are kept, counted and scored, however many', () => {
  const violations = Array.from({ length: 40 }, (_, index) => ruleOf(`rule-${index}`, 'minor'));
  const { report, findings } = reportFromAxe(pageOf({ violations }));
  expect(report.violations).toHaveLength(40);
  expect(findings.violations).toHaveLength(40);
  expect(report).toMatchObject({ score: 20, summary: { minor: 40, total: 40 } });
});

test('a rule costs the same for one element and for a hundred', () => {
  const scores = [1, 100].map(
    (count) => reportFromAxe(pageOf({ violations: [ruleOf('a', 'serious', count)] })).report.score,
  );
  expect(scores).toEqual([90, 90]);
});

test('a scan during which the clock was set back took no time', () => {
  const { report } = reportFromAxe(pageOf({ startedAtMs: 5_000, endedAtMs: 4_000 }));
  expect(report).toMatchObject({ durationMs: 0, scannedAt: '1970-01-01T00:00:04.000Z' });
});

test('axe’s own result is left as it was', () => {
  const page = pageOf({ violations: [ruleOf('b', 'minor'), ruleOf('a', 'critical')] });
  const before = structuredClone(page);
  reportFromAxe(page);
  expect(page).toEqual(before);
});

test('the order in which axe lists rules does not matter', () => {
  const rule = fc.record({
    impact: fc.constantFrom(...impacts, null),
    nodeCount: fc.integer({ min: 1, max: 3 }),
  });
  const rules = fc
    .array(rule, { maxLength: 12 })
    .map((all) =>
      all.map(({ impact, nodeCount }, index) => ruleOf(`rule-${index}`, impact, nodeCount)),
    );
  const shuffled = rules.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([violations, others]) => {
      expect(reportFromAxe(pageOf({ violations }))).toEqual(
        reportFromAxe(pageOf({ violations: others })),
      );
    }),
  );
});

test('a page on which a rule was not completed is not verified, whatever its score', () => {
  const { report } = reportFromAxe(pageOf({ rulesNotCompleted: ['label'] }));
  expect(report).toMatchObject({ score: 100, label: null, rulesNotCompleted: ['label'] });
  expect(reportFromAxe(pageOf({})).report.label).toBe('WCAG AA Verified');
});
