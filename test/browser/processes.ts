import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { ContextLease } from '../../src/browser/browser-instance.ts';

/** The browser's process, which leads a group of its own. */
export function pidOf({ context }: ContextLease): number {
  const pid = context.browser().process()?.pid;
  if (pid === undefined) throw new Error('the browser has no process');
  return pid;
}

/** How many processes of the group live; a zombie waits for its parent only. */
export async function countProcesses(groupId: number): Promise<number> {
  return (await membersOf(groupId)).length;
}

/** The group's processes that live. */
export async function membersOf(groupId: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => {
    const stat = stats[index] ?? '';
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state !== 'Z' && Number(group) === groupId;
  });
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

/** The group's processes that run pages. */
export async function renderersOf(groupId: number): Promise<number[]> {
  const pids = await membersOf(groupId);
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => commands[index]?.includes('--type=renderer'));
}

/** What the kernel says of a process that everybody may read. */
export async function statusOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const numbers = (name: string): number[] => {
    const [, values = ''] = new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status) ?? [];
    return values.split(/\s+/).map((value) => Number.parseInt(value, 10));
  };
  return {
    uid: numbers('Uid')[0],
    seccompMode: numbers('Seccomp')[0],
    /** How many process namespaces it has an id in. */
    namespaceDepth: numbers('NSpid').length,
  };
}

export async function residentBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0) * 1_024;
}
