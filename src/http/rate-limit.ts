import { Elysia } from 'elysia';
import { DomainError } from '../errors.ts';
import { rateLimitFields } from '../rate-limit/fields.ts';
import type { RateLimiter, Verdict } from '../rate-limit/limiter.ts';
import type { RateLimitPolicy } from '../rate-limit/policy.ts';
import type { ClientKey } from './client-key.ts';
import { problemTypes } from './problem.ts';
import type { Routed } from './routed-path.ts';

interface RateLimitOptions {
  readonly limiter: RateLimiter;
  /** Null for a limit that is off. */
  readonly policies: Readonly<Record<'get' | 'post' | 'total', RateLimitPolicy | null>>;
  readonly clientKey: ClientKey;
}

/**
 * Counts every request that may start a scan, before anything of it is looked at, so that a refused
 * or failing one costs as much as another; only a 503 is given back. What can't be counted is
 * refused. All other answers of the API tell how much is left. Mount `count` before, and `refuse` after, what may answer on its own;
 * both before `problems`.
 */
export function rateLimits({ limiter, policies, clientKey }: RateLimitOptions) {
  const { get, post, total } = policies;
  const counted = new Map([
    ['GET /api/v1/scan', applying(get, total)],
    ['POST /api/v1/scan', applying(post, total)],
    ['GET /api/public-scan', applying(total)],
  ]);
  const charged = new WeakMap<Request, { verdict: Verdict; partitionKey: string }>();
  const uncounted = new WeakMap<Request, unknown>();
  /** Nothing where the counters can't be read: a poll is worth more than its fields. */
  const standingFields = (
    partitionKey: string,
    applicable: RateLimitPolicy[],
  ): Record<string, string> => {
    try {
      return rateLimitFields(limiter.peek(partitionKey, applicable));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'storage-unavailable') return {};
      throw error;
    }
  };

  const count = new Elysia({ name: 'rate-limits.count' })
    .onRequest((context) => {
      const { path, request, server, set } = context as Routed<typeof context>;
      if (!path.startsWith('/api/')) return;
      const partitionKey = clientKey(request, server);
      // Elysia answers HEAD by running GET.
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const charging = counted.get(`${method} ${path}`);
      if (charging === undefined) {
        Object.assign(set.headers, standingFields(partitionKey, applying(total)));
        return;
      }
      try {
        const verdict = limiter.consume(partitionKey, charging);
        Object.assign(set.headers, rateLimitFields(verdict));
        charged.set(request, { verdict, partitionKey });
      } catch (error) {
        Object.assign(set.headers, standingFields(partitionKey, charging));
        uncounted.set(request, error);
      }
    })
    .onError({ as: 'global' }, ({ error, request, set }) => {
      const charge = charged.get(request);
      if (charge === undefined || !(error instanceof DomainError)) return;
      if (problemTypes[error.code].status !== 503) return;
      limiter.giveBack(charge.verdict.receipt);
      const affected = charge.verdict.states.map(({ policy }) => policy);
      Object.assign(set.headers, standingFields(charge.partitionKey, affected));
    });
  const refuse = new Elysia({ name: 'rate-limits.refuse' }).onRequest(({ request }) => {
    if (uncounted.has(request)) throw uncounted.get(request);
    const verdict = charged.get(request)?.verdict;
    if (verdict?.allowed === false) throw quotaExceeded(verdict);
  });
  return { count, refuse };
}

function quotaExceeded({ states, retryAfterSeconds }: Verdict): DomainError {
  const exhausted = states.filter(({ remaining }) => remaining === 0).map(({ policy }) => policy);
  const limits = exhausted.map(
    ({ quota, windowSeconds }) => `${quota} in ${windowSeconds} seconds`,
  );
  return new DomainError(
    'quota-exceeded',
    `Your address has used up its scans (${limits.join(' and ')}). Try again in ${retryAfterSeconds} seconds, or run your own copy of this service without limits.`,
    { data: { retryAfterSeconds } },
  );
}

function applying(...policies: (RateLimitPolicy | null)[]): RateLimitPolicy[] {
  return policies.filter((policy) => policy !== null);
}
