import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { AxeResults, NodeResult, Result } from 'axe-core';
import {
  type BoundedResults,
  cutTexts,
  maxTextLength,
  resultsJson,
} from '../../src/browser/results-json.ts';

// As in the page's world.
const names = { curbcutMaxTextLength: maxTextLength, curbcutCutTexts: cutTexts };
beforeEach(() => void Object.assign(globalThis, names));
afterEach(() => {
  for (const name of Object.keys(names)) Reflect.deleteProperty(globalThis, name);
});

const nodeOf = (selector: string): NodeResult => ({
  html: '<i>',
  target: [selector],
  any: [],
  all: [],
  none: [],
});
const ruleOf = (id: string, ...selectors: string[]): Result => ({
  id,
  description: '',
  help: '',
  helpUrl: '',
  tags: [],
  nodes: selectors.map(nodeOf),
});
const nodeLength = JSON.stringify(nodeOf('i')).length;

function bound(maxLength: number, violations: Result[], incomplete: Result[] = []): BoundedResults {
  const results = { violations, incomplete, testEngine: { name: 'axe-core', version: '4' } };
  return JSON.parse(resultsJson(results as unknown as AxeResults, maxLength));
}
const kept = ({ violations, incomplete }: BoundedResults) =>
  [...violations, ...incomplete].map(({ id, nodeCount, nodes }) => [id, nodeCount, nodes.length]);

test('results that are small enough are whole', () => {
  const results = bound(
    4 * nodeLength + 1,
    [ruleOf('a', 'i', 'i'), ruleOf('b', 'i')],
    [ruleOf('c', 'i')],
  );
  expect(results.engineVersion).toBe('4');
  expect(results.violations[0]).toEqual({ ...ruleOf('a', 'i', 'i'), nodeCount: 2 });
  expect(kept(results)).toEqual([
    ['a', 2, 2],
    ['b', 1, 1],
    ['c', 1, 1],
  ]);
});

test('elements beyond the bound are counted and left out', () => {
  const results = bound(
    3 * nodeLength,
    [ruleOf('a', 'i', 'i'), ruleOf('b', 'i')],
    [ruleOf('c', 'i')],
  );
  expect(kept(results)).toEqual([
    ['a', 2, 2],
    ['b', 1, 0],
    ['c', 1, 0],
  ]);
});

test('a text of more than 1,000 characters is cut', () => {
  const [limit, longer] = ['x'.repeat(1_000), 'x'.repeat(1_001)];
  const [rule] = bound(100_000, [ruleOf('a', limit, longer)]).violations;
  expect(rule?.nodes.map(({ target }) => target)).toEqual([[limit], [`${limit}…`]]);
});
