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

/** No selector that a person could use is longer, and axe itself cuts what it shows of elements. */
export const maxTextLength = 1_000;

/**
 * Defines, in the page's world, how results become JSON. A page decides how long its ids and how
 * many its elements are, and could exhaust this process with them: so texts are cut, and elements
 * left out once there are too many. Counts stay exact.
 */
export const resultsJsonSource = `
globalThis.curbcutMaxTextLength = ${maxTextLength};
globalThis.curbcutCutTexts = ${cutTexts.toString()};
globalThis.curbcutResultsJson = ${resultsJson.toString()};
`;

// The functions below run in the page's isolated world, where the source above left them.
declare const curbcutMaxTextLength: number;
declare const curbcutCutTexts: typeof cutTexts;

/** A replacer for `JSON.stringify`. */
export function cutTexts(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > curbcutMaxTextLength
    ? `${value.slice(0, curbcutMaxTextLength)}…`
    : value;
}

/** Of `BoundedResults`. */
export function resultsJson(
  { violations, incomplete, testEngine }: RawResults,
  maxLength: number,
): string {
  let room = maxLength;
  const jsonOf = (node: NodeResult): string => {
    const json = JSON.stringify(node);
    // To look at each text costs more than all else; in what is short none is long.
    return json.length > curbcutMaxTextLength ? JSON.stringify(node, curbcutCutTexts) : json;
  };
  const bound = ({ nodes, ...rule }: Result): string => {
    const kept: string[] = [];
    for (const node of nodes) {
      if (room <= 0) break;
      const json = jsonOf(node);
      room -= json.length;
      if (room > 0) kept.push(json);
    }
    const fields = JSON.stringify({ ...rule, nodeCount: nodes.length }, curbcutCutTexts);
    return `${fields.slice(0, -1)},"nodes":[${kept.join(',')}]}`;
  };
  const list = (rules: Result[]): string => `[${rules.map(bound).join(',')}]`;
  return `{"violations":${list(violations)},"incomplete":${list(incomplete)},"engineVersion":${JSON.stringify(testEngine.version)}}`;
}
