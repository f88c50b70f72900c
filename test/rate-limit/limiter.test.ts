import { describe, expect, spyOn, test } from 'bun:test';
import { createRateLimiter, type RateLimiter } from '../../src/rate-limit/limiter.ts';
import type { RateLimitPolicy } from '../../src/rate-limit/policy.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createRateCounterStore } from '../../src/store/rate-counter-store.ts';

const start = Date.UTC(2026, 0, 1);
const perHour: RateLimitPolicy = { name: 'get', quota: 3, windowSeconds: 3_600 };
const perDay: RateLimitPolicy = { name: 'total', quota: 5, windowSeconds: 86_400 };

function createTestLimiter(): { limiter: RateLimiter; clock: { ms: number } } {
  const clock = { ms: start };
  const store = createRateCounterStore(openDatabase(':memory:').db);
  return { limiter: createRateLimiter({ store, now: () => clock.ms }), clock };
}

function consumeTimes(limiter: RateLimiter, times: number, policies: RateLimitPolicy[]): void {
  for (let time = 0; time < times; time++) limiter.consume('client', policies);
}

test('the quota is admitted and the next request refused until the oldest leaves the window', () => {
  const { limiter, clock } = createTestLimiter();
  const remaining = [0, 1, 2].map(() => limiter.consume('client', [perHour]).tightest?.remaining);
  expect(remaining).toEqual([2, 1, 0]);

  expect(limiter.consume('client', [perHour])).toEqual({
    allowed: false,
    retryAfterSeconds: 3_600,
    receipt: { eventIds: [] },
    states: [{ policy: perHour, remaining: 0, resetSeconds: 3_600 }],
    tightest: { policy: perHour, remaining: 0, resetSeconds: 3_600 },
  });

  clock.ms = start + 3_600_000 - 1;
  expect(limiter.consume('client', [perHour])).toMatchObject({
    allowed: false,
    retryAfterSeconds: 1,
  });
  clock.ms = start + 3_600_000;
  expect(limiter.consume('client', [perHour])).toMatchObject({
    allowed: true,
    retryAfterSeconds: 0,
  });
});

describe('the time to wait is the smallest number of whole seconds that helps', () => {
  test.each([0, 1, 500, 999, 1_000, 1_001, 3_599_999])('%d ms into the window', (elapsedMs) => {
    const { limiter, clock } = createTestLimiter();
    consumeTimes(limiter, 3, [perHour]);
    clock.ms = start + elapsedMs;
    const { retryAfterSeconds } = limiter.consume('client', [perHour]);

    clock.ms = start + elapsedMs + (retryAfterSeconds - 1) * 1_000;
    expect(limiter.consume('client', [perHour]).allowed).toBe(false);
    clock.ms += 1_000;
    expect(limiter.consume('client', [perHour]).allowed).toBe(true);
  });
});

test('the time to wait satisfies every policy that refuses', () => {
  const { limiter, clock } = createTestLimiter();
  consumeTimes(limiter, 2, [perDay]);
  clock.ms += 60_000;
  consumeTimes(limiter, 3, [perHour, perDay]);
  expect(limiter.consume('client', [perHour, perDay]).retryAfterSeconds).toBe(86_400 - 60);
  expect(limiter.consume('client', [perHour]).retryAfterSeconds).toBe(3_600);
});

test('after the quota was lowered, several requests have to leave first', () => {
  const { limiter, clock } = createTestLimiter();
  for (const second of [0, 10, 20]) {
    clock.ms = start + second * 1_000;
    limiter.consume('client', [perHour]);
  }
  const verdict = limiter.consume('client', [{ ...perHour, quota: 1 }]);
  expect(verdict.retryAfterSeconds).toBe(3_600);
  expect(verdict.tightest).toMatchObject({ remaining: 0, resetSeconds: 3_580 });
});

test('a refused request counts under no policy', () => {
  const { limiter } = createTestLimiter();
  consumeTimes(limiter, 3, [perHour]);
  expect(limiter.consume('client', [perDay, perHour]).allowed).toBe(false);
  expect(limiter.peek('client', [perDay]).tightest?.remaining).toBe(5);
});

test('asking again while refused does not prolong the wait', () => {
  const { limiter, clock } = createTestLimiter();
  consumeTimes(limiter, 3, [perHour]);
  for (let minute = 0; minute < 60; minute++) {
    clock.ms = start + minute * 60_000;
    expect(limiter.consume('client', [perHour]).allowed).toBe(false);
  }
  clock.ms = start + 3_600_000;
  expect(limiter.consume('client', [perHour]).allowed).toBe(true);
});

test('clients are counted apart', () => {
  const { limiter } = createTestLimiter();
  consumeTimes(limiter, 4, [perHour]);
  expect(limiter.consume('other', [perHour]).tightest?.remaining).toBe(2);
});

describe('the tightest policy', () => {
  test('has the least remaining', () => {
    const { limiter } = createTestLimiter();
    expect(limiter.peek('client', [perDay, perHour]).tightest?.policy).toBe(perHour);
    consumeTimes(limiter, 4, [perDay]);
    expect(limiter.peek('client', [perHour, perDay]).tightest?.policy).toBe(perDay);
  });

  test('is the later to reset when two have the same remaining', () => {
    const { limiter } = createTestLimiter();
    consumeTimes(limiter, 2, [perDay]);
    consumeTimes(limiter, 1, [perHour, perDay]);
    expect(limiter.peek('client', [perHour, perDay]).tightest?.policy).toBe(perDay);
    expect(limiter.peek('client', [perDay, perHour]).tightest?.policy).toBe(perDay);
  });
});

test('peeking counts nothing, and a client without requests has nothing to reset', () => {
  const { limiter } = createTestLimiter();
  const fresh = { policy: perHour, remaining: 3, resetSeconds: 0 };
  expect(limiter.peek('client', [perHour])).toEqual({ states: [fresh], tightest: fresh });
  expect(limiter.peek('client', [perHour]).tightest).toEqual(fresh);
});

test('where a client stands is read once, until it changes or a request leaves the window', () => {
  const store = createRateCounterStore(openDatabase(':memory:').db);
  let nowMs = start;
  const limiter = createRateLimiter({ store, now: () => nowMs });
  const receipts = [1, 2].map(() => limiter.consume('client', [perHour]).receipt);
  const readWindow = spyOn(store, 'readWindow');
  const peekAt = (ms: number) => {
    nowMs = ms;
    const remaining = limiter.peek('client', [perHour]).tightest?.remaining;
    return [remaining, readWindow.mock.calls.length];
  };
  expect(peekAt(start)).toEqual([1, 1]);
  expect(peekAt(start + 3_600_000 - 1)).toEqual([1, 1]);
  expect(peekAt(start + 3_600_000)).toEqual([3, 2]);
  expect(peekAt(start + 3_600_000 - 1)).toEqual([1, 3]);
  for (const receipt of receipts) limiter.giveBack(receipt);
  expect(peekAt(start + 3_600_000 - 1)).toEqual([3, 4]);
  limiter.consume('client', [perHour]);
  expect(peekAt(start + 3_600_000 - 1)).toEqual([2, 6]);
});

test('without a policy everything is admitted', () => {
  const { limiter } = createTestLimiter();
  expect(limiter.consume('client', [])).toEqual({
    allowed: true,
    retryAfterSeconds: 0,
    receipt: { eventIds: [] },
    states: [],
    tightest: null,
  });
});

describe('a request that is given back', () => {
  test('is uncounted under each of its policies', () => {
    const { limiter } = createTestLimiter();
    limiter.giveBack(limiter.consume('client', [perHour, perDay]).receipt);
    const { states } = limiter.peek('client', [perHour, perDay]);
    expect(states.map(({ remaining }) => remaining)).toEqual([3, 5]);
  });

  test('twice is uncounted once, even after others were counted', () => {
    const { limiter } = createTestLimiter();
    const { receipt } = limiter.consume('client', [perHour]);
    limiter.giveBack(receipt);
    limiter.consume('client', [perHour]);
    limiter.giveBack(receipt);
    expect(limiter.peek('client', [perHour]).tightest?.remaining).toBe(2);
  });

  test('after having been refused changes nothing', () => {
    const { limiter } = createTestLimiter();
    consumeTimes(limiter, 3, [perHour]);
    limiter.giveBack(limiter.consume('client', [perHour]).receipt);
    expect(limiter.peek('client', [perHour]).tightest?.remaining).toBe(0);
  });
});

test('a clock that is set back forgets no request', () => {
  const { limiter, clock } = createTestLimiter();
  consumeTimes(limiter, 3, [perHour]);
  clock.ms = start - 7_200_000;
  expect(limiter.consume('client', [perHour])).toMatchObject({
    allowed: false,
    retryAfterSeconds: 7_200 + 3_600,
  });
});

test('a clock with fractions of milliseconds counts in whole ones', () => {
  const { limiter, clock } = createTestLimiter();
  clock.ms = start + 0.7;
  consumeTimes(limiter, 3, [perHour]);
  clock.ms = start + 3_600_000 - 0.1;
  expect(limiter.consume('client', [perHour]).allowed).toBe(false);
  clock.ms = start + 3_600_000.2;
  expect(limiter.consume('client', [perHour]).allowed).toBe(true);
});

test('pruning removes what the longest window no longer counts, and nothing else', () => {
  const { limiter, clock } = createTestLimiter();
  limiter.consume('client', [perHour, perDay]);
  clock.ms = start + 86_400_000 - 1;
  expect(limiter.pruneExpired([perHour, perDay])).toBe(0);
  clock.ms = start + 86_400_000;
  limiter.consume('client', [perHour]);
  expect(limiter.pruneExpired([perHour, perDay])).toBe(2);
  expect(limiter.pruneExpired([perHour, perDay])).toBe(0);
  expect(limiter.peek('client', [perHour]).tightest?.remaining).toBe(2);
});

test('pruning without a policy removes everything that was counted', () => {
  const { limiter } = createTestLimiter();
  limiter.consume('client', [perHour]);
  expect(limiter.pruneExpired([])).toBe(1);
});

test('what was owed to one client is given back with the request of another', () => {
  const { db } = openDatabase(':memory:');
  const limiter = createRateLimiter({ store: createRateCounterStore(db), now: () => start });
  const { receipt } = limiter.consume('client', [perHour]);
  db.$client.run('PRAGMA query_only = 1');
  limiter.giveBack(receipt);
  db.$client.run('PRAGMA query_only = 0');
  expect(limiter.peek('client', [perHour]).tightest?.remaining).toBe(2);
  limiter.consume('another', [perHour]);
  expect(limiter.peek('client', [perHour]).tightest?.remaining).toBe(3);
});

test('what cannot be given back while the store fails is given back with the next request', () => {
  const { db } = openDatabase(':memory:');
  const limiter = createRateLimiter({ store: createRateCounterStore(db), now: () => start });
  const { receipt } = limiter.consume('client', [perHour]);
  consumeTimes(limiter, 2, [perHour]);
  db.$client.run('PRAGMA query_only = 1');
  limiter.giveBack(receipt);
  expect(() => limiter.consume('client', [perHour])).toThrow('database');
  db.$client.run('PRAGMA query_only = 0');
  expect(limiter.consume('client', [perHour])).toMatchObject({
    allowed: true,
    tightest: { remaining: 0 },
  });
  expect(limiter.consume('client', [perHour]).allowed).toBe(false);
});
