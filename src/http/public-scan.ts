import { Elysia } from 'elysia';
import type { ScanService } from '../scan/service.ts';
import { problemAnswer, scanProblemAnswers } from './problem-answer.ts';
import { legacyReportBodySchema, toLegacyReportBody } from './report-body.ts';
import { reportOf, urlQuerySchema } from './scan-answer.ts';

/** When the versioned API took its place: 2026-11-21, as RFC 9745 writes dates. */
const deprecatedAt = '@1795219200';

/** `/api/public-scan`: the endpoint from before there were versions. It stays. */
export function publicScan({
  service,
  operatorName,
  docsUrl,
}: {
  service: ScanService;
  operatorName: string;
  docsUrl: string;
}) {
  return new Elysia({ name: 'public-scan' }).get(
    '/api/public-scan',
    async ({ query, request, server }) => {
      server?.timeout(request, 0);
      const scan = await service.scan(query.url, Infinity, request.signal);
      return toLegacyReportBody(scan.id, reportOf(scan), { operatorName, docsUrl });
    },
    {
      // Before validation, so that refusals carry it too.
      transform: ({ set }) => {
        set.headers.deprecation = deprecatedAt;
        set.headers.link = '</api/v1/scan>; rel="successor-version"';
      },
      query: urlQuerySchema,
      response: {
        200: legacyReportBodySchema,
        400: problemAnswer(400, ['invalid-url']),
        ...scanProblemAnswers,
      },
      detail: {
        tags: ['Legacy'],
        operationId: 'scanPageLegacy',
        deprecated: true,
        summary: 'Scan a page and wait for the richer report',
        description: 'Use `GET /api/v1/scan` in new programs. This endpoint stays available.',
      },
    },
  );
}
