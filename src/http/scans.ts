import { type Static, Type } from '@sinclair/typebox';
import { Elysia, t } from 'elysia';
import type { ScanService } from '../scan/service.ts';
import { exampleScanId } from './example-report.ts';
import { readJsonBody } from './json-body.ts';
import { readPreference } from './prefer.ts';
import { problemAnswer, scanProblemAnswers } from './problem-answer.ts';
import { printReportBody, reportBodySchema, toReportBody } from './report-body.ts';
import {
  reportOf,
  scanRecordSchema,
  toFailedBody,
  toUnfinishedBody,
  unfinishedSchema,
  urlQuerySchema,
} from './scan-answer.ts';
import type { WaitForScan } from './wait-for-scan.ts';

const scanBodySchema = Type.Object(
  {
    url: Type.String({
      description: 'The page: a full URL or a bare domain, as in GET, but not percent-encoded.',
      examples: ['https://example.com/'],
    }),
    async: Type.Optional(
      Type.Boolean({
        description:
          'true: answer 202 at once. false: wait for the report as GET does. Unset: wait a while, then answer 202.',
      }),
    ),
  },
  {
    title: 'ScanRequest',
    description: 'What to scan. Read as JSON whatever its content type says; at most 64 KiB.',
    examples: [{ url: 'https://example.com/' }],
  },
);

const preferParameter = {
  name: 'Prefer',
  in: 'header',
  description:
    '`respond-async`: answer 202 at once. `wait=N`: answer 202 if there is no report after N seconds, 3600 at most. `async` in the body comes first.',
  schema: { type: 'string' },
  examples: {
    wait: { summary: 'Wait up to ten seconds', value: 'wait=10' },
    'respond-async': { summary: 'Do not wait', value: 'respond-async' },
  },
} as const;

const pollAfterSeconds = '2';

/** `/api/v1/scan`: starts scans by GET and POST, and tells how they went. */
export function scans({
  service,
  waitForScan,
  postWaitMs,
  docsUrl,
}: {
  service: ScanService;
  waitForScan: WaitForScan;
  postWaitMs: number;
  docsUrl: string;
}) {
  return new Elysia({ name: 'scans', prefix: '/api/v1/scan', tags: ['Scans'] })
    .get(
      '',
      async ({ query, request, server }) => {
        const scan = await waitForScan(query.url, Infinity, { request, server });
        return toReportBody(scan.id, reportOf(scan));
      },
      {
        query: urlQuerySchema,
        response: {
          200: reportBodySchema,
          400: problemAnswer(400, ['invalid-url', 'recursive-scan']),
          ...scanProblemAnswers,
        },
        detail: {
          operationId: 'scanPage',
          summary: 'Scan a page and wait for the report',
          description:
            'Waits as long as the scan takes. Use POST where a connection may not stay open that long.',
        },
      },
    )
    .post(
      '',
      async ({ body, request, server, set, status }) => {
        const preference = readPreference(request.headers.get('prefer'));
        const waitMs =
          body.async === undefined ? (preference?.waitMs ?? postWaitMs) : body.async ? 0 : Infinity;
        const scan = await waitForScan(body.url, waitMs, { request, server });
        if (body.async === undefined && preference !== null) {
          set.headers['preference-applied'] = preference.applied;
        }
        if (body.async === false || scan.status === 'done' || scan.status === 'failed') {
          return toReportBody(scan.id, reportOf(scan));
        }
        set.headers.location = `/api/v1/scan/${scan.id}`;
        set.headers['retry-after'] = pollAfterSeconds;
        return status(202, toUnfinishedBody(scan));
      },
      {
        // The body is read by the first; the second only tells the OpenAPI document its type.
        parse: [({ request }) => readJsonBody(request, scanBodySchema), 'json'],
        body: scanBodySchema,
        response: {
          200: reportBodySchema,
          202: unfinishedSchema,
          400: problemAnswer(400),
          ...scanProblemAnswers,
        },
        detail: {
          operationId: 'startScan',
          summary: 'Start a scan',
          description: `Answers 200 with the report if it is ready within ${postWaitMs / 1_000} seconds, else 202 with a \`scanId\` to poll. \`Prefer: wait=N\` sets another time, in seconds; \`Prefer: respond-async\` and \`"async": true\` answer 202 at once; \`"async": false\` waits as long as GET does.`,
          parameters: [preferParameter],
        },
      },
    )
    .get(
      '/:scanId',
      // Written without a call in a return, by which Elysia would take it for asynchronous.
      ({ params, set }) => {
        const scan = service.find(params.scanId);
        if (scan.report !== null) {
          set.headers['content-type'] = 'application/json;charset=utf-8';
          const printed = printReportBody(scan.id, scan.report);
          return printed;
        }
        if (scan.status !== 'failed') set.headers['retry-after'] = pollAfterSeconds;
        return scan.status === 'failed' ? toFailedBody(scan, docsUrl) : toUnfinishedBody(scan);
      },
      {
        params: Type.Object({
          scanId: Type.String({
            description: 'From the answer to GET or POST.',
            examples: [exampleScanId],
          }),
        }),
        response: {
          // Printed reports can't be checked; the other routes check the same bodies.
          200: t.NoValidate(
            Type.Unsafe<string | Static<typeof scanRecordSchema>>(scanRecordSchema),
          ),
          404: problemAnswer(404, ['scan-not-found']),
          500: problemAnswer(500, ['internal-error']),
          503: problemAnswer(503, ['storage-unavailable']),
        },
        detail: {
          operationId: 'readScan',
          summary: 'Poll a scan',
          description: 'Not counted against any limit. Ends with `status` `done` or `failed`.',
        },
      },
    );
}
