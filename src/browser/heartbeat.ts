import type { CDPSession } from 'puppeteer';
import { within } from './time-limit.ts';

/** Twice as long without an answer, twice in a row: generous, where pages keep the machine busy. */
const defaultIntervalMs = 5_000;

/** Asks a browser again and again whether it is still there. Clear the timer when it has ended. */
export function startHeartbeat(
  session: CDPSession,
  onSilent: (error: unknown) => void,
  intervalMs = defaultIntervalMs,
): ReturnType<typeof setInterval> {
  // Puppeteer's own `version()` asks only once.
  const ask = (): Promise<unknown> => within(2 * intervalMs, session.send('Browser.getVersion'));
  // Once more: after a standstill of this process its own timer is the first to be heard.
  return setInterval(() => void ask().catch(ask).catch(onSilent), intervalMs);
}
