import { type Static, Type } from '@sinclair/typebox';
import type { Report, Violation } from '../report/report.ts';
import { choice } from './choice.ts';
import { exampleLegacyReport, exampleReport, exampleScanId } from './example-report.ts';

const countOf = (description: string) => Type.Integer({ minimum: 0, description });

const violationFields = {
  id: Type.String({ description: 'The rule, as axe-core names it.', examples: ['image-alt'] }),
  impact: choice(['critical', 'serious', 'moderate', 'minor'], 'How much it hinders people.'),
  description: Type.String({ description: 'What the rule checks.' }),
  help: Type.String({ description: 'What the page must do.' }),
  helpUrl: Type.String({ description: 'An explanation, with examples.' }),
  count: Type.Integer({ minimum: 1, description: 'Affected elements.' }),
};

const reportFields = {
  scanId: Type.String({
    description: 'Where the report stays: `/api/v1/scan/{scanId}`.',
    examples: [exampleScanId],
  }),
  status: Type.Literal('done', { description: 'The scan has ended with a report.' }),
  url: Type.String({
    description: 'The canonical URL that was scanned.',
    examples: ['https://example.com/'],
  }),
  finalUrl: Type.String({
    description: "The document's URL after redirects.",
    examples: ['https://example.com/en/'],
  }),
  score: Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      '100, less 25 for each critical, 10 for each serious, 5 for each moderate and 2 for each minor violation.',
  }),
  label: Type.Union([Type.Literal('WCAG AA Verified'), Type.Null()], {
    description:
      'For a score of 90 or more with nothing critical and nothing serious, when all rules were completed; else null.',
  }),
  violationCount: countOf('Violated rules, all of them.'),
  summary: Type.Object(
    {
      critical: countOf('Critical violations.'),
      serious: countOf('Serious violations.'),
      moderate: countOf('Moderate violations.'),
      minor: countOf('Minor violations.'),
      total: countOf('All violations.'),
    },
    { title: 'Summary', description: 'Violated rules by impact.' },
  ),
  needsReviewCount: countOf('Rules that axe-core leaves to a person; they cost no points.'),
  rulesNotCompleted: Type.Array(Type.String(), {
    description: 'Rules that took too long on this page; they cost no points, but the label.',
  }),
  warnings: Type.Array(Type.String(), {
    description: 'In what the scan differs from a visit to the page.',
  }),
  scannedAt: Type.String({ format: 'date-time', description: 'When the scan completed.' }),
  durationMs: countOf('How long it took, its wait in the queue not counted.'),
  engine: Type.Object(
    {
      name: Type.Literal('axe-core', { description: 'Its name.' }),
      version: Type.String({ description: 'Its version.' }),
    },
    { title: 'Engine', description: 'What checked the page.' },
  ),
};

const maxViolations = 10;
const topViolations = `At most ${maxViolations}: most severe first, then most affected elements, then id.`;

const violationSchema = Type.Object(violationFields, {
  title: 'Violation',
  description: 'A rule that the page violates.',
});

const legacyViolationSchema = Type.Object(
  {
    ...violationFields,
    wcagTags: Type.Array(Type.String(), {
      description: 'The WCAG level and success criteria that the rule belongs to.',
      examples: [['wcag2a', 'wcag111']],
    }),
  },
  { title: 'LegacyViolation', description: 'A rule that the page violates.' },
);

export const reportBodySchema = Type.Object(
  {
    ...reportFields,
    violations: Type.Array(violationSchema, { description: topViolations }),
  },
  { title: 'Report', description: 'The report of a scan.', examples: [exampleReport] },
);

export const legacyReportBodySchema = Type.Object(
  {
    ...reportFields,
    violations: Type.Array(legacyViolationSchema, { description: topViolations }),
    wcagLevel: Type.Literal('WCAG 2.1 AA', { description: 'What the page was checked against.' }),
    poweredBy: Type.String({ description: 'Who runs this service.', examples: ['Curbcut'] }),
    docsUrl: Type.String({ description: 'The documentation of this API.' }),
  },
  {
    title: 'LegacyReport',
    description: 'The report of a scan, with more about each violation.',
    examples: [exampleLegacyReport],
  },
);

/** The report as the versioned API gives it. */
export function toReportBody(scanId: string, report: Report): Static<typeof reportBodySchema> {
  return {
    scanId,
    status: 'done',
    url: report.url,
    finalUrl: report.finalUrl,
    score: report.score,
    label: report.label,
    violationCount: report.violations.length,
    summary: report.summary,
    needsReviewCount: report.needsReviewCount,
    // Reports of earlier versions have none.
    rulesNotCompleted: [...(report.rulesNotCompleted ?? [])],
    warnings: [...report.warnings],
    scannedAt: report.scannedAt,
    durationMs: report.durationMs,
    engine: report.engine,
    violations: top(report).map(toViolationBody),
  };
}

/** What was printed, for as long as the store keeps the report. */
const printed = new WeakMap<Report, string>();

/** The same as JSON, which many may poll. A report is of one scan. */
export function printReportBody(scanId: string, report: Report): string {
  const text = printed.get(report) ?? JSON.stringify(toReportBody(scanId, report));
  printed.set(report, text);
  return text;
}

/** The report as the legacy endpoint gives it. */
export function toLegacyReportBody(
  scanId: string,
  report: Report,
  { operatorName, docsUrl }: { operatorName: string; docsUrl: string },
): Static<typeof legacyReportBodySchema> {
  return {
    ...toReportBody(scanId, report),
    violations: top(report).map((violation) => ({
      ...toViolationBody(violation),
      wcagTags: violation.tags.filter((tag) => tag.startsWith('wcag')),
    })),
    wcagLevel: 'WCAG 2.1 AA',
    poweredBy: operatorName,
    docsUrl,
  };
}

function top({ violations }: Report): readonly Violation[] {
  return violations.slice(0, maxViolations);
}

function toViolationBody({ id, impact, description, help, helpUrl, count }: Violation) {
  return { id, impact, description, help, helpUrl, count };
}
