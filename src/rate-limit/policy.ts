const secondsOfUnit = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
]);

// Every admitted request is a row until its window has passed, so both factors are bounded.
const maxQuota = 100_000;
const maxWindowSeconds = 365 * 86_400;

/** At most `quota` requests in any window of `windowSeconds`, counted under `name`. */
export interface RateLimitPolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

/**
 * Reads `10/1h` (units s, m, h, d), or `off` as null.
 *
 * Throws a RangeError whose message is a sentence for the operator; it quotes the text, not the name.
 */
export function parsePolicy(name: string, text: string): RateLimitPolicy | null {
  if (text === 'off') return null;

  const [, quotaText, countText, unit = ''] = /^(0|[1-9]\d*)\/(0|[1-9]\d*)(\w)$/.exec(text) ?? [];
  const unitSeconds = secondsOfUnit.get(unit);
  if (unitSeconds === undefined) {
    throw fault(text, 'write a quota, a slash and a window as in 10/1h (units s, m, h, d), or off');
  }
  const quota = Number(quotaText);
  if (quota < 1 || quota > maxQuota) {
    throw fault(text, `the quota goes from 1 to ${maxQuota}, and off switches the limit off`);
  }
  const windowSeconds = Number(countText) * unitSeconds;
  if (windowSeconds < 1 || windowSeconds > maxWindowSeconds) {
    throw fault(text, 'the window goes from 1s to 365d');
  }
  return { name, quota, windowSeconds };
}

function fault(text: string, reason: string): RangeError {
  return new RangeError(`${JSON.stringify(text)} is not a rate limit: ${reason}.`);
}
