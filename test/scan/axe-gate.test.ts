import { expect, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AxeGate } from '../../src/scan/axe-gate.ts';

const never = new AbortController().signal;

function createGate(concurrency: number) {
  const crowded: boolean[] = [];
  const gate = new AxeGate({ concurrency, onCrowded: (isCrowded) => crowded.push(isCrowded) });
  const started: number[] = [];
  const ends: PromiseWithResolvers<number>[] = [];
  const enter = (number: number, signal = never): Promise<number> => {
    const end = Promise.withResolvers<number>();
    ends[number] = end;
    return gate.run(() => {
      started.push(number);
      return end.promise;
    }, signal);
  };
  return { crowded, started, enter, end: (number: number) => ends[number]?.resolve(number) };
}

test('as many run at once as there are places, the others in their turn', async () => {
  const { started, enter, end } = createGate(2);
  const works = [0, 1, 2, 3].map((number) => enter(number));
  await turn();
  expect(started).toEqual([0, 1]);
  end(1);
  expect(await works[1]).toBe(1);
  await turn();
  expect(started).toEqual([0, 1, 2]);
  for (const number of [0, 2, 3]) {
    end(number);
    await turn();
  }
  expect(await Promise.all(works)).toEqual([0, 1, 2, 3]);
});

test('it is crowded while as many wait as may run', async () => {
  const { crowded, enter, end } = createGate(2);
  for (const number of [0, 1, 2]) void enter(number);
  await turn();
  expect(crowded).toEqual([]);
  void enter(3);
  await turn();
  expect(crowded).toEqual([true]);
  end(0);
  await turn();
  expect(crowded).toEqual([true, false]);
});

test('who leaves while waiting is not run, and is told the reason', async () => {
  const { started, enter, end } = createGate(1);
  const first = enter(0);
  const abort = new AbortController();
  const reason = new Error('enough');
  const second = enter(1, abort.signal);
  await turn();
  abort.abort(reason);
  expect(await second.catch((error: unknown) => error)).toBe(reason);
  end(0);
  await first;
  await turn();
  expect(started).toEqual([0]);
});

test('what runs keeps its place until it has ended, also when it is to end', async () => {
  const { started, enter, end } = createGate(1);
  const abort = new AbortController();
  const first = enter(0, abort.signal);
  void enter(1);
  await turn();
  abort.abort(new Error('enough'));
  await turn();
  expect(started).toEqual([0]);
  end(0);
  expect(await first).toBe(0);
  await turn();
  expect(started).toEqual([0, 1]);
});
