import type { ChromiumBinary } from '../../src/browser/find-chromium.ts';
import { Lineup } from './contestants/lineup.ts';
import type { Load } from './figures/load.ts';
import { measureMemory } from './figures/memory.ts';
import { scanOneAtATime } from './figures/one-at-a-time.ts';
import { inTurn, measureNetworkWait, measureThroughput } from './figures/throughput.ts';
import type { BenchOptions, FigureName } from './options.ts';
import { generatedPages, pagesOf, smallPage, typicalPages } from './pages/page-set.ts';
import { serveBenchPages } from './pages/serve.ts';
import type { BenchResults } from './report/results.ts';

/** Takes all figures that are wanted, one after another: each has the machine for itself. */
export async function measure(
  options: BenchOptions,
  binary: ChromiumBinary,
  onProgress: (text: string) => void,
): Promise<BenchResults> {
  const { only, figures, runs, seconds, pages: folder, match } = options;
  const candidates = folder === undefined ? generatedPages : await pagesOf(folder);
  const pages = candidates.filter(({ name }) => name.includes(match));
  await using server = serveBenchPages(folder);
  await using lineup = new Lineup(only, binary);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void lineup.stopAll().finally(() => process.exit(1)));
  }
  const ifWanted = <T>(figure: FigureName, none: T, run: () => Promise<T>): Promise<T> => {
    if (!figures.includes(figure)) return Promise.resolve(none);
    onProgress(`${figure}:`);
    return run();
  };
  const durationMs = seconds * 1_000;
  const onLoad = ({ contestant, clients, scansPerMinute }: Load): void =>
    onProgress(`${contestant}, ${clients} clients: ${scansPerMinute.toFixed(0)} scans/min`);
  const memory = await ifWanted('memory', [], () =>
    measureMemory(lineup, { durationMs, urls: inTurn(server, [smallPage]) }),
  );
  const single = await ifWanted('single', { scans: [], failures: [] }, () =>
    scanOneAtATime(lineup, server, pages, {
      runs,
      onScan: ({ contestant, page, cpuMs }) => onProgress(`${contestant}, ${page}: ${cpuMs} ms`),
    }),
  );
  const throughput = await ifWanted('throughput', [], () =>
    measureThroughput(lineup, server, typicalPages, { turns: runs, durationMs, onLoad }),
  );
  const wait = await ifWanted('wait', [], () =>
    measureNetworkWait(lineup, server, smallPage, { turns: runs, durationMs, onLoad }),
  );
  return { names: only, absent: lineup.absent, single, throughput, wait, memory };
}
