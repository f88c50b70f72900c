/** What a `Prefer` header (RFC 7240) asks of a POST. */
export interface Preference {
  /** How long the client wants to wait for the report; 0 for an answer at once. */
  readonly waitMs: number;
  /** For the `Preference-Applied` header. */
  readonly applied: string;
}

const maxWaitSeconds = 3_600;

/**
 * `respond-async` alone asks for an answer at once, `wait=N` for one within N seconds; both together
 * mean the latter (RFC 7240, section 4.3). Null when neither is there.
 */
export function readPreference(header: string | null): Preference | null {
  const preferences = (header ?? '').split(',').map((it) => it.split(';', 1)[0]?.trim() ?? '');
  const wait = preferences
    .map((it) => /^wait\s*=\s*"?(\d{1,9})"?$/i.exec(it)?.[1])
    .find((seconds) => seconds !== undefined);
  if (wait !== undefined) {
    const seconds = Math.min(Number(wait), maxWaitSeconds);
    return { waitMs: seconds * 1_000, applied: `wait=${seconds}` };
  }
  if (preferences.some((it) => /^respond-async$/i.test(it))) {
    return { waitMs: 0, applied: 'respond-async' };
  }
  return null;
}
