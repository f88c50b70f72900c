import { DomainError } from '../errors.ts';
import type { RateCounterStore } from '../store/rate-counter-store.ts';
import type { RateLimitPolicy } from './policy.ts';

/*
 * An exact sliding window: every admitted request is an event of the store, and a request is admitted
 * when each of its policies counts fewer events than its quota. Fixed windows and their weighted
 * approximations admit up to twice the quota around a boundary; a token bucket does too.
 *
 * An event of time t is counted until t + window, exclusive. What lies in the future counts as well:
 * it was recorded before the clock was set back, and forgetting it would admit its quota again.
 * A refused request leaves no event, so that a client that keeps asking is let in when its window says so.
 */

const seenClients = 1_000;

export interface PolicyState {
  readonly policy: RateLimitPolicy;
  readonly remaining: number;
  /** Until the oldest counted request leaves the window; 0 when nothing is counted. */
  readonly resetSeconds: number;
}

/** Where a client stands with each policy that applies to it. */
export interface Standing {
  readonly states: readonly PolicyState[];
  /** Least remaining, then longest reset; null when no policy applies. */
  readonly tightest: PolicyState | null;
}

/** What one request was charged; nothing when it was refused. */
export interface Receipt {
  readonly eventIds: readonly number[];
}

/** The answer to one request, and where the client stands after it. */
export interface Verdict extends Standing {
  readonly allowed: boolean;
  /** The smallest number of seconds after which the same request is admitted; 0 when it is now. */
  readonly retryAfterSeconds: number;
  readonly receipt: Receipt;
}

export interface RateLimiter {
  /** Counts a request under all the policies, or under none when one of them refuses it. */
  consume(partitionKey: string, policies: readonly RateLimitPolicy[]): Verdict;
  /** Counts nothing. */
  peek(partitionKey: string, policies: readonly RateLimitPolicy[]): Standing;
  /**
   * Uncounts a request; a second time does nothing. What can't be stored now is done with the next
   * request that is counted.
   */
  giveBack(receipt: Receipt): void;
  /** Removes a batch of events that none of the policies counts any more; call until it returns 0. */
  pruneExpired(policies: readonly RateLimitPolicy[]): number;
}

/** `now` gives milliseconds since the epoch: the windows outlive the process. */
export function createRateLimiter({
  store,
  now = Date.now,
}: {
  store: RateCounterStore;
  now?: () => number;
}): RateLimiter {
  const readClock = (): number => Math.floor(now());
  /** Given back while the store could not be written. */
  const owed = new Set<number>();
  /** By client: what its next polls need not read again. */
  const seen = new Map<string, SeenWindow[]>();

  /** What a window holds changes by this limiter alone, or when the oldest leaves it. */
  function peekWindow(partitionKey: string, policy: RateLimitPolicy, atMs: number): PolicyWindow {
    const windows = seen.get(partitionKey) ?? [];
    const known = windows.find((window) => window.policy === policy);
    if (known !== undefined && holds(known, atMs)) return known;
    const window = { ...readWindow(partitionKey, policy, atMs), readAtMs: atMs };
    if (seen.size >= seenClients) seen.clear();
    seen.set(partitionKey, [...windows.filter((other) => other !== known), window]);
    return window;
  }

  function consume(partitionKey: string, policies: readonly RateLimitPolicy[]): Verdict {
    if (policies.length === 0) {
      return { allowed: true, retryAfterSeconds: 0, receipt: { eventIds: [] }, ...standing([]) };
    }
    // What is owed may be any client's.
    if (owed.size > 0) seen.clear();
    seen.delete(partitionKey);
    const verdict = store.transact((): Verdict => {
      store.remove([...owed]);
      // Under the write lock: while this process waited for it, others may have recorded later times.
      const atMs = readClock();
      const windows = policies.map((policy) => readWindow(partitionKey, policy, atMs));

      const waits = windows
        .filter(({ policy, counted }) => counted >= policy.quota)
        .map((window) => secondsUntilAdmitted(partitionKey, window, atMs));
      if (waits.length > 0) {
        return {
          allowed: false,
          retryAfterSeconds: Math.max(...waits),
          receipt: { eventIds: [] },
          ...standing(windows.map((window) => stateOf(window, atMs))),
        };
      }

      const eventIds = policies.map((policy) => store.record(policy.name, partitionKey, atMs));
      const states = windows.map(({ policy, counted, oldestMs }) =>
        stateOf({ policy, counted: counted + 1, oldestMs: Math.min(oldestMs ?? atMs, atMs) }, atMs),
      );
      return { allowed: true, retryAfterSeconds: 0, receipt: { eventIds }, ...standing(states) };
    });
    owed.clear();
    return verdict;
  }

  function readWindow(partitionKey: string, policy: RateLimitPolicy, atMs: number): PolicyWindow {
    return { policy, ...store.readWindow(policy.name, partitionKey, startOf(policy, atMs)) };
  }

  /** More than the quota is counted when the quota was lowered: then several events have to leave first. */
  function secondsUntilAdmitted(
    partitionKey: string,
    { policy, counted }: PolicyWindow,
    atMs: number,
  ): number {
    const lastToLeaveMs = store.findEventMs(
      policy.name,
      partitionKey,
      startOf(policy, atMs),
      counted - policy.quota,
    );
    return secondsUntilLeft(policy, lastToLeaveMs, atMs);
  }

  return {
    consume,
    peek: (partitionKey, policies) => {
      const atMs = readClock();
      return standing(
        policies.map((policy) => stateOf(peekWindow(partitionKey, policy, atMs), atMs)),
      );
    },
    giveBack: ({ eventIds }) => {
      seen.clear();
      for (const eventId of eventIds) owed.add(eventId);
      try {
        store.transact(() => store.remove([...owed]));
        owed.clear();
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'storage-unavailable')) throw error;
      }
    },
    pruneExpired: (policies) => {
      const atMs = readClock();
      return store.pruneExpired(Math.min(atMs, ...policies.map((policy) => startOf(policy, atMs))));
    },
  };
}

interface PolicyWindow {
  readonly policy: RateLimitPolicy;
  readonly counted: number;
  readonly oldestMs: number | null;
}

interface SeenWindow extends PolicyWindow {
  readonly readAtMs: number;
}

function holds({ policy, oldestMs, readAtMs }: SeenWindow, atMs: number): boolean {
  return readAtMs <= atMs && (oldestMs === null || oldestMs > startOf(policy, atMs));
}

function startOf(policy: RateLimitPolicy, atMs: number): number {
  return atMs - policy.windowSeconds * 1_000;
}

function secondsUntilLeft(policy: RateLimitPolicy, eventMs: number | null, atMs: number): number {
  return eventMs === null ? 0 : Math.ceil((eventMs - startOf(policy, atMs)) / 1_000);
}

function stateOf({ policy, counted, oldestMs }: PolicyWindow, atMs: number): PolicyState {
  return {
    policy,
    remaining: Math.max(0, policy.quota - counted),
    resetSeconds: secondsUntilLeft(policy, oldestMs, atMs),
  };
}

function standing(states: readonly PolicyState[]): Standing {
  const [tightest = null] = states.toSorted(
    (a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds,
  );
  return { states, tightest };
}
