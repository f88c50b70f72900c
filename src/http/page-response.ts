import type { Asset } from '../web/assets.ts';
import { pagePolicy } from './security-headers.ts';

/** A page. Only `apiOrigin`, where the reference sends its requests, may be another host's. */
export function pageResponse(page: string, apiOrigin: string): Response {
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy(apiOrigin),
    },
  });
}

/** A file for a page: compressed if the client wants, and only when it has changed. */
export function assetResponse(asset: Asset, requestHeaders: Headers): Response {
  const headers = new Headers({
    'cache-control': 'public, max-age=3600',
    etag: asset.etag,
    vary: 'accept-encoding',
  });
  if (requestHeaders.get('if-none-match')?.includes(asset.etag) === true) {
    return new Response(null, { status: 304, headers });
  }
  headers.set('content-type', asset.contentType);
  if (!/\bgzip\b/.test(requestHeaders.get('accept-encoding') ?? '')) {
    return new Response(asset.body, { headers });
  }
  headers.set('content-encoding', 'gzip');
  return new Response(asset.gzippedBody, { headers });
}
