import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { startRetention } from '../../src/store/retention.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const hourMs = 3_600_000;

/** Something that has so many rows or pages left to work off, a few a call. */
class Backlog {
  calls = 0;
  left: number;
  readonly #batch: number;
  readonly #trace: string[];
  readonly #name: string;

  constructor(name: string, left: number, trace: string[] = [], batch = 2) {
    this.#name = name;
    this.left = left;
    this.#trace = trace;
    this.#batch = batch;
  }

  readonly work = (): number => {
    this.calls += 1;
    this.#trace.push(this.#name);
    const done = Math.min(this.left, this.#batch);
    this.left -= done;
    return done;
  };
}

/** Errors fail the test unless it expects them. */
function startTestRetention(options: Partial<Parameters<typeof startRetention>[0]>) {
  const rethrow = (error: unknown): never => {
    throw error;
  };
  return startRetention({ pruners: [], reclaimSpace: () => 0, onError: rethrow, ...options });
}

/** Less than an hour: all that is to be done without waiting for the next time. */
function letStepsRun(): void {
  jest.advanceTimersByTime(1_000);
}

test('everything that is too old goes, and then its space, each until nothing is left', () => {
  const trace: string[] = [];
  const [scans, events, pages] = [
    new Backlog('scans', 5, trace),
    new Backlog('events', 3, trace),
    new Backlog('pages', 4, trace),
  ];
  const retention = startTestRetention({
    pruners: [scans.work, events.work],
    reclaimSpace: pages.work,
  });
  letStepsRun();
  expect([scans.left, events.left, pages.left]).toEqual([0, 0, 0]);
  expect(trace.join(' ')).toBe('scans scans scans scans events events events pages pages pages');
  retention.stop();
});

test('requests get through between two steps', () => {
  const scans = new Backlog('scans', 5);
  const retention = startTestRetention({ pruners: [scans.work] });
  expect(scans.calls).toBe(1);
  let callsBefore = 0;
  setTimeout(() => (callsBefore = scans.calls), 0);
  letStepsRun();
  expect(callsBefore).toBeLessThan(3);
  expect(scans.calls).toBe(4);
  retention.stop();
});

test('space is given back although nothing was pruned', () => {
  const pages = new Backlog('pages', 3);
  const retention = startTestRetention({ reclaimSpace: pages.work });
  letStepsRun();
  expect(pages.left).toBe(0);
  retention.stop();
});

test('it is done again every hour', () => {
  const scans = new Backlog('scans', 1);
  const retention = startTestRetention({ pruners: [scans.work] });
  letStepsRun();
  for (let hour = 1; hour <= 3; hour++) {
    const { calls } = scans;
    scans.left = 3;
    jest.advanceTimersByTime(hourMs - 2_000);
    expect(scans.calls).toBe(calls);
    jest.advanceTimersByTime(2_000);
    expect(scans).toMatchObject({ calls: calls + 3, left: 0 });
  }
  retention.stop();
});

test('the time between can be set', () => {
  const scans = new Backlog('scans', 0);
  const retention = startTestRetention({
    pruners: [scans.work],
    intervalMs: 50,
  });
  jest.advanceTimersByTime(49);
  expect(scans.calls).toBe(1);
  jest.advanceTimersByTime(10);
  expect(scans.calls).toBe(2);
  retention.stop();
});

test('it stops between two steps', () => {
  const scans = new Backlog('scans', 100);
  const retention = startTestRetention({ pruners: [scans.work] });
  retention.stop();
  jest.advanceTimersByTime(2 * hourMs);
  expect(scans.calls).toBe(1);
  expect(jest.getTimerCount()).toBe(0);
});

test('it stops while it waits for the next time', () => {
  const scans = new Backlog('scans', 0);
  const retention = startTestRetention({ pruners: [scans.work] });
  letStepsRun();
  retention.stop();
  jest.advanceTimersByTime(2 * hourMs);
  expect(scans.calls).toBe(1);
  expect(jest.getTimerCount()).toBe(0);
});

test('a task that fails is told, and tried again after the interval', () => {
  const scans = new Backlog('scans', 3);
  const errors: unknown[] = [];
  let isLocked = true;
  const prune = (): number => {
    if (isLocked) throw new Error('database is locked');
    return scans.work();
  };
  const retention = startTestRetention({
    pruners: [prune],
    onError: (error) => errors.push(error),
  });
  letStepsRun();
  expect(errors).toEqual([new Error('database is locked')]);
  isLocked = false;
  jest.advanceTimersByTime(hourMs);
  expect(scans.left).toBe(0);
  expect(errors).toHaveLength(1);
  retention.stop();
});

test('a task that fails does not keep the others from their work', () => {
  const [scans, pages] = [new Backlog('scans', 3), new Backlog('pages', 3)];
  const errors: unknown[] = [];
  const prune = (): number => {
    throw new Error('database disk image is malformed');
  };
  const retention = startTestRetention({
    pruners: [prune, scans.work],
    reclaimSpace: pages.work,
    onError: (error) => errors.push(error),
  });
  letStepsRun();
  expect(errors).toHaveLength(1);
  expect([scans.left, pages.left]).toEqual([0, 0]);
  retention.stop();
});
