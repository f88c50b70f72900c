import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ScanFailedError } from '../../src/errors.ts';
import { storageUnavailable } from '../../src/store/storage-fault.ts';
import { createTestService, never } from './test-service.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const url = 'https://example.com/';
const otherUrl = 'https://other.example/';

/** A service whose database can be made to refuse writes, as on a full disk. */
function createFaultyService(options: Parameters<typeof createTestService>[0] = {}) {
  const made = createTestService(options);
  const setReadOnly = (value: 0 | 1) =>
    void made.database.db.$client.run(`PRAGMA query_only = ${value}`);
  return {
    ...made,
    breakStorage: () => setReadOnly(1),
    mendStorage: () => setReadOnly(0),
    codeOf: async (text: string): Promise<unknown> => {
      try {
        await made.service.scan(text, 0, never);
      } catch (error) {
        return error instanceof Error && 'code' in error ? error.code : error;
      }
      return undefined;
    },
    messages: () => made.lines.map(({ message }) => message),
  };
}

/** Lets the time pass until the condition holds. */
async function passUntil(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await turn();
    jest.advanceTimersByTime(1_000);
  }
}

test('a scan that could not be stored is refused, and leaves nothing', async () => {
  const { axe, stored, queue, breakStorage, mendStorage, codeOf } = createFaultyService();
  breakStorage();
  expect(await codeOf(url)).toBe('storage-unavailable');
  expect([queue.running, queue.waiting, axe.runs.length]).toEqual([0, 0, 0]);
  expect(stored()).toEqual([]);
  mendStorage();
  expect(await codeOf(url)).toBeUndefined();
});

describe('a scan that ends while nothing can be stored', () => {
  const waits = 'scan has ended and waits to be stored';

  test.each(['done', 'failed'] as const)(
    'is %s when it can, for its waiter too',
    async (status) => {
      const { service, axe, stored, messages, lines, breakStorage, mendStorage } =
        createFaultyService();
      const scanned = service.scan(url, Infinity, never);
      const run = await axe.run();
      breakStorage();
      if (status === 'done') run.succeed();
      else run.fail(new ScanFailedError('not-html', 'It is a picture.'));
      await passUntil(() => messages().length > 0);
      expect(lines).toEqual([expect.objectContaining({ level: 'error', message: waits })]);
      expect(stored()).toMatchObject([{ status: 'running' }]);

      mendStorage();
      await passUntil(() => stored()[0]?.status !== 'running');
      expect((await scanned).status).toBe(status);
      expect(messages()).toEqual([waits, `scan ${status}`]);
    },
  );

  test('lets no other be accepted until it is stored, though a small row would fit', async () => {
    let isFull = true;
    const { axe, start, messages, codeOf } = createFaultyService({
      substitute: (store) => ({
        complete: async (scanId, result) => {
          if (isFull) throw storageUnavailable(new Error('disk full'));
          return store.complete(scanId, result);
        },
      }),
    });
    await start(url);
    (await axe.run()).succeed();
    await passUntil(() => messages().length > 0);
    expect(await codeOf(otherUrl)).toBe('storage-unavailable');
    // Whoever asks for the same page joins it.
    expect(await codeOf(url)).toBeUndefined();

    isFull = false;
    await passUntil(() => messages().length > 1);
    expect(await codeOf(otherUrl)).toBeUndefined();
  });

  test('keeps its place, so that no more reports are held than scans run at once', async () => {
    const { axe, start, messages, breakStorage, mendStorage } = createFaultyService({
      concurrency: 1,
    });
    await start(url);
    await start(otherUrl);
    const run = await axe.run();
    breakStorage();
    run.succeed();
    await passUntil(() => messages().length > 0);
    for (let second = 0; second < 100; second++) {
      jest.advanceTimersByTime(1_000);
      await turn();
    }
    expect(axe.runs).toHaveLength(1);

    mendStorage();
    await passUntil(() => axe.runs.length === 2);
    expect(messages()).toEqual([waits, 'scan done']);
  });

  test('is left to the next process when the service closes first', async () => {
    const before = createFaultyService();
    const scanId = await before.start(url);
    const run = await before.axe.run();
    before.breakStorage();
    run.succeed();
    await passUntil(() => before.messages().length > 0);
    const closed = before.service.close(6_000);
    await passUntil(() => before.queue.running === 0);
    await closed;
    expect(before.messages()).toEqual([waits, 'scan could not be stored']);
    expect(before.stored()).toMatchObject([{ status: 'running' }]);

    before.mendStorage();
    const after = createTestService({ database: before.database });
    after.service.recover();
    (await after.axe.run()).succeed();
    await after.until(scanId, 'done');
  });

  test('because its last waiter left is cancelled all the same, at once', async () => {
    const { service, axe, stored, breakStorage, mendStorage } = createFaultyService();
    const client = new AbortController();
    const scanned = service.scan(url, Infinity, client.signal);
    const run = await axe.run();
    breakStorage();
    client.abort();
    await scanned;
    expect(run.request.signal.aborted).toBe(true);
    mendStorage();
    await passUntil(() => stored()[0]?.status === 'failed');
    expect(stored()).toMatchObject([{ errorCode: 'scan-cancelled' }]);
  });
});

test('a scan is scanned although its start cannot be stored', async () => {
  const { axe, start, until, messages } = createFaultyService({
    substitute: () => ({
      markRunning: () => {
        throw storageUnavailable(new Error('database is locked'));
      },
    }),
  });
  const scanId = await start(url);
  (await axe.run()).succeed();
  expect(await until(scanId, 'done')).toMatchObject({ status: 'done' });
  expect(messages()).toEqual(['scan could not be marked as running', 'scan done']);
});
