import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { DomainError, ScanFailedError } from '../../src/errors.ts';
import { ScanQueue, shuttingDown } from '../../src/scan/queue.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const never = new AbortController().signal;

function createTestQueue(options: Partial<ConstructorParameters<typeof ScanQueue>[0]> = {}) {
  return new ScanQueue({ concurrency: 1, maxWaiting: 2, deadlineMs: 1_000, ...options });
}

/** A task that ends when it is told to, and not when its signal is aborted. */
class TestTask {
  signal: AbortSignal | null = null;
  outcome = 'none';
  readonly #end = Promise.withResolvers<void>();
  readonly #cancel = new AbortController();

  addTo(queue: ScanQueue, client?: string): this {
    const run = async (signal: AbortSignal): Promise<void> => {
      this.signal = signal;
      await this.#end.promise;
    };
    queue.add(run, this.#cancel.signal, client).then(
      () => (this.outcome = 'resolved'),
      (error: unknown) => (this.outcome = `rejected: ${String(error)}`),
    );
    return this;
  }

  get hasStarted(): boolean {
    return this.signal !== null;
  }

  get abortReason(): unknown {
    return this.signal?.reason;
  }

  async end(): Promise<void> {
    this.#end.resolve();
    await turn();
  }

  async fail(error: Error): Promise<void> {
    this.#end.reject(error);
    await turn();
  }

  async cancel(reason?: Error): Promise<void> {
    this.#cancel.abort(reason);
    await turn();
  }
}

function addTasks(queue: ScanQueue, count: number): [TestTask, ...TestTask[]] {
  const add = (): TestTask => new TestTask().addTo(queue);
  return [add(), ...Array.from({ length: count - 1 }, add)];
}

function refusalOf(queue: ScanQueue, client?: string): DomainError | null {
  try {
    queue.assertRoom(client);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    return error as DomainError;
  }
}

describe('tasks', () => {
  test('run at once up to the concurrency, the others wait their turn', async () => {
    const queue = createTestQueue({ concurrency: 2 });
    const tasks = addTasks(queue, 5);
    const started = (): boolean[] => tasks.map(({ hasStarted }) => hasStarted);
    expect(started()).toEqual([true, true, false, false, false]);
    expect([queue.running, queue.waiting]).toEqual([2, 3]);

    await tasks[1]?.end();
    expect(started()).toEqual([true, true, true, false, false]);
    await tasks[0].end();
    expect(started()).toEqual([true, true, true, true, false]);
    expect([queue.running, queue.waiting]).toEqual([2, 1]);
  });

  test('resolve when they end', async () => {
    const queue = createTestQueue();
    const [task] = addTasks(queue, 1);
    await turn();
    expect(task.outcome).toBe('none');
    await task.end();
    expect(task.outcome).toBe('resolved');
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });

  test('reject as they do, and make room', async () => {
    const queue = createTestQueue();
    const [task, next] = addTasks(queue, 2);
    await task.fail(new Error('disk full'));
    expect(task.outcome).toBe('rejected: Error: disk full');
    expect(next?.hasStarted).toBe(true);
  });

  test('reject when they throw before they have begun', async () => {
    const queue = createTestQueue();
    const fail = (): never => {
      throw new Error('no store');
    };
    const error = await queue.add(fail, never).catch((reason: unknown) => reason);
    expect(error).toEqual(new Error('no store'));
    await turn();
    expect(queue.running).toBe(0);
  });

  test('leave no timer behind', async () => {
    const queue = createTestQueue();
    const [task, cancelled] = addTasks(queue, 2);
    await cancelled?.cancel();
    await task.end();
    await queue.drain(1_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('room', () => {
  test('is there while a place is free or fewer than maxWaiting wait', async () => {
    const queue = createTestQueue({ concurrency: 2, maxWaiting: 2 });
    const refusals = Array.from({ length: 4 }, () => {
      const refusal = refusalOf(queue);
      new TestTask().addTo(queue);
      return refusal;
    });
    expect(refusals).toEqual([null, null, null, null]);
    expect(refusalOf(queue)).toMatchObject({
      code: 'queue-full',
      message: 'All scanners are busy: 2 scans are running and 2 are waiting. Try again later.',
    });
  });

  test('without a backlog is there while a place is free', async () => {
    const queue = createTestQueue({ maxWaiting: 0 });
    expect(refusalOf(queue)).toBeNull();
    const [task] = addTasks(queue, 1);
    expect(refusalOf(queue)).toMatchObject({ code: 'queue-full' });
    await task.end();
    expect(refusalOf(queue)).toBeNull();
  });

  test('is there again when a waiting task leaves', async () => {
    const queue = createTestQueue({ maxWaiting: 1 });
    const [, waiting] = addTasks(queue, 2);
    expect(refusalOf(queue)).not.toBeNull();
    await waiting?.cancel();
    expect(refusalOf(queue)).toBeNull();
  });

  test('does not matter for adding, so that accepted scans always find a place', async () => {
    const queue = createTestQueue({ maxWaiting: 0 });
    const tasks = addTasks(queue, 5);
    expect(queue.waiting).toBe(4);
    for (const task of tasks) await task.end();
    expect(tasks.map(({ outcome }) => outcome)).toEqual(Array(5).fill('resolved'));
  });
});

describe('of the places to wait', () => {
  /** Adds tasks while there is room; returns how many were taken. */
  const fill = (queue: ScanQueue, client: string): number => {
    let taken = 0;
    while (refusalOf(queue, client) === null) {
      new TestTask().addTo(queue, client);
      taken += 1;
    }
    return taken;
  };

  test.each([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 2],
    [10, 5],
    [100, 50],
  ])('one client gets half: of %d, %d', (maxWaiting, share) => {
    const queue = createTestQueue({ maxWaiting });
    new TestTask().addTo(queue, 'a');
    expect(fill(queue, 'a')).toBe(share);
  });

  test('each further client gets half of what is left, until none is', () => {
    const queue = createTestQueue({ maxWaiting: 10 });
    new TestTask().addTo(queue, 'a');
    expect(['a', 'b', 'c', 'd', 'e'].map((client) => fill(queue, client))).toEqual([5, 3, 1, 1, 0]);
    expect(refusalOf(queue, 'a')).toMatchObject({ code: 'queue-full' });
  });

  test('a client that has its share is told so, and others find room', () => {
    const queue = createTestQueue({ maxWaiting: 10 });
    new TestTask().addTo(queue, 'a');
    fill(queue, 'a');
    expect(refusalOf(queue, 'a')).toMatchObject({
      code: 'too-many-waiting',
      message:
        'Your address has its share of the waiting scans: 5 of at most 10 in all. Try again later.',
    });
    expect(refusalOf(queue, 'b')).toBeNull();
    expect(refusalOf(queue)).toBeNull();
  });

  test('a client may take every place to run', () => {
    const queue = createTestQueue({ concurrency: 3, maxWaiting: 0 });
    expect(fill(queue, 'a')).toBe(3);
  });

  test('a client has one again when another of its tasks starts or leaves', async () => {
    const queue = createTestQueue({ maxWaiting: 4 });
    const running = new TestTask().addTo(queue, 'a');
    const [first, second] = [new TestTask().addTo(queue, 'a'), new TestTask().addTo(queue, 'a')];
    expect(refusalOf(queue, 'a')).not.toBeNull();
    await running.end();
    expect([first.hasStarted, fill(queue, 'a')]).toEqual([true, 1]);
    await second.cancel();
    expect(fill(queue, 'a')).toBe(1);
  });
});

test('clients take turns, each in its own order', async () => {
  const queue = createTestQueue();
  const order: string[] = [];
  const add = (client: string | undefined, name: string): void =>
    void queue.add(async () => void order.push(name), never, client);
  for (const name of ['a1', 'a2', 'a3', 'a4']) add('a', name);
  add('b', 'b1');
  for (const name of ['old1', 'old2']) add(undefined, name);
  add('b', 'b2');
  await turn();
  expect(order).toEqual(['a1', 'a2', 'b1', 'old1', 'a3', 'b2', 'old2', 'a4']);
});

describe('the time after which to try again', () => {
  const retryAfter = (queue: ScanQueue, client?: string): number | undefined =>
    refusalOf(queue, client)?.data.retryAfterSeconds;

  const retryAfterTasksOf = async (ms: number, concurrency = 1): Promise<number | undefined> => {
    const queue = createTestQueue({ concurrency, maxWaiting: 0, deadlineMs: 10_000_000 });
    for (let count = 0; count < 60; count++) {
      const [task] = addTasks(queue, 1);
      jest.advanceTimersByTime(ms);
      await task.end();
    }
    addTasks(queue, concurrency);
    return retryAfter(queue);
  };

  test('is a guess before the first task has ended', () => {
    const queue = createTestQueue({ concurrency: 2, maxWaiting: 0 });
    addTasks(queue, 2);
    expect(retryAfter(queue)).toBe(3);
  });

  test.each([
    ['at least a second', 0, 1, 1],
    ['at least a second', 900, 1, 1],
    ['about as long as a task takes', 10_100, 1, 11],
    ['shorter with several places', 10_100, 4, 3],
    ['at most an hour', 5_000_000, 1, 3_600],
  ])('is %s: %d ms at %d places', async (_, ms, concurrency, seconds) => {
    expect(await retryAfterTasksOf(ms, concurrency)).toBe(seconds);
  });

  test('is longer when more have to start first', () => {
    const queue = createTestQueue({ concurrency: 2, maxWaiting: 0 });
    // As after a restart: they were accepted before.
    addTasks(queue, 6);
    expect(retryAfter(queue)).toBe(13);
    expect(retryAfter(queue, 'a')).toBe(13);
  });

  test('of a client with its share is that until one more of its tasks has room', () => {
    const queue = createTestQueue({ maxWaiting: 10 });
    for (let count = 0; count < 6; count += 1) new TestTask().addTo(queue, 'a');
    expect(retryAfter(queue, 'a')).toBe(5);
    for (let count = 0; count < 2; count += 1) new TestTask().addTo(queue, 'b');
    expect(retryAfter(queue, 'a')).toBe(15);
  });

  test('grows while the running tasks take longer than the others did', () => {
    const queue = createTestQueue({ concurrency: 2, maxWaiting: 0, deadlineMs: 60_000 });
    addTasks(queue, 2);
    expect(retryAfter(queue)).toBe(3);
    jest.advanceTimersByTime(5_000);
    expect(retryAfter(queue)).toBe(3);
    jest.advanceTimersByTime(35_000);
    expect(retryAfter(queue)).toBe(20);
  });
});

describe('the deadline', () => {
  test('aborts the signal of a task that runs too long, and not before', async () => {
    const queue = createTestQueue({ deadlineMs: 60_000 });
    const [task] = addTasks(queue, 1);
    jest.advanceTimersByTime(59_999);
    expect(task.signal?.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(task.abortReason).toBeInstanceOf(ScanFailedError);
    expect(task.abortReason).toMatchObject({
      code: 'scan-timed-out',
      message:
        'The scan was stopped after 60 seconds. The page is too large or too slow to be scanned in that time, or a script on it does not end.',
    });
  });

  test('does not free the place before the task has ended', async () => {
    const queue = createTestQueue();
    const [task, next] = addTasks(queue, 2);
    jest.advanceTimersByTime(5_000);
    await turn();
    expect(task.signal?.aborted).toBe(true);
    expect([task.outcome, next?.hasStarted]).toEqual(['none', false]);
    expect([queue.running, queue.waiting]).toEqual([1, 1]);

    await task.end();
    expect([task.outcome, next?.hasStarted]).toEqual(['resolved', true]);
  });

  test('does not count the wait', async () => {
    const queue = createTestQueue();
    const [task, next] = addTasks(queue, 2);
    jest.advanceTimersByTime(999);
    await task.end();
    jest.advanceTimersByTime(999);
    expect(next?.signal?.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(next?.signal?.aborted).toBe(true);
  });

  test('does not matter to a task that has ended', async () => {
    const queue = createTestQueue();
    const [task] = addTasks(queue, 1);
    await task.end();
    jest.advanceTimersByTime(5_000);
    expect(task.signal?.aborted).toBe(false);
  });
});

describe('cancelling', () => {
  test('takes a waiting task out, which never starts and resolves', async () => {
    const queue = createTestQueue();
    const [first, second, third] = addTasks(queue, 3);
    await second?.cancel(new Error('nobody waits'));
    expect([second?.outcome, second?.hasStarted]).toEqual(['resolved', false]);
    expect(queue.waiting).toBe(1);

    await first.end();
    expect([second?.hasStarted, third?.hasStarted]).toEqual([false, true]);
  });

  test('aborts the signal of a running task with the reason, and waits for its end', async () => {
    const queue = createTestQueue();
    const [task, next] = addTasks(queue, 2);
    const reason = new Error('nobody waits');
    await task.cancel(reason);
    expect(task.abortReason).toBe(reason);
    expect([task.outcome, next?.hasStarted]).toEqual(['none', false]);
    await task.end();
    expect([task.outcome, next?.hasStarted]).toEqual(['resolved', true]);
  });

  test('reaches a task that had to wait', async () => {
    const queue = createTestQueue();
    const [first, second] = addTasks(queue, 2);
    await first.end();
    await second?.cancel(new Error('nobody waits'));
    expect(second?.abortReason).toEqual(new Error('nobody waits'));
  });

  test('keeps the first reason', async () => {
    const queue = createTestQueue();
    const [task] = addTasks(queue, 1);
    jest.advanceTimersByTime(1_000);
    await task.cancel(new Error('nobody waits'));
    expect(task.abortReason).toMatchObject({ code: 'scan-timed-out' });
  });

  test('a task that has ended changes nothing', async () => {
    const queue = createTestQueue();
    const [task] = addTasks(queue, 1);
    await task.end();
    await task.cancel();
    expect([task.outcome, task.signal?.aborted]).toEqual(['resolved', false]);
  });
});

describe('a queue that is held', () => {
  test('starts nothing until it is let go, and finishes what runs', async () => {
    const queue = createTestQueue({ concurrency: 2 });
    const [running] = addTasks(queue, 1);
    queue.hold(true);
    const [held] = addTasks(queue, 1);
    await running.end();
    expect(running.outcome).toBe('resolved');
    expect(held.hasStarted).toBe(false);
    queue.hold(false);
    await turn();
    expect(held.hasStarted).toBe(true);
  });

  test('has room only for those who wait, though places are free', () => {
    const queue = createTestQueue({ concurrency: 2, maxWaiting: 1 });
    queue.hold(true);
    expect(refusalOf(queue)).toBeNull();
    addTasks(queue, 1);
    expect(refusalOf(queue)?.code).toBe('queue-full');
    queue.hold(false);
    expect(refusalOf(queue)).toBeNull();
  });

  test('starts nothing when it is let go while draining', async () => {
    const queue = createTestQueue();
    queue.hold(true);
    const drained = queue.drain(1_000);
    queue.hold(false);
    const [late] = addTasks(queue, 1);
    await drained;
    await turn();
    expect(late.hasStarted).toBe(false);
  });
});

describe('draining', () => {
  test('takes out what waits, and starts nothing any more', async () => {
    const queue = createTestQueue();
    const [running, ...waiting] = addTasks(queue, 3);
    const drained = queue.drain(1_000);
    await turn();
    expect(waiting.map(({ outcome }) => outcome)).toEqual(['resolved', 'resolved']);
    await running.end();
    await drained;
    expect(waiting.map(({ hasStarted }) => hasStarted)).toEqual([false, false]);

    const [late] = addTasks(queue, 1);
    await turn();
    expect(late.hasStarted).toBe(false);
  });

  test('lets running tasks end within the grace period', async () => {
    const queue = createTestQueue({ concurrency: 2, deadlineMs: 60_000 });
    const [first, second] = addTasks(queue, 2);
    let isDrained = false;
    const drained = queue.drain(6_000).then(() => (isDrained = true));
    jest.advanceTimersByTime(5_999);
    await first.end();
    expect(isDrained).toBe(false);
    await second?.end();
    await drained;
    expect([first.signal?.aborted, second?.signal?.aborted]).toEqual([false, false]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('aborts what still runs after it, and waits for the end', async () => {
    const queue = createTestQueue({ deadlineMs: 60_000 });
    const [task] = addTasks(queue, 1);
    let isDrained = false;
    const drained = queue.drain(6_000).then(() => (isDrained = true));
    jest.advanceTimersByTime(5_999);
    expect(task.signal?.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    await turn();
    expect(task.abortReason).toMatchObject({
      code: 'shutting-down',
      data: { retryAfterSeconds: 5 },
    });
    expect(isDrained).toBe(false);
    await task.end();
    await drained;
  });

  test('does not abort what has ended meanwhile', async () => {
    const queue = createTestQueue({ concurrency: 2, deadlineMs: 60_000 });
    const [first, second] = addTasks(queue, 2);
    const drained = queue.drain(6_000);
    await first.end();
    jest.advanceTimersByTime(6_000);
    expect([first.signal?.aborted, second?.signal?.aborted]).toEqual([false, true]);
    await second?.end();
    await drained;
  });

  test('keeps the deadline', async () => {
    const queue = createTestQueue({ deadlineMs: 1_000 });
    const [task] = addTasks(queue, 1);
    const drained = queue.drain(6_000);
    jest.advanceTimersByTime(1_000);
    expect(task.abortReason).toMatchObject({ code: 'scan-timed-out' });
    await task.end();
    await drained;
  });

  test('is done at once when nothing runs', async () => {
    const queue = createTestQueue();
    await queue.drain(6_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});

test('the error of a shutdown names the scan where there is one', () => {
  expect(shuttingDown()).toMatchObject({ code: 'shutting-down', data: { retryAfterSeconds: 5 } });
  expect(shuttingDown('a').data).toEqual({ retryAfterSeconds: 5, scanId: 'a' });
});

test('whatever happens, tasks start in order, never too many, never cancelled, and all settle', async () => {
  const steps = fc.array(
    fc.record({
      action: fc.constantFrom('add', 'add', 'end', 'fail', 'cancel', 'time out'),
      which: fc.nat({ max: 20 }),
    }),
    { maxLength: 40, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (concurrency, all) => {
      const queue = createTestQueue({ concurrency });
      // Each task of the model is waiting, running or gone.
      const tasks: TestTask[] = [];
      let waiting: TestTask[] = [];
      let running: TestTask[] = [];

      for (const { action, which } of all) {
        if (action === 'add') {
          const task = new TestTask().addTo(queue);
          tasks.push(task);
          waiting.push(task);
        } else if (action === 'time out') {
          jest.advanceTimersByTime(1_000);
        } else if (action === 'cancel') {
          const task = tasks[which % (tasks.length || 1)];
          await task?.cancel();
          waiting = waiting.filter((it) => it !== task);
        } else {
          const task = running[which % (running.length || 1)];
          await (action === 'end' ? task?.end() : task?.fail(new Error('failed')));
          running = running.filter((it) => it !== task);
        }
        await turn();
        running = [...running, ...waiting.slice(0, concurrency - running.length)];
        waiting = waiting.filter((task) => !running.includes(task));
        expect([queue.running, queue.waiting]).toEqual([running.length, waiting.length]);
        expect(running.every(({ hasStarted, outcome }) => hasStarted && outcome === 'none')).toBe(
          true,
        );
        expect(waiting.some(({ hasStarted, outcome }) => hasStarted || outcome !== 'none')).toBe(
          false,
        );
      }
      const drained = queue.drain(0);
      for (const task of tasks) await task.end();
      await drained;
      expect(tasks.filter(({ outcome }) => outcome === 'none')).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
