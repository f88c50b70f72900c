import { join } from 'node:path';
import { startServer, temporaryFolder } from '../../support/server-process.ts';
import { page, servePages } from '../../support/page-server.ts';
import { measureOverload, overloadEnvironment } from './overload.ts';
import { measurePolls } from './polls.ts';
import { startBenchServer } from './processes.ts';
import { seedDatabase } from './seed.ts';
import { measureSizes } from './sizes.ts';

/*
 * `bun run bench:service [scans [polls | sizes | overload | browser]]`: what the service itself costs, beside the browser. Each figure is
 * compared with another of the same run, taken in turn with it; servers and clients are processes of
 * their own.
 */

const concurrency = 2;
const parts = ['polls', 'sizes', 'overload', 'browser'];
const [scans = '1000000', part] = process.argv.slice(2);
const many = Number(scans);
if (!Number.isInteger(many) || many < 10_000 || (part !== undefined && !parts.includes(part))) {
  process.stderr.write(
    `bench: give the number of stored scans, 10000 or more, and perhaps one of ${parts.join(', ')}\n`,
  );
  process.exit(2);
}
const isWanted = (name: string): boolean => part === undefined || part === name;

await using folder = await temporaryFolder();
if (isWanted('polls') || isWanted('sizes')) {
  const smallPath = join(folder.path, 'small.sqlite');
  const largePath = join(folder.path, 'large.sqlite');
  // Enough for retention to delete in every round.
  const older = 20_000;
  seedDatabase(smallPath, { stored: 100, older });
  seedDatabase(largePath, { stored: many, older });
  console.log(`${many} scans are stored\n`);
  if (isWanted('polls')) await measurePolls(largePath);
  if (isWanted('sizes')) await measureSizes(smallPath, largePath);
}
if (isWanted('overload')) await measureOverloadAlone(folder.path);
if (isWanted('browser')) await measureOverloadOfBrowser(folder.path);

async function measureOverloadAlone(path: string): Promise<void> {
  const databasePath = join(path, 'overload.sqlite');
  await using server = await startBenchServer(['curbcut', 20], {
    ...overloadEnvironment,
    DATABASE_PATH: databasePath,
    SCAN_CONCURRENCY: String(concurrency),
  });
  await measureOverload('scans of 20 ms, no browser', {
    port: server.port,
    databasePath,
    pageUrl: 'https://example.com/{n}',
    concurrency,
    phaseMs: 5_000,
  });
}

async function measureOverloadOfBrowser(path: string): Promise<void> {
  const databasePath = join(path, 'browser.sqlite');
  const items = Array.from({ length: 300 }, (_, index) => `<p>Item <b>${index}</b></p>`).join('');
  await using pages = servePages(() => ({ '/': page(items) }));
  await using server = await startServer({
    RATE_LIMIT_TOTAL: '100/1d',
    ...overloadEnvironment,
    DATABASE_PATH: databasePath,
    SCAN_CONCURRENCY: String(concurrency),
  });
  await measureOverload('scans in a browser', {
    port: Number(new URL(server.url).port),
    databasePath,
    pageUrl: `${pages.origin}/?{n}`,
    concurrency,
    phaseMs: 15_000,
  });
}
