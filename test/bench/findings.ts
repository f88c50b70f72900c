import type { AxeResults, Result } from 'axe-core';

/** By rule: how bad it is, and how many elements it concerns. */
export type RuleFindings = Readonly<
  Record<string, { readonly impact: string; readonly count: number }>
>;

/** What a contestant has found on a page. */
export interface Findings {
  readonly axeVersion: string;
  readonly violations: RuleFindings;
  /** What axe leaves to a person; only the number of rules where no more is told. */
  readonly incomplete: RuleFindings | number;
}

/** The rules of WCAG 2.1, level A and AA. */
export const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

export function findingsFromAxe({
  testEngine,
  violations,
  incomplete,
}: Pick<AxeResults, 'testEngine' | 'violations' | 'incomplete'>): Findings {
  return {
    axeVersion: testEngine.version,
    violations: summarize(violations),
    incomplete: summarize(incomplete),
  };
}

function summarize(results: readonly Result[]): RuleFindings {
  return Object.fromEntries(
    // axe gives none where no failed check has one; Curbcut assumes the least.
    results.map(({ id, impact, nodes }) => [
      id,
      { impact: impact ?? 'minor', count: nodes.length },
    ]),
  );
}

/** A sentence for each rule of which something else was found than expected. */
export function differencesFrom(expected: Findings, found: Findings): string[] {
  const differences = differentRules('violation', expected.violations, found.violations);
  if (typeof found.incomplete === 'number' || typeof expected.incomplete === 'number') {
    const [wanted, given] = [countRules(expected.incomplete), countRules(found.incomplete)];
    if (wanted === given) return differences;
    return [...differences, `${given} rules to review instead of ${wanted}`];
  }
  return [...differences, ...differentRules('to review', expected.incomplete, found.incomplete)];
}

function differentRules(what: string, expected: RuleFindings, found: RuleFindings): string[] {
  const describe = (rule: RuleFindings[string] | undefined): string =>
    rule === undefined ? 'nothing' : `${rule.count} ${rule.impact}`;
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    .filter((id) => describe(expected[id]) !== describe(found[id]))
    .map((id) => `${what} ${id}: ${describe(found[id])} instead of ${describe(expected[id])}`);
}

function countRules(incomplete: Findings['incomplete']): number {
  return typeof incomplete === 'number' ? incomplete : Object.keys(incomplete).length;
}
