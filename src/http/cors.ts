import { Elysia } from 'elysia';

/** What pages of other origins may read of an answer. */
const exposedHeaders = [
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Location',
  'Link',
  'Deprecation',
  'Preference-Applied',
];

const preflightHeaders = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Prefer',
  'access-control-max-age': '86400',
};

/** Lets pages of any origin call every path; none needs credentials. */
export function cors() {
  return new Elysia({ name: 'cors' })
    .headers({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': exposedHeaders.join(', '),
    })
    .onRequest(({ request, set }) => {
      if (request.method !== 'OPTIONS') return undefined;
      Object.assign(set.headers, preflightHeaders);
      return new Response(null, { status: 204 });
    });
}
