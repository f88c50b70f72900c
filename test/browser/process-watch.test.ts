import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ProcessWatch } from '../../src/browser/process-watch.ts';
import { membersOf, residentBytesOf, untilGone } from './processes.ts';

const watchPollMs = 100;
const idlePollMs = 1_000;
const strayGraceMs = 1_000;

/*
 * A group of processes that starts others when it is told to, as a browser does: those with
 * `--type=renderer` on their command line are renderers.
 */
let leader: ChildProcessByStdio<Writable, Readable, null>;
let answers: Interface;
let groupId: number;
let openedAtMs: number[];
let areIdle: boolean;
let watch: ProcessWatch;
beforeEach(() => {
  const script = 'while read -r name; do sh -c "sleep 60; :" "$name" & echo $!; done';
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit'];
  leader = spawn('sh', ['-c', script], { detached: true, stdio });
  answers = createInterface(leader.stdout);
  groupId = leader.pid ?? 0;
  openedAtMs = [];
  areIdle = false;
  watch = watchWith(Infinity);
});
afterEach(async () => {
  watch.stop();
  process.kill(-groupId, 'SIGKILL');
  await untilGone(groupId);
});

function watchWith(maxTotalBytes: number): ProcessWatch {
  return new ProcessWatch({
    groupId,
    maxTotalBytes,
    openContexts: () => ({
      count: openedAtMs.length,
      oldestAtMs: Math.min(...openedAtMs),
      areIdle,
    }),
    onOvergrown: () => {},
  });
}

async function startProcess(name: string): Promise<number> {
  leader.stdin.write(`${name}\n`);
  const [pid] = await once(answers, 'line');
  return Number(pid);
}

async function untilEnded(pid: number): Promise<void> {
  while ((await membersOf(groupId)).includes(pid)) await new Promise((go) => setTimeout(go, 10));
}

test('renderers that are older than every open context are killed, and others are not', async () => {
  openedAtMs = [performance.now()];
  watch.start();
  const old = await startProcess('--type=renderer');
  const other = await startProcess('--type=utility');
  // Without this the watch may see it later than the next context, and would spare it.
  await new Promise((go) => setTimeout(go, 2 * watchPollMs));
  openedAtMs = [performance.now()];
  const young = await startProcess('--type=renderer');
  await untilEnded(old);
  expect(await membersOf(groupId)).toEqual(expect.arrayContaining([groupId, other, young]));

  openedAtMs = [];
  await untilEnded(young);
  expect(await membersOf(groupId)).toEqual(expect.arrayContaining([groupId, other]));
});

test('where no context is in use and there are more renderers than contexts, all are killed', async () => {
  openedAtMs = [performance.now()];
  areIdle = true;
  watch.start();
  const renderers = [await startProcess('--type=renderer'), await startProcess('--type=renderer')];
  const other = await startProcess('--type=utility');
  await Promise.all(renderers.map(untilEnded));
  expect(await membersOf(groupId)).toEqual(expect.arrayContaining([groupId, other]));
});

test('where no context is in use, one renderer of each is left alone', async () => {
  openedAtMs = [performance.now(), performance.now()];
  areIdle = true;
  watch.start();
  const renderers = [await startProcess('--type=renderer'), await startProcess('--type=renderer')];
  // In half of it one too many is killed.
  await new Promise((go) => setTimeout(go, 2 * (idlePollMs + strayGraceMs + watchPollMs)));
  expect(await membersOf(groupId)).toEqual(expect.arrayContaining(renderers));
});

test('a renderer is killed when all of them hold too much together, and no other process is', async () => {
  openedAtMs = [performance.now()];
  const renderer = await startProcess('--type=renderer');
  const other = await startProcess('--type=utility');
  const bytes = await residentBytesOf(renderer);
  expect(bytes).toBeGreaterThan(0);
  watch = watchWith(bytes / 2);
  watch.start();
  await untilEnded(renderer);
  expect(await membersOf(groupId)).toEqual(expect.arrayContaining([groupId, other]));
});
