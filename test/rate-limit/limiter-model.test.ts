import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { createRateLimiter, type Receipt } from '../../src/rate-limit/limiter.ts';
import type { RateLimitPolicy } from '../../src/rate-limit/policy.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createRateCounterStore } from '../../src/store/rate-counter-store.ts';

const policies: RateLimitPolicy[] = [
  { name: 'short', quota: 2, windowSeconds: 1 },
  { name: 'middle', quota: 3, windowSeconds: 2 },
  { name: 'long', quota: 5, windowSeconds: 7 },
];

/** The limiter as one would write it without a database: a list of all that was admitted. */
class PlainLog {
  #entries: { policy: RateLimitPolicy; partition: string; atMs: number; request: number }[] = [];

  consume(partition: string, applying: RateLimitPolicy[], nowMs: number, request: number) {
    const isAdmittedAt = (ms: number): boolean =>
      applying.every((policy) => this.#countedMs(policy, partition, ms).length < policy.quota);
    const retryAfterSeconds = firstSecond((second) => isAdmittedAt(nowMs + second * 1_000));
    if (retryAfterSeconds === 0) {
      for (const policy of applying)
        this.#entries.push({ policy, partition, atMs: nowMs, request });
    }
    return {
      allowed: retryAfterSeconds === 0,
      retryAfterSeconds,
      states: this.peek(partition, applying, nowMs),
    };
  }

  peek(partition: string, applying: RateLimitPolicy[], nowMs: number) {
    return applying.map((policy) => {
      const [oldestMs, ...others] = this.#countedMs(policy, partition, nowMs).toSorted(
        (a, b) => a - b,
      );
      if (oldestMs === undefined) return { policy, remaining: policy.quota, resetSeconds: 0 };
      return {
        policy,
        // Fewer than none when the clock was set back into a window that has since filled again.
        remaining: Math.max(0, policy.quota - 1 - others.length),
        resetSeconds: firstSecond(
          (second) => nowMs + second * 1_000 >= oldestMs + policy.windowSeconds * 1_000,
        ),
      };
    });
  }

  giveBack(request: number): void {
    this.#entries = this.#entries.filter((entry) => entry.request !== request);
  }

  /** The most that any window of the policy's length holds; the fullest ones start at an entry. */
  fullestWindow(policy: RateLimitPolicy, partition: string): number {
    const times = this.#timesMs(policy, partition);
    const endOf = (ms: number): number => ms + policy.windowSeconds * 1_000;
    return Math.max(
      0,
      ...times.map((from) => times.filter((ms) => ms >= from && ms < endOf(from)).length),
    );
  }

  #countedMs(policy: RateLimitPolicy, partition: string, nowMs: number): number[] {
    return this.#timesMs(policy, partition).filter(
      (ms) => ms > nowMs - policy.windowSeconds * 1_000,
    );
  }

  #timesMs(policy: RateLimitPolicy, partition: string): number[] {
    return this.#entries
      .filter((entry) => entry.policy === policy && entry.partition === partition)
      .map(({ atMs }) => atMs);
  }
}

function firstSecond(isEnough: (second: number) => boolean): number {
  let second = 0;
  while (!isEnough(second)) second++;
  return second;
}

const aroundEdges = [1_000, 2_000, 7_000].flatMap((ms) => [ms - 1, ms, ms + 1]);
const forward = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constantFrom(1, ...aroundEdges) },
  { weight: 3, arbitrary: fc.nat({ max: 900 }) },
);
const backward = fc.integer({ min: -9_000, max: -1 });

function arbitrarySteps(elapsedMs: fc.Arbitrary<number>) {
  const step = fc.record({
    elapsedMs,
    partition: fc.constantFrom('one', 'two'),
    applying: fc.subarray(policies, { minLength: 1 }),
    action: fc.constantFrom('consume', 'consume', 'consume', 'consume', 'give back', 'prune'),
    earlier: fc.nat({ max: 10 }),
  });
  return fc.array(step, { maxLength: 80, size: 'max' });
}

type Step = ReturnType<typeof arbitrarySteps> extends fc.Arbitrary<(infer T)[]> ? T : never;

/** Takes the same steps with the limiter and with the plain log, which must agree after each. */
function compareWithLog(steps: Step[]): void {
  const database = openDatabase(':memory:');
  let nowMs = Date.UTC(2026, 0, 1);
  const limiter = createRateLimiter({
    store: createRateCounterStore(database.db),
    now: () => nowMs,
  });
  const log = new PlainLog();
  const receipts: Receipt[] = [];

  for (const { elapsedMs, partition, applying, action, earlier } of steps) {
    nowMs += elapsedMs;
    if (action === 'consume') {
      const { allowed, retryAfterSeconds, states, receipt } = limiter.consume(partition, applying);
      expect({ allowed, retryAfterSeconds, states: [...states] }).toEqual(
        log.consume(partition, applying, nowMs, receipts.length),
      );
      receipts.push(receipt);
    } else if (action === 'prune') {
      limiter.pruneExpired(policies);
    } else {
      const request = receipts.length - 1 - earlier;
      const receipt = receipts[request];
      if (receipt !== undefined) limiter.giveBack(receipt);
      log.giveBack(request);
    }
    expect([...limiter.peek(partition, applying).states]).toEqual(
      log.peek(partition, applying, nowMs),
    );
    for (const policy of policies) {
      expect(log.fullestWindow(policy, partition)).toBeLessThanOrEqual(policy.quota);
    }
  }
  database.close();
}

test('the limiter decides as a plain log does, and no window holds more than the quota', () => {
  fc.assert(fc.property(arbitrarySteps(forward), compareWithLog), { numRuns: 150 });
});

test('the same holds when the clock is set back between requests', () => {
  // Pruned events are forgotten by a clock that goes back to them, although their time did pass.
  const steps = arbitrarySteps(fc.oneof({ weight: 5, arbitrary: forward }, backward)).map((all) =>
    all.filter(({ action }) => action !== 'prune'),
  );
  fc.assert(fc.property(steps, compareWithLog), { numRuns: 150 });
});
