import type { Database } from 'bun:sqlite';

/*
 * Statements are synchronous: while one waits for another program's lock, all requests wait. So it
 * waits about as long as a small write of that program takes, and after a wait in vain those of the
 * next second fail at once, however many they are.
 */

const busyTimeoutMs = 50;
const pauseMs = 1_000;
const pausedSinceMs = new WeakMap<Database, number>();

export function allowWaits(sqlite: Database): void {
  sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  pausedSinceMs.delete(sqlite);
}

/** To be called after a wait in vain. */
export function pauseWaits(sqlite: Database): void {
  if (pausedSinceMs.has(sqlite)) return;
  sqlite.run('PRAGMA busy_timeout = 0');
  pausedSinceMs.set(sqlite, performance.now());
}

/** Allows waits again when the pause is over. */
export function endPause(sqlite: Database): void {
  const sinceMs = pausedSinceMs.get(sqlite);
  if (sinceMs !== undefined && performance.now() - sinceMs >= pauseMs) allowWaits(sqlite);
}
