import { type Static, Type } from '@sinclair/typebox';
import { DomainError, type DomainErrorCode } from '../errors.ts';
import type { Report } from '../report/report.ts';
import { shuttingDown } from '../scan/queue.ts';
import type { Scan } from '../scan/service.ts';
import { problemSchema, toProblem } from './problem.ts';

export const urlQuerySchema = Type.Object({
  url: Type.String({
    description:
      'The page: a full URL, or a bare domain, which is tried by https and then by http. Percent-encode it.',
    examples: ['https://example.com/'],
  }),
});

export const unfinishedSchema = Type.Object(
  {
    scanId: Type.String(),
    status: Type.Union([Type.Literal('queued'), Type.Literal('running')]),
    url: Type.String(),
  },
  { description: 'Under way: ask again at `Location` after `Retry-After` seconds.' },
);

export const failedSchema = Type.Object(
  {
    scanId: Type.String(),
    status: Type.Literal('failed'),
    url: Type.String(),
    error: problemSchema,
  },
  { description: 'The scan failed; `error` says why.' },
);

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
