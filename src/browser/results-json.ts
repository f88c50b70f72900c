import type { AxeResults as RawResults, NodeResult, Result } from 'axe-core';

/** A rule's result, of whose elements only the first may have been kept. */
export interface BoundedResult extends Result {
  /** Affected elements, those that were not kept included. */
  readonly nodeCount: number;
}

/** What crosses from the page to this process. */
export interface BoundedResults {
  readonly violations: BoundedResult[];
  readonly incomplete: BoundedResult[];
  readonly engineVersion: string;
}

/** In characters of JSON: far more than the largest real page needs. */
export const maxNodesLength = 2_000_000;

/**
 * Defines, in the page's world, how results become JSON. A page decides how long its ids and how
 * many its elements are, and could exhaust this process with them: so texts are cut, and elements
 * left out once there are too many. Counts stay exact.
 */
export const resultsJsonSource = `
globalThis.curbcutCutTexts = ${cutTexts.toString()};
globalThis.curbcutResultsJson = ${resultsJson.toString()};
`;

// The functions below run in the page's isolated world, where the source above left them.
declare const curbcutCutTexts: typeof cutTexts;

/** A replacer for `JSON.stringify`. */
export function cutTexts(_key: string, value: unknown): unknown {
  // No selector that a person could use is longer, and axe itself cuts what it shows of elements.
  const maxLength = 1_000;
  return typeof value === 'string' && value.length > maxLength
    ? `${value.slice(0, maxLength)}…`
    : value;
}

export function resultsJson(
  { violations, incomplete, testEngine }: RawResults,
  maxLength: number,
): string {
  let room = maxLength;
  const fits = (node: NodeResult): boolean => {
    if (room > 0) room -= JSON.stringify(node, curbcutCutTexts).length;
    return room > 0;
  };
  const bound = (rule: Result): BoundedResult => ({
    ...rule,
    nodeCount: rule.nodes.length,
    nodes: rule.nodes.filter(fits),
  });
  const bounded: BoundedResults = {
    violations: violations.map(bound),
    incomplete: incomplete.map(bound),
    engineVersion: testEngine.version,
  };
  return JSON.stringify(bounded, curbcutCutTexts);
}
