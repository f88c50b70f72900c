import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createProfile, removeProfile, sweepProfiles } from '../../src/browser/profile.ts';

let made: string[] = [];
beforeEach(() => {
  made = [];
});
afterEach(() => Promise.all(made.map((path) => rm(path, { recursive: true, force: true }))));

async function makeProfileOf(pid: number): Promise<string> {
  const path = join(tmpdir(), `curbcut-profile-${pid}-test${made.length}`);
  made.push(path);
  await mkdir(join(path, 'Default'), { recursive: true });
  return path;
}

async function endedPid(): Promise<number> {
  const child = Bun.spawn(['true']);
  await child.exited;
  return child.pid;
}

async function remaining(...paths: string[]): Promise<string[]> {
  const names = new Set(await readdir(tmpdir()));
  return paths.filter((path) => names.has(basename(path)));
}

test('a profile is a new private folder, and is removed with all that is in it', async () => {
  const [first, second] = await Promise.all([createProfile(), createProfile()]);
  made.push(first, second);
  expect(first).not.toBe(second);
  await Bun.write(join(first, 'Default', 'Cookies'), 'x');
  await removeProfile(first);
  await removeProfile(first);
  expect(await remaining(first, second)).toEqual([second]);
});

test('sweeping removes the profiles of processes that have ended, and no others', async () => {
  const ended = await makeProfileOf(await endedPid());
  const running = await makeProfileOf(process.ppid);
  const own = await makeProfileOf(process.pid);
  await sweepProfiles();
  expect(await remaining(ended, running, own)).toEqual([running, own]);
});

test('sweeping removes what an earlier process with the same id has left', async () => {
  const earlier = await makeProfileOf(process.pid);
  const beforeStart = new Date(performance.timeOrigin - 1_000);
  await utimes(earlier, beforeStart, beforeStart);
  await sweepProfiles();
  expect(await remaining(earlier)).toEqual([]);
});

test('sweeping at the same time from two places is no error', async () => {
  const ended = await makeProfileOf(await endedPid());
  await Promise.all([sweepProfiles(), sweepProfiles(), sweepProfiles()]);
  expect(await remaining(ended)).toEqual([]);
});
