import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a service and all processes below it hold just now. */
export interface Holdings {
  /** Of the service alone, in bytes. */
  readonly serviceMemory: number;
  readonly treeMemory: number;
  readonly processes: number;
  /** Open in the service. */
  readonly descriptors: number;
  readonly listeningSockets: number;
}

export function holdingsOf(servicePid: number): Holdings {
  const tree = [servicePid, ...descendantsOf(servicePid)];
  const links = openFilesOf(servicePid);
  const listening = listeningInodes();
  return {
    serviceMemory: memoryOf(servicePid),
    treeMemory: tree.reduce((sum, pid) => sum + memoryOf(pid), 0),
    processes: tree.length,
    descriptors: links.length,
    listeningSockets: links.filter((link) => listening.has(link)).length,
  };
}

/** Its browsers: each leads a process group of its own. */
export function browsersOf(servicePid: number): number[] {
  return readProcesses()
    .filter(({ pid, parent, group }) => parent === servicePid && group === pid)
    .map(({ pid }) => pid);
}

/** What is left of process groups, zombies apart. */
export function membersOf(groups: ReadonlySet<number>): number[] {
  return readProcesses()
    .filter(({ group }) => groups.has(group))
    .map(({ pid }) => pid);
}

function descendantsOf(pid: number, processes = readProcesses()): number[] {
  return processes
    .filter(({ parent }) => parent === pid)
    .flatMap((child) => [child.pid, ...descendantsOf(child.pid, processes)]);
}

/** All that live; a zombie only waits for its parent. */
function readProcesses(): { pid: number; parent: number; group: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`);
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return stat === '' || state === 'Z'
        ? []
        : [{ pid: Number(name), parent: Number(parent), group: Number(group) }];
    });
}

/**
 * What it has written, with its share of what it has in common with others. Programs and libraries
 * count for nothing: how much of them is in memory depends on what else runs on the machine.
 */
function memoryOf(pid: number): number {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  // Closed to ordinary users where the process is sandboxed; this counts twice what is shared.
  const text = rollup === '' ? read(`/proc/${pid}/status`) : rollup;
  const sizes = text.matchAll(/^(?:Pss_(?:Anon|Shmem)|Rss(?:Anon|Shmem)):\s*(\d+) kB$/gm);
  return sizes.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1_024, 0);
}

function openFilesOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });
}

/** As they are named in the list of open files. */
function listeningInodes(): Set<string> {
  const rows = ['tcp', 'tcp6'].flatMap((name) => read(`/proc/net/${name}`).split('\n'));
  return new Set(
    rows
      .map((row) => row.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A')
      .map((fields) => `socket:[${fields[9]}]`),
  );
}

/** Empty when the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
