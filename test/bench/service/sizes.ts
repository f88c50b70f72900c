import { median, runJson, runLoad, startBenchServer } from './processes.ts';
import { sampleIds } from './seed.ts';
import { printTable, ratio } from './table.ts';

const rounds = 5;

/** What takes longer, the more is stored: over HTTP, and each step of the store on its own. */
export async function measureSizes(smallPath: string, largePath: string): Promise<void> {
  const small = new Map<string, number[]>();
  const large = new Map<string, number[]>();
  const record = (figures: Map<string, number[]>, name: string, figure: number): void => {
    figures.set(name, [...(figures.get(name) ?? []), figure]);
  };
  const databases = [
    [smallPath, small],
    [largePath, large],
  ] as const;
  for (let round = 0; round < rounds; round += 1) {
    for (const [path, figures] of databases) {
      for (const [name, us] of Object.entries(await measureRequests(path))) {
        record(figures, name, us);
      }
      const steps = await runJson<Record<string, number>>('store-steps.ts', path);
      for (const [name, us] of Object.entries(steps)) record(figures, name, us);
    }
  }
  printTable(
    ['median of all, in µs', 'with 100 scans', 'with many', 'many ÷ 100'],
    [...small].map(([name, values]) => {
      const [few, many] = [median(values), median(large.get(name) ?? [])];
      return [name, few.toFixed(1), many.toFixed(1), ratio(many, few)];
    }),
  );
}

/** One request after the other, each from another client. */
async function measureRequests(databasePath: string): Promise<Record<string, number>> {
  await using server = await startBenchServer(['curbcut', 0], {
    DATABASE_PATH: databasePath,
    TRUSTED_PROXIES: '127.0.0.0/8',
  });
  const common = {
    port: server.port,
    connections: 1,
    forMs: 10_000,
    forwardedFor: '2001:db8:{n}::1',
  };
  const paths = sampleIds(databasePath, 2_000).map((id) => `/api/v1/scan/${id}`);
  const startPlan = {
    ...common,
    method: 'POST',
    paths: ['/api/v1/scan'],
    body: '{"url": "https://example.com/{n}", "async": true}',
    count: 500,
  } as const;
  const pollPlan = { ...common, method: 'GET', paths, count: 2_000 } as const;
  // The first of each are for the compilers.
  await runLoad(startPlan);
  const start = await runLoad(startPlan);
  await runLoad(pollPlan);
  const poll = await runLoad(pollPlan);
  const statuses = Object.keys({ ...start.statuses, ...poll.statuses }).join();
  if (statuses !== '200,202') throw new Error(`answered with ${statuses}`);
  return { 'POST that starts a scan': 1_000 * start.p50Ms, 'GET that polls': 1_000 * poll.p50Ms };
}
