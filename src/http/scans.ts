import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { ScanService } from '../scan/service.ts';
import { readJsonBody } from './json-body.ts';
import { readPreference } from './prefer.ts';
import { reportBodySchema, toReportBody } from './report-body.ts';
import {
  failedSchema,
  reportOf,
  toFailedBody,
  toUnfinishedBody,
  unfinishedSchema,
  urlQuerySchema,
} from './scan-answer.ts';

const scanBodySchema = Type.Object({
  url: Type.String({ description: 'The page, as in GET.', examples: ['https://example.com/'] }),
  async: Type.Optional(
    Type.Boolean({
      description:
        'true: answer 202 at once. false: wait for the report as GET does. Unset: wait a while, then answer 202.',
    }),
  ),
});

const pollAfterSeconds = '2';

/** `/api/v1/scan`: starts scans by GET and POST, and tells how they went. */
export function scans({
  service,
  postWaitMs,
  docsUrl,
}: {
  service: ScanService;
  postWaitMs: number;
  docsUrl: string;
}) {
  return new Elysia({ name: 'scans', prefix: '/api/v1/scan', tags: ['Scans'] })
    .get(
      '',
      async ({ query, request, server }) => {
        // Bun closes connections that stay silent; this one does on purpose.
        server?.timeout(request, 0);
        const scan = await service.scan(query.url, Infinity, request.signal);
        return toReportBody(scan.id, reportOf(scan));
      },
      {
        query: urlQuerySchema,
        response: { 200: reportBodySchema },
        detail: {
          summary: 'Scan a page and wait for the report',
          description:
            'Waits as long as the scan takes. Use POST where a connection may not stay open that long.',
        },
      },
    )
    .post(
      '',
      async ({ body, request, server, set, status }) => {
        server?.timeout(request, 0);
        const preference = readPreference(request.headers.get('prefer'));
        if (body.async === undefined && preference !== null) {
          set.headers['preference-applied'] = preference.applied;
        }
        const waitMs =
          body.async === undefined ? (preference?.waitMs ?? postWaitMs) : body.async ? 0 : Infinity;
        const scan = await service.scan(body.url, waitMs, request.signal);
        if (body.async === false || scan.status === 'done' || scan.status === 'failed') {
          return toReportBody(scan.id, reportOf(scan));
        }
        set.headers.location = `/api/v1/scan/${scan.id}`;
        set.headers['retry-after'] = pollAfterSeconds;
        return status(202, toUnfinishedBody(scan));
      },
      {
        parse: ({ request }) => readJsonBody(request),
        body: scanBodySchema,
        response: { 200: reportBodySchema, 202: unfinishedSchema },
        detail: {
          summary: 'Start a scan',
          description:
            'Answers 200 with the report if it is ready soon, else 202 with an id to poll. `Prefer: wait=N` sets how long is soon, in seconds; `Prefer: respond-async` and `"async": true` answer 202 at once.',
        },
      },
    )
    .get(
      '/:scanId',
      ({ params, set }) => {
        const scan = service.find(params.scanId);
        if (scan.status === 'failed') return toFailedBody(scan, docsUrl);
        if (scan.report !== null) return toReportBody(scan.id, scan.report);
        set.headers['retry-after'] = pollAfterSeconds;
        return toUnfinishedBody(scan);
      },
      {
        params: Type.Object({
          scanId: Type.String({ description: 'From the answer to GET or POST.' }),
        }),
        response: { 200: Type.Union([reportBodySchema, unfinishedSchema, failedSchema]) },
        detail: {
          summary: 'Poll a scan',
          description: 'Not counted against any limit. Ends with `status` `done` or `failed`.',
        },
      },
    );
}
