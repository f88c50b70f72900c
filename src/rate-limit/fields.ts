import type { PolicyState, Standing, Verdict } from './limiter.ts';

/**
 * The response fields of a verdict, or of a standing for a request that was not counted.
 *
 * `RateLimit-Limit`, `-Remaining` and `-Reset` (delta-seconds) are those of the earlier drafts, which most
 * clients read; `RateLimit-Policy` and `RateLimit` those of draft-ietf-httpapi-ratelimit-headers-10.
 * Without any policy there are none.
 */
export function rateLimitFields(result: Standing | Verdict): Record<string, string> {
  const { states, tightest } = result;
  if (tightest === null) return {};

  const fields: Record<string, string> = {
    'RateLimit-Limit': String(tightest.policy.quota),
    'RateLimit-Remaining': String(tightest.remaining),
    'RateLimit-Reset': String(tightest.resetSeconds),
    'RateLimit-Policy': states.map(printPolicy).join(', '),
    RateLimit: `${printName(tightest)};r=${tightest.remaining};t=${tightest.resetSeconds}`,
  };
  if ('allowed' in result && !result.allowed) {
    fields['Retry-After'] = String(result.retryAfterSeconds);
  }
  return fields;
}

function printPolicy(state: PolicyState): string {
  return `${printName(state)};q=${state.policy.quota};w=${state.policy.windowSeconds}`;
}

/** As a string of RFC 9651, section 4.1.6. */
function printName({ policy }: PolicyState): string {
  return `"${policy.name.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
