import { type Static, Type } from '@sinclair/typebox';
import { DomainError, type DomainErrorCode } from '../errors.ts';
import type { Report } from '../report/report.ts';
import { shuttingDown } from '../scan/queue.ts';
import type { Scan } from '../scan/service.ts';
import { choice } from './choice.ts';
import { exampleReport, exampleScanId } from './example-report.ts';
import { problemSchema, toProblem } from './problem.ts';
import { exampleProblems } from './problem-answer.ts';
import { reportBodySchema } from './report-body.ts';

export const urlQuerySchema = Type.Object({
  url: Type.String({
    description:
      'The page: a full http or https URL, or a bare domain such as `example.com`, which is tried by https and then by http. Percent-encode it.',
    examples: ['https://example.com/'],
  }),
});

// Of every state of a scan.
const recordFields = {
  scanId: reportBodySchema.properties.scanId,
  url: reportBodySchema.properties.url,
};
const exampleRecord = { scanId: exampleScanId, url: exampleReport.url };

export const unfinishedSchema = Type.Object(
  {
    ...recordFields,
    status: choice(['queued', 'running'], 'Whether the scan has begun.'),
  },
  {
    title: 'UnfinishedScan',
    description: 'The scan is under way: poll it after `Retry-After` seconds.',
    examples: [{ ...exampleRecord, status: 'queued' }],
  },
);

const failedSchema = Type.Object(
  {
    ...recordFields,
    status: Type.Literal('failed', { description: 'The scan has ended without a report.' }),
    error: problemSchema,
  },
  {
    title: 'FailedScan',
    description: 'The scan failed; `error` says why.',
    examples: exampleProblems
      .filter(({ code }) => code === 'error-status')
      .map((error) => ({ ...exampleRecord, status: 'failed', error })),
  },
);

export const scanRecordSchema = Type.Union([reportBodySchema, unfinishedSchema, failedSchema], {
  title: 'ScanRecord',
  description:
    'What has become of the scan: `status` is `queued`, `running`, `failed` with an `error`, or `done` with the report.',
});

/** The error that a failed scan was stored with. */
function failureOf({ id, errorCode, errorDetail }: Scan): DomainError {
  // The column holds only codes that this service has written, and codes are never renamed.
  return new DomainError(errorCode as DomainErrorCode, errorDetail ?? '', { data: { scanId: id } });
}

/** The report of a scan that was waited for; throws what kept it from having one. */
export function reportOf(scan: Scan): Report {
  if (scan.report !== null) return scan.report;
  throw scan.status === 'failed' ? failureOf(scan) : shuttingDown(scan.id);
}

export function toUnfinishedBody({ id, status, url }: Scan): Static<typeof unfinishedSchema> {
  return { scanId: id, status: status === 'running' ? 'running' : 'queued', url };
}

export function toFailedBody(scan: Scan, docsUrl: string): Static<typeof failedSchema> {
  const error = toProblem(failureOf(scan), `/api/v1/scan/${scan.id}`, docsUrl);
  return { scanId: scan.id, status: 'failed', url: scan.url, error };
}
