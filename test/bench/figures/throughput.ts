import type { ContestantName, Lineup } from '../contestants/lineup.ts';
import type { BenchPage } from '../pages/page-set.ts';
import type { BenchServer, Mode } from '../pages/serve.ts';
import { type Load, loadContestant, meanLoad, type UrlsInTurn } from './load.ts';

/** How many clients there are at once. */
export const clientCounts = [1, 2, 4, 8];
/** For pages that are waited for: the time is the network's, so there is room for many. */
export const patientClientCounts = [1, 8, 16, 32];

interface LoadOptions {
  /** How often each load is repeated. */
  readonly turns: number;
  readonly durationMs: number;
  readonly onLoad: (load: Load) => void;
}

/** Scans of the pages in turn, by ever more clients. */
export async function measureThroughput(
  lineup: Lineup,
  server: BenchServer,
  pages: readonly BenchPage[],
  options: LoadOptions,
): Promise<Load[]> {
  const urls = (): UrlsInTurn => inTurn(server, pages);
  return measureLoads(lineup, { ...options, clientCounts, names: () => lineup.names, urls });
}

/** The same where the network takes 500 to 1,500 ms a page: the floor alone, and Curbcut in company. */
export async function measureNetworkWait(
  lineup: Lineup,
  server: BenchServer,
  page: BenchPage,
  options: LoadOptions,
): Promise<Load[]> {
  const names = (clients: number): ContestantName[] =>
    clients > 1 ? ['curbcut'] : ['floor', 'curbcut'];
  const urls = (): UrlsInTurn => inTurn(server, [page], 'slow');
  return measureLoads(lineup, { ...options, clientCounts: patientClientCounts, names, urls });
}

interface LoadPlan extends LoadOptions {
  readonly clientCounts: readonly number[];
  readonly names: (clients: number) => readonly ContestantName[];
  readonly urls: () => UrlsInTurn;
}

/**
 * Each load is repeated with the others' between, so that what else happens on the machine meets all
 * of them alike.
 */
async function measureLoads(lineup: Lineup, plan: LoadPlan): Promise<Load[]> {
  const loads: Load[] = [];
  for (const clients of plan.clientCounts) {
    const all: Load[] = [];
    for (let turn = 0; turn < plan.turns; turn += 1) {
      for (const name of plan.names(clients)) {
        const contestant = await lineup.get(name);
        // One that takes a scan at a time takes so long that once will do.
        if (contestant === undefined || (contestant.isSerial && clients + turn > 1)) continue;
        const { durationMs } = plan;
        const urls = plan.urls();
        const load = { clients, durationMs, urls, looksPerPss: 4 };
        all.push(await loadContestant(lineup, contestant, load));
        plan.onLoad(all.at(-1)!);
      }
    }
    loads.push(
      ...Map.groupBy(all, ({ contestant }) => contestant)
        .values()
        .map(meanLoad),
    );
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
