import { Elysia, NotFoundError } from 'elysia';
import { createAssets } from '../web/assets.ts';
import { problemsPage } from '../web/problems-page.ts';
import { referencePage } from '../web/reference-page.ts';
import { type ApiOptions, describeApi } from './api-description.ts';
import { describeRoutes } from './openapi.ts';
import { assetResponse, pageResponse } from './page-response.ts';
import { problemAdvice } from './problem-advice.ts';
import { problemTypes } from './problem.ts';

const hidden = { detail: { hide: true } };

/** `/openapi.json`, generated from the routes; the pages made from it; and what these load. */
export function docs(options: ApiOptions) {
  const apiOrigin = new URL(options.publicUrl).origin;
  const assets = createAssets();
  const answerAsset = async (name: string, request: Request): Promise<Response> => {
    const asset = await assets.find(name);
    if (asset === undefined) throw new NotFoundError();
    return assetResponse(asset, request.headers);
  };
  let document: string | undefined;

  const app = new Elysia({ name: 'docs' });
  return app
    .get(
      '/openapi.json',
      () => {
        // Not before the first request: all routes are mounted by then.
        document ??= JSON.stringify({
          openapi: '3.1.2',
          ...describeApi(options),
          ...describeRoutes(app),
        });
        return new Response(document, { headers: { 'content-type': 'application/json' } });
      },
      hidden,
    )
    .get('/docs', () => pageResponse(referencePage(), apiOrigin), hidden)
    .get('/docs/problems', () => pageResponse(problemsPage(problemKinds()), apiOrigin), hidden)
    .get('/docs/assets/:name', ({ params, request }) => answerAsset(params.name, request), hidden)
    .get('/favicon.ico', ({ request }) => answerAsset('icon.svg', request), hidden)
    .get('/', ({ redirect }) => redirect('docs'), hidden);
}

function problemKinds() {
  const advice = new Map(Object.entries(problemAdvice));
  return Object.entries(problemTypes).map(([code, { status, title }]) => ({
    code,
    status,
    title,
    advice: advice.get(code) ?? '',
  }));
}
