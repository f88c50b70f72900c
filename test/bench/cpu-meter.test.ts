import { expect, test } from 'bun:test';
import { CpuMeter } from './cpu-meter.ts';
import { parseStat, type ProcessTimes } from './process-times.ts';

const times = (
  pid: number,
  parent: number,
  ownMs: number,
  endedMs = 0,
  startTime = pid,
): ProcessTimes => ({ pid, parent, startTime, ownMs, endedMs });

/** What the meter reads of each state of the machine, whose root is process 1. */
function readingsOf(...states: ProcessTimes[][]): number[] {
  const left = states.values();
  const meter = new CpuMeter(1, () => left.next().value ?? []);
  return states.map(() => meter.read().treeMs);
}

test('the time of a tree is that of its living and ended processes, and of no others', () => {
  expect(
    readingsOf([times(1, 0, 10, 5), times(2, 1, 20), times(3, 2, 30, 1), times(4, 9, 1_000)]),
  ).toEqual([66]);
});

test('a process that its parent has waited for is counted once', () => {
  expect(readingsOf([times(1, 0, 10), times(2, 1, 20)], [times(1, 0, 10, 25)])).toEqual([30, 35]);
});

test('a process whose parent was gone first, or does not wait, keeps what was seen of it', () => {
  const before = [times(1, 0, 10), times(2, 1, 20, 7), times(3, 2, 30)];
  expect(readingsOf(before, [times(1, 0, 15, 28)])).toEqual([67, 72]);
  expect(readingsOf(before, [times(1, 0, 15), times(2, 1, 20, 7)])).toEqual([67, 72]);
});

test('a later process of the same pid is another one', () => {
  const later = times(2, 1, 5, 0, 99);
  expect(readingsOf([times(1, 0, 10), times(2, 1, 20)], [times(1, 0, 10, 20), later])).toEqual([
    30, 35,
  ]);
});

test('a name with brackets and spaces does not shift the fields', () => {
  const stat = '42 (a) R (b) S 7 42 42 0 -1 4194560 1 2 3 4 11 12 13 14 20 0 1 0 555 0 0';
  expect(parseStat(stat)).toEqual({ pid: 42, parent: 7, startTime: 555, ownMs: 230, endedMs: 270 });
});

test('the work of a process that has ended is found with its parent', async () => {
  const meter = new CpuMeter(process.pid);
  const before = meter.read().treeMs;
  const busy = `
    const usedMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000;
    while (usedMs() < 150) for (let i = 0; i < 100_000; i += 1);
  `;
  await Bun.spawn([process.execPath, '-e', busy]).exited;
  expect(meter.read().treeMs - before).toBeGreaterThanOrEqual(130);
});
