import { Database } from 'bun:sqlite';
import type { LoadPlan, LoadResult } from './load.ts';
import { median, runLoad, startBenchServer } from './processes.ts';
import { printTable, ratio } from './table.ts';

interface OverloadOptions {
  readonly port: number;
  readonly databasePath: string;
  /** What is scanned; `{n}` makes it another page each time. */
  readonly pageUrl: string;
  readonly concurrency: number;
  readonly phaseMs: number;
}

/** What the servers are to be started with. */
export const overloadEnvironment = {
  TRUSTED_PROXIES: '127.0.0.0/8',
  RATE_LIMIT_GET: '10/1h',
  MAX_WAITING: '4',
};

const rounds = 3;
const exhausted = '192.0.2.1';

/**
 * Keeps as many scans under way as may run, and counts those that end; alone, and while the service
 * gets ten times as many requests as it can scan: those of one client, refused for its limit, and those
 * of many, of which it scans what it can and refuses the others because the queue is full.
 */
export async function measureOverload(title: string, options: OverloadOptions): Promise<void> {
  const { port, databasePath, phaseMs, concurrency } = options;
  const url = encodeURIComponent(options.pageUrl).replaceAll('%7Bn%7D', '{n}');
  const scanPlan: LoadPlan = {
    port,
    connections: concurrency + 2,
    forMs: phaseMs,
    method: 'GET',
    paths: [`/api/v1/scan?url=${url}`],
    forwardedFor: '2001:db8:{n}::1',
  };
  const capacity = await measurePhase(options, scanPlan);
  const overload = { port, connections: 64, forMs: phaseMs, perSecond: 10 * capacity.scans };
  await using bare = await startBenchServer(['bare'], { DATABASE_PATH: databasePath });
  const refused = {
    '429': {
      ...overload,
      timedStatus: 429,
      method: 'GET',
      paths: ['/api/v1/scan?url=ftp:x'],
      forwardedFor: exhausted,
    },
    '503': {
      ...overload,
      timedStatus: 503,
      method: 'POST',
      paths: ['/api/v1/scan'],
      body: JSON.stringify({ url: options.pageUrl, async: true }),
      forwardedFor: '2001:db8:{n}::2',
    },
    // As much of a bare route: what is the machine's and the client's own.
    '200': { ...overload, port: bare.port, method: 'GET', paths: ['/row/none'] },
  } satisfies Record<string, LoadPlan>;
  await runLoad({ ...refused['429'], count: 10 });

  const alone: number[] = [];
  const phases = Object.entries<LoadPlan>(refused).map(([name, plan]) => ({
    name,
    plan,
    scans: [] as number[],
    answers: [] as LoadResult[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, plan, scans, answers } of phases) {
      alone.push((await measurePhase(options, scanPlan)).scans);
      // What is not refused for a full queue keeps the scanners busy by itself.
      const others = name === '503' ? [] : [scanPlan];
      const phase = await measurePhase(options, plan, ...others);
      scans.push(phase.scans);
      answers.push(phase.answers);
    }
  }
  printTable(
    [title, 'offered a second', 'answered', 'p50 ms', 'p99 ms', 'scans a second', '÷ alone'],
    [
      ['alone', '', '', '', '', median(alone).toFixed(1), ''],
      ...phases.map(({ name, plan, scans, answers }) => [
        name,
        Math.round(plan.perSecond ?? 0),
        shareOf(name, answers),
        median(answers.map(({ p50Ms }) => p50Ms)).toFixed(2),
        median(answers.map(({ p99Ms }) => p99Ms)).toFixed(2),
        median(scans).toFixed(1),
        ratio(median(scans), median(alone)),
      ]),
    ],
  );
}

/** How many scans ended a second meanwhile, and how the first plan was answered. */
async function measurePhase(
  { databasePath, phaseMs }: OverloadOptions,
  plan: LoadPlan,
  ...others: LoadPlan[]
): Promise<{ scans: number; answers: LoadResult }> {
  const from = Date.now();
  const [answers] = await Promise.all([runLoad(plan), ...others.map(runLoad)]);
  using sqlite = new Database(databasePath, { readonly: true });
  const [[ended] = []] = sqlite
    .query("select count(*) from scans where status = 'done' and finished_at_ms between ? and ?")
    .values(from, from + phaseMs);
  return { scans: (1_000 * Number(ended)) / phaseMs, answers };
}

/** Of all answers those with this status. */
function shareOf(status: string, results: readonly LoadResult[]): string {
  const counts = results.flatMap(({ statuses }) => Object.entries(statuses));
  const sum = (some: typeof counts): number => some.reduce((total, [, count]) => total + count, 0);
  return `${Math.round((100 * sum(counts.filter(([name]) => name === status))) / sum(counts))} %`;
}
