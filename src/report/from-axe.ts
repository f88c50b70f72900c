import {
  type Finding,
  type FindingNode,
  type Findings,
  type Impact,
  impacts,
  type Report,
  type Violation,
} from './report.ts';
import { labelOf, scoreOf, summarize } from './score.ts';

/** One rule of axe's result (axe.d.ts, `Result`), as far as a report needs it. */
export interface AxeRuleResult {
  readonly id: string;
  readonly impact?: Impact | null | undefined;
  readonly description: string;
  readonly help: string;
  readonly helpUrl: string;
  readonly tags: readonly string[];
  /** Affected elements; `nodes` may lack some of them. */
  readonly nodeCount: number;
  readonly nodes: readonly AxeNodeResult[];
}

interface AxeNodeResult extends Omit<FindingNode, 'impact' | 'failureSummary'> {
  readonly impact?: Impact | null | undefined;
  readonly failureSummary?: string | undefined;
}

/** What a report is made of. */
export interface ScannedPage {
  readonly url: string;
  readonly finalUrl: string;
  readonly violations: readonly AxeRuleResult[];
  readonly incomplete: readonly AxeRuleResult[];
  readonly engineVersion: string;
  readonly rulesNotCompleted: readonly string[];
  readonly warnings: readonly string[];
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** Splits a scan's outcome into the report, which is small, and the findings, which may be large. */
export function reportFromAxe(page: ScannedPage): { report: Report; findings: Findings } {
  const findings: Findings = {
    violations: page.violations.map(toFinding).toSorted(worstFirst),
    incomplete: page.incomplete.map(toFinding).toSorted(worstFirst),
  };
  const violations = findings.violations.map(toViolation);
  const summary = summarize(violations);
  const report: Report = {
    url: page.url,
    finalUrl: page.finalUrl,
    score: scoreOf(summary),
    // What was not checked can't be verified.
    label: page.rulesNotCompleted.length > 0 ? null : labelOf(summary),
    summary,
    violations,
    needsReviewCount: findings.incomplete.length,
    rulesNotCompleted: page.rulesNotCompleted,
    warnings: page.warnings,
    scannedAt: new Date(page.endedAtMs).toISOString(),
    // The clock may have been set back.
    durationMs: Math.max(0, page.endedAtMs - page.startedAtMs),
    engine: { name: 'axe-core', version: page.engineVersion },
  };
  return { report, findings };
}

function toFinding({
  id,
  impact,
  description,
  help,
  helpUrl,
  tags,
  nodeCount,
  nodes,
}: AxeRuleResult): Finding {
  return {
    id,
    // axe leaves it null where no failed check says; the least is assumed.
    impact: impact ?? 'minor',
    description,
    help,
    helpUrl,
    count: nodeCount,
    tags,
    nodes: nodes.map((node) => ({
      html: node.html,
      target: node.target,
      impact: node.impact ?? null,
      failureSummary: node.failureSummary,
      any: node.any,
      all: node.all,
      none: node.none,
    })),
  };
}

function toViolation({ nodes: _, ...violation }: Finding): Violation {
  return violation;
}

function worstFirst(a: Finding, b: Finding): number {
  return (
    impacts.indexOf(a.impact) - impacts.indexOf(b.impact) ||
    b.count - a.count ||
    // Not by locale: the order of a report must not depend on where it was made.
    (a.id < b.id ? -1 : 1)
  );
}
