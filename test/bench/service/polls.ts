import { cpuMsOf, median, runLoad, startBenchServer } from './processes.ts';
import { sampleIds } from './seed.ts';
import { printTable, ratio } from './table.ts';

const rounds = 7;
const connections = 16;
const forMs = 1_000;
/** More than the service keeps at hand. */
const manyScans = 5_000;

/**
 * Polls of done scans, by a client that has started one, against the least that Elysia and SQLite
 * could do: a route that reads a row of the same size, and answers with it.
 */
export async function measurePolls(databasePath: string): Promise<void> {
  await using bare = await startBenchServer(['bare'], { DATABASE_PATH: databasePath });
  await using service = await startBenchServer(['curbcut', 0], { DATABASE_PATH: databasePath });
  await startScan(service.port);

  const ids = sampleIds(databasePath, manyScans);
  const under = (path: string, count = ids.length): string[] =>
    ids.slice(0, count).map((id) => path + id);
  const subjects = [
    { name: 'bare route, row', server: bare, paths: under('/row/') },
    { name: 'bare route, text', server: bare, paths: under('/text/') },
    { name: 'poll, 5,000 scans in turn', server: service, paths: under('/api/v1/scan/') },
    { name: 'poll, the same 100 scans', server: service, paths: under('/api/v1/scan/', 100) },
  ].map((subject) => ({ ...subject, perSecond: [] as number[], cpuUs: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { server, paths, perSecond, cpuUs } of subjects) {
      const before = cpuMsOf(server.pid);
      const result = await runLoad({ port: server.port, connections, forMs, method: 'GET', paths });
      const answers = result.statuses['200'] ?? 0;
      if (Object.keys(result.statuses).join() !== '200') throw new Error('not every poll was 200');
      // The first is for the compilers.
      if (round === 0) continue;
      perSecond.push(result.perSecond);
      cpuUs.push((1_000 * (cpuMsOf(server.pid) - before)) / answers);
    }
  }

  const [row] = subjects;
  printTable(
    ['polls', 'per second', 'µs of CPU', '÷ bare, rate', '÷ bare, CPU'],
    subjects.map(({ name, perSecond, cpuUs }) => [
      name,
      Math.round(median(perSecond)),
      median(cpuUs).toFixed(1),
      ratio(median(perSecond), median(row?.perSecond ?? [])),
      ratio(median(row?.cpuUs ?? []), median(cpuUs)),
    ]),
  );
}

/** So that a poll has limits to tell. */
async function startScan(port: number): Promise<void> {
  const body = JSON.stringify({ url: 'https://example.com/', async: true });
  await fetch(`http://127.0.0.1:${port}/api/v1/scan`, { method: 'POST', body });
}
