import type { ContestantName, Lineup } from '../contestants/lineup.ts';
import type { BenchPage } from '../pages/page-set.ts';
import type { BenchServer, Mode } from '../pages/serve.ts';
import { type Load, loadContestant, type UrlsInTurn } from './load.ts';

/** How many clients there are at once. */
export const clientCounts = [1, 2, 4, 8];
/** For pages that are waited for: the time is the network's, so there is room for many. */
export const patientClientCounts = [1, 8, 16, 32];

interface LoadOptions {
  readonly durationMs: number;
  readonly onLoad: (load: Load) => void;
}

/**
 * Scans of the pages in turn, by ever more clients. Each load is repeated, with the others' between: what
 * else happens on the machine is to meet all of them alike.
 */
export async function measureThroughput(
  lineup: Lineup,
  server: BenchServer,
  pages: readonly BenchPage[],
  { turns, durationMs, onLoad }: LoadOptions & { turns: number },
): Promise<Load[]> {
  const loads: Load[] = [];
  for (const clients of clientCounts) {
    const ofName = new Map<ContestantName, Load[]>();
    for (let turn = 0; turn < turns; turn += 1) {
      for (const name of lineup.names) {
        const contestant = await lineup.get(name);
        // One that takes a scan at a time takes so long that once will do.
        if (contestant === undefined || (contestant.isSerial && clients + turn > 1)) continue;
        const urls = inTurn(server, pages);
        const load = await loadContestant(lineup, contestant, { clients, durationMs, urls });
        ofName.getOrInsertComputed(name, () => []).push(load);
        onLoad(load);
      }
    }
    loads.push(...ofName.values().map(mean));
  }
  return loads;
}

function mean(turns: Load[]): Load {
  const sum = (of: (load: Load) => number): number =>
    turns.reduce((total, load) => total + of(load), 0);
  const scans = sum((load) => load.scans);
  return {
    ...turns[0]!,
    scans,
    failures: sum((load) => load.failures),
    scansPerMinute: sum((load) => load.scansPerMinute) / turns.length,
    cpuMsPerScan: sum((load) => load.cpuMsPerScan * load.scans) / scans,
    peakPss: Math.max(...turns.map((load) => load.peakPss)),
  };
}

/** The same where the network takes 500 to 1,500 ms a page: the floor alone, and Curbcut in company. */
export async function measureNetworkWait(
  lineup: Lineup,
  server: BenchServer,
  page: BenchPage,
  { durationMs, onLoad }: LoadOptions,
): Promise<Load[]> {
  const loads: Load[] = [];
  for (const clients of patientClientCounts) {
    for (const name of ['floor', 'curbcut'] as const) {
      if (name === 'floor' && clients > 1) continue;
      const contestant = await lineup.get(name);
      if (contestant === undefined) continue;
      const urls = inTurn(server, [page], 'slow');
      loads.push(await loadContestant(lineup, contestant, { clients, durationMs, urls }));
      onLoad(loads.at(-1)!);
    }
  }
  return loads;
}

export function inTurn(
  server: BenchServer,
  pages: readonly BenchPage[],
  mode: Mode = 'now',
): UrlsInTurn {
  let index = 0;
  const next = (): string => {
    const page = pages[index % pages.length];
    index += 1;
    if (page === undefined) throw new Error('there is no page to scan');
    return server.urlOf(page, mode);
  };
  return { next, roundLength: pages.length };
}
