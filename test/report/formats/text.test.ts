import { describe, expect, test } from 'bun:test';
import { formatText } from '../../../src/report/formats/text.ts';
import {
  type AxeRuleResult,
  reportFromAxe,
  type ScannedPage,
} from '../../../src/report/from-axe.ts';

type Target = AxeRuleResult['nodes'][number]['target'];

function ruleOf(
  changes: Partial<Omit<AxeRuleResult, 'nodes' | 'nodeCount'>>,
  ...targets: Target[]
): AxeRuleResult {
  return {
    id: 'image-alt',
    impact: 'critical',
    description: 'Ensure images have alternative text',
    help: 'Images must have alternative text',
    helpUrl: 'https://help.example/image-alt',
    tags: ['wcag2a'],
    ...changes,
    nodeCount: targets.length,
    nodes: targets.map((target) => ({ html: '<img>', target, any: [], all: [], none: [] })),
  };
}

function print(changes: Partial<ScannedPage>): string {
  const { report, findings } = reportFromAxe({
    url: 'https://example.com/',
    finalUrl: 'https://example.com/',
    violations: [],
    incomplete: [],
    engineVersion: '4.14.1',
    rulesNotCompleted: [],
    warnings: [],
    startedAtMs: 0,
    endedAtMs: 1_240,
    ...changes,
  });
  return formatText(report, findings);
}

const contrast = {
  id: 'color-contrast',
  impact: 'serious',
  help: 'Elements must meet minimum color contrast ratio thresholds',
  helpUrl: 'https://help.example/color-contrast',
} as const;

test('a report reads like this', () => {
  const text = print({
    finalUrl: 'https://www.example.com/home?a=1',
    violations: [
      ruleOf(
        contrast,
        ['.a'],
        ['#ads', '.b'],
        ['#host-frame', ['#host', '#inner', 'p']],
        ['.d'],
        ['.e'],
        ['.f'],
        ['.g'],
      ),
      ruleOf({}, ['img']),
    ],
    incomplete: [ruleOf(contrast, ['.z'])],
    warnings: ['2 frames of the page could not be scanned and count for nothing.', 'Second.'],
    endedAtMs: 12_951,
  });
  expect(text).toBe(`https://example.com/ → https://www.example.com/home?a=1
Score 65 of 100
2 violations: 1 critical, 1 serious; 1 rule to review by hand
axe-core 4.14.1, WCAG 2.1 AA, 13.0 s

critical  image-alt: Images must have alternative text (1 element)
  https://help.example/image-alt
  - img

serious  color-contrast: Elements must meet minimum color contrast ratio thresholds (7 elements)
  https://help.example/color-contrast
  - .a
  - #ads | .b
  - #host-frame | #host >>> #inner >>> p
  - .d
  - .e
  … and 2 more

Note: 2 frames of the page could not be scanned and count for nothing.

Note: Second.
`);
});

test('a clean page has its address once, its label and no list', () => {
  expect(print({})).toBe(`https://example.com/
Score 100 of 100, WCAG AA Verified
0 violations; 0 rules to review by hand
axe-core 4.14.1, WCAG 2.1 AA, 1.2 s
`);
});

describe('elements are listed', () => {
  const listOf = (count: number): string[] => {
    const targets = Array.from({ length: count }, (_, index) => [`#e${index}`]);
    const lines = print({ violations: [ruleOf({}, ...targets)] }).split('\n');
    return lines.slice(lines.indexOf('  https://help.example/image-alt') + 1, -1);
  };
  const five = ['  - #e0', '  - #e1', '  - #e2', '  - #e3', '  - #e4'];

  test.each([
    [4, five.slice(0, 4)],
    [5, five],
    [6, [...five, '  … and 1 more']],
    [1_000, [...five, '  … and 995 more']],
  ])('of %d', (count, lines) => {
    expect(listOf(count)).toEqual(lines);
  });
});

describe('text of the page cannot steer the terminal or fake lines', () => {
  test.each([
    ['an escape sequence', '#a\u001b[2Jb', '#a�[2Jb'],
    [
      'a link of the terminal',
      '\u001b]8;;https://evil.example\u0007x',
      '�]8;;https://evil.example�x',
    ],
    ['an 8-bit control', '#a\u009b31mb', '#a�31mb'],
    ['a carriage return', 'img\rScore 100', 'img�Score 100'],
    ['a backspace', 'img\b\b\b', 'img���'],
    ['a NUL', 'a\u0000b', 'a�b'],
    ['a delete', 'a\u007fb', 'a�b'],
    ['a line feed', 'img\nScore 100 of 100', 'img�Score 100 of 100'],
    ['a line separator', 'img\u2028\u2029Score', 'img��Score'],
    ['an override of the direction', 'a\u202eb\u202c', 'a�b�'],
    ['an isolate', 'a\u2066b\u2069', 'a�b�'],
    ['a mark of the direction', 'a\u200e\u200f\u061cb', 'a���b'],
    ['letters of all scripts', 'ä العربية 漢字 🦄', 'ä العربية 漢字 🦄'],
  ])('%s', (_, selector, shown) => {
    expect(print({ violations: [ruleOf({}, [selector])] })).toContain(`\n  - ${shown}\n`);
    expect(print({ violations: [ruleOf({}, ['#f', ['#h', selector]])] })).toContain(
      `\n  - #f | #h >>> ${shown}\n`,
    );
  });

  test('in a warning neither', () => {
    expect(print({ warnings: ['a\u001bb\nc'] })).toEndWith('\n\nNote: a�b�c\n');
  });
});
