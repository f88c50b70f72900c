import { expect, test } from 'bun:test';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasSharedMemory } from '../../src/browser/shared-memory.ts';

test('processes share memory in a folder with room that anybody may write to, and in no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'curbcut-test-'));
  try {
    await chmod(folder, 0o1777);
    expect(await hasSharedMemory(folder)).toBe(true);
    await chmod(folder, 0o1775);
    expect(await hasSharedMemory(folder)).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('nor in a folder without room, or where there is none', async () => {
  expect(await hasSharedMemory('/proc')).toBe(false);
  expect(await hasSharedMemory('/nowhere')).toBe(false);
});
