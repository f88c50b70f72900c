import { type Impact, impacts, type Report, type Summary } from './report.ts';

const deductions: Readonly<Record<Impact, number>> = {
  critical: 25,
  serious: 10,
  moderate: 5,
  minor: 2,
};

const verifiedScore = 90;

/** Counts rules, not elements: one missing label and a hundred are one thing to learn. */
export function summarize(violations: readonly { readonly impact: Impact }[]): Summary {
  const countOf = (impact: Impact): number =>
    violations.filter((violation) => violation.impact === impact).length;
  return {
    critical: countOf('critical'),
    serious: countOf('serious'),
    moderate: countOf('moderate'),
    minor: countOf('minor'),
    total: violations.length,
  };
}

/** 100 less a deduction for every violated rule, never below 0. */
export function scoreOf(summary: Summary): number {
  const lost = impacts.reduce((sum, impact) => sum + summary[impact] * deductions[impact], 0);
  return Math.max(0, 100 - lost);
}

/** 90 or more, with nothing critical and nothing serious. */
export function labelOf(summary: Summary): Report['label'] {
  const verified =
    scoreOf(summary) >= verifiedScore && summary.critical === 0 && summary.serious === 0;
  return verified ? 'WCAG AA Verified' : null;
}
