import type { ContestantName, Lineup } from '../contestants/lineup.ts';
import { readProcessTimes, readPss, treeOf } from '../process-times.ts';
import { loadContestant, type UrlsInTurn } from './load.ts';

/** In bytes, of the process tree. */
export interface MemoryUse {
  readonly contestant: ContestantName;
  /** After a scan, with nothing under way. */
  readonly idle: number;
  /** What each of two scans at once adds at the most. */
  readonly perScan: number;
}

const idleAfterMs = 3_000;
const clients = 2;

/**
 * One contestant after another, each alone: what they share of the browser's file would be counted to
 * each in part only.
 */
export async function measureMemory(
  lineup: Lineup,
  { durationMs, urls }: { durationMs: number; urls: UrlsInTurn },
): Promise<MemoryUse[]> {
  await lineup.stopAll();
  const uses: MemoryUse[] = [];
  for (const name of lineup.names) {
    const contestant = await lineup.get(name);
    if (contestant === undefined || contestant.isSerial) continue;
    await lineup.scan(contestant, { url: urls.next() }).catch(() => {});
    await Bun.sleep(idleAfterMs);
    const tree = treeOf(contestant.pid, readProcessTimes());
    const idle = readPss(tree.map(({ pid }) => pid));
    const load = await loadContestant(lineup, contestant, { clients, durationMs, urls });
    uses.push({ contestant: name, idle, perScan: (load.peakPss - idle) / clients });
    await lineup.stop(name);
  }
  return uses;
}
