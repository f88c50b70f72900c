import { cors as corsPlugin } from '@elysiajs/cors';
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

/** Lets pages of any origin call every path; none needs credentials. */
export function cors() {
  return (
    new Elysia({ name: 'any-origin' })
      .use(
        corsPlugin({
          origin: '*',
          methods: ['GET', 'POST', 'OPTIONS'],
          allowedHeaders: ['Content-Type', 'Prefer'],
          exposeHeaders: exposedHeaders,
          credentials: false,
          maxAge: 86_400,
        }),
      )
      // The plugin says that answers vary with everything, which no cache would keep; they are for any origin.
      .onRequest(({ set }) => void delete set.headers.vary)
  );
}
