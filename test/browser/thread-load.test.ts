import { expect, test } from 'bun:test';
import { type Load, ThreadLoad } from '../../src/browser/thread-load.ts';

/** Long enough for a thread to be seen at work. */
const spanMs = 300;

async function loadOf(script: string): Promise<Load> {
  const child = Bun.spawn(['sh', '-c', script]);
  try {
    const load = new ThreadLoad(child.pid);
    await Bun.sleep(spanMs);
    return load.measure();
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

test('a process that never sleeps is as busy as can be', async () => {
  const { awake, running } = await loadOf('while :; do :; done');
  expect(awake).toBeGreaterThan(0.9);
  expect(awake).toBeLessThan(1.1);
  // What else the machine has to do, it waits for.
  expect(running).toBeGreaterThan(0);
  expect(running).toBeLessThanOrEqual(awake);
});

test('a process that sleeps is not busy', async () => {
  const { awake, running } = await loadOf('exec sleep 60');
  expect(running).toBeLessThanOrEqual(awake);
  expect(awake).toBeLessThan(0.2);
});

test('a process that is gone is not busy', async () => {
  const child = Bun.spawn(['true']);
  const load = new ThreadLoad(child.pid);
  await child.exited;
  expect(load.measure()).toEqual({ running: 0, awake: 0 });
});
