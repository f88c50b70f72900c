import { and, asc, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { rateEvents } from './schema.ts';
import { guardStore } from './storage-fault.ts';

/** All requests wait meanwhile. */
const pruneBatchRows = 250;

/** The events of one policy and partition that happened after a given moment. */
export interface EventWindow {
  readonly counted: number;
  readonly oldestMs: number | null;
}

/**
 * The log of admitted requests; what is counted against what is the limiter's to say. Every method
 * throws `storage-unavailable` when the database can't be used.
 */
export interface RateCounterStore {
  /**
   * Runs `work` as one transaction that holds the write lock from its start; it must not be async. A
   * power cut may undo it: a count that is lost harms nobody.
   */
  transact<T>(work: () => T): T;
  readWindow(policy: string, partition: string, afterMs: number): EventWindow;
  /** The time of the event that has `older` events before it in the window, or null. */
  findEventMs(policy: string, partition: string, afterMs: number, older: number): number | null;
  /** Returns the id of the new event. */
  record(policy: string, partition: string, atMs: number): number;
  /** Ids that no longer exist are passed over. */
  remove(eventIds: readonly number[]): void;
  /**
   * Removes events of `beforeMs` and earlier, whoever they belong to, and returns how many.
   *
   * At most one batch a call, so that a long absence does not hold the write lock: call until 0.
   */
  pruneExpired(beforeMs: number): number;
}

/** The statements are prepared once and belong to `db`, which the caller closes. */
export function createRateCounterStore(db: Db): RateCounterStore {
  const inWindow = and(
    eq(rateEvents.policy, sql.placeholder('policy')),
    eq(rateEvents.partition, sql.placeholder('partition')),
    gt(rateEvents.atMs, sql.placeholder('afterMs')),
  );
  // Read with every answer, so as SQLite gives it.
  const selectWindow = db.$client.prepare<EventWindow, [string, string, number]>(`
    select count(*) as counted, min(at_ms) as oldestMs from rate_events
    where policy = ? and partition = ? and at_ms > ?`);
  const selectEvent = db
    .select({ atMs: rateEvents.atMs })
    .from(rateEvents)
    .where(inWindow)
    .orderBy(asc(rateEvents.atMs))
    .limit(1)
    .offset(sql.placeholder('older'))
    .prepare();
  const insertEvent = db
    .insert(rateEvents)
    .values({
      policy: sql.placeholder('policy'),
      partition: sql.placeholder('partition'),
      atMs: sql.placeholder('atMs'),
    })
    .returning({ id: rateEvents.id })
    .prepare();
  const deleteEvents = db
    .delete(rateEvents)
    .where(inArray(rateEvents.id, sql`(select value from json_each(${sql.placeholder('ids')}))`))
    .prepare();
  const expired = db
    .select({ id: rateEvents.id })
    .from(rateEvents)
    .where(lte(rateEvents.atMs, sql.placeholder('beforeMs')))
    .limit(pruneBatchRows);
  const deleteExpired = db
    .delete(rateEvents)
    .where(inArray(rateEvents.id, expired))
    .returning({ id: rateEvents.id })
    .prepare();

  return guardStore<RateCounterStore>(db.$client, {
    // The statements above run inside it without going through `tx`: a database is one connection.
    // Immediate, because a deferred transaction that reads and then writes fails, instead of waiting,
    // when another process wrote in between.
    transact: (work) => db.transaction(work, { behavior: 'immediate' }),
    readWindow: (policy, partition, afterMs) =>
      selectWindow.get(policy, partition, afterMs) ?? { counted: 0, oldestMs: null },
    findEventMs: (policy, partition, afterMs, older) =>
      selectEvent.get({ policy, partition, afterMs, older })?.atMs ?? null,
    record: (policy, partition, atMs) => insertEvent.get({ policy, partition, atMs }).id,
    remove: (eventIds) => {
      if (eventIds.length > 0) deleteEvents.run({ ids: JSON.stringify(eventIds) });
    },
    pruneExpired: (beforeMs) => deleteExpired.all({ beforeMs }).length,
  });
}
