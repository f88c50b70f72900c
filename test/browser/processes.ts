import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { ContextLease } from '../../src/browser/chromium.ts';

/** The browser's process, which leads a group of its own. */
export function pidOf({ context }: ContextLease): number {
  const pid = context.browser().process()?.pid;
  if (pid === undefined) throw new Error('the browser has no process');
  return pid;
}

/** How many processes of the group live; a zombie waits for its parent only. */
export async function countProcesses(groupId: number): Promise<number> {
  const stats = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats.filter((stat) => {
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state !== 'Z' && Number(group) === groupId;
  }).length;
}

/** Resolves when no process of the group is left; the test's own time limit ends a wait in vain. */
export async function untilGone(groupId: number): Promise<void> {
  while ((await countProcesses(groupId)) > 0) await new Promise((go) => setImmediate(go));
}

/** The profile folders of this process's browsers. */
export async function profiles(): Promise<string[]> {
  const names = await readdir(tmpdir());
  return names.filter((name) => name.startsWith(`curbcut-profile-${process.pid}-`));
}
