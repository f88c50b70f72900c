import { Elysia } from 'elysia';
import { problemAnswer, scanProblemAnswers } from './problem-answer.ts';
import { legacyReportBodySchema, toLegacyReportBody } from './report-body.ts';
import type { Routed } from './routed-path.ts';
import { reportOf, urlQuerySchema } from './scan-answer.ts';
import type { WaitForScan } from './wait-for-scan.ts';

/** When the versioned API took its place: 2026-11-21, as RFC 9745 writes dates. */
const deprecatedAt = '@1795219200';

const legacyPath = '/api/public-scan';

/** Tells every answer of the legacy path what has taken its place; mount before what may refuse. */
export function legacyFields() {
  return new Elysia({ name: 'legacy-fields' }).onRequest((context) => {
    const { path, set } = context as Routed<typeof context>;
    if (path !== legacyPath) return;
    set.headers.deprecation = deprecatedAt;
    set.headers.link = '</api/v1/scan>; rel="successor-version"';
  });
}

/** `/api/public-scan`: the endpoint from before there were versions. It stays. */
export function publicScan({
  waitForScan,
  operatorName,
  docsUrl,
}: {
  waitForScan: WaitForScan;
  operatorName: string;
  docsUrl: string;
}) {
  return new Elysia({ name: 'public-scan' }).get(
    legacyPath,
    async ({ query, request, server }) => {
      const scan = await waitForScan(query.url, Infinity, { request, server });
      return toLegacyReportBody(scan.id, reportOf(scan), { operatorName, docsUrl });
    },
    {
      query: urlQuerySchema,
      response: {
        200: legacyReportBodySchema,
        400: problemAnswer(400, ['invalid-url', 'recursive-scan']),
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
