import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer, temporaryFolder } from '../support/server-process.ts';
import { BrowserKiller } from './browser-killer.ts';
import { askForScan } from './client.ts';
import {
  type Asked,
  countOutcomes,
  givenUpAtMs,
  judgeSamples,
  judgeScans,
  readScans,
} from './judge.ts';
import { type PageKind, serveSoakPages } from './pages.ts';
import { browsersOf, type Holdings, holdingsOf, membersOf } from './process-tree.ts';
import { createRandom, mix } from '../support/random.ts';

/*
 * Scans many mixed pages in a real service whose browser is killed at random, and says what does not
 * hold. The pages, how they are asked for and when the browser is killed come from a fixed seed.
 *
 * What the service holds is measured while nothing is under way, with a browser that has just taken
 * the place of a killed one and scanned a few pages: none lives long, and those of different ages
 * can't be compared.
 */

interface SoakOptions {
  /** After how many scans it is measured; it ends with the last. */
  readonly measureAfter: readonly number[];
  /** How long nothing happens before it is measured. */
  readonly quietMs: number;
  readonly onSample?: (sample: Sample) => void;
}

/** What the service held after so many scans. */
export interface Sample extends Holdings {
  readonly scans: number;
  readonly seconds: number;
  /** What a collection in the service has freed before, in bytes. */
  readonly garbage: number;
  readonly profiles: number;
  /** Processes of browsers that are gone. */
  readonly orphans: number;
}

interface SoakResult {
  readonly samples: readonly Sample[];
  /** How many scans ended how, by kind of page. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly kills: number;
  /** How often the service itself gave up a browser. */
  readonly givenUp: number;
  /** A sentence for each thing that does not hold; memory is for the caller to judge. */
  readonly faults: readonly string[];
}

const collectOnSignal = new URL('collect-on-signal.ts', import.meta.url).pathname;
const collectionMs = 1_000;
const seed = 2_000;
const concurrency = 4;
const clients = 8;
/** Enough that as many scans wait as run, and some clients have several waiting. */
const openRequests = 24;
const scanTimeoutSeconds = 5;
/** Closing its context included. */
const longestScanMs = scanTimeoutSeconds * 1_000 + 4_000;
const warmUpScans = 5;

export async function runSoak({
  measureAfter,
  quietMs,
  onSample = () => {},
}: SoakOptions): Promise<SoakResult> {
  const random = createRandom(seed);
  await using folder = await temporaryFolder();
  // Started as root, the browser is given to another user, whose profile lies below.
  await chmod(folder.path, 0o755);
  await using pages = serveSoakPages();
  const databasePath = join(folder.path, 'soak.sqlite');
  await using server = await startServer({
    BUN_OPTIONS: `--preload=${collectOnSignal}`,
    DATABASE_PATH: databasePath,
    TMPDIR: folder.path,
    TRUSTED_PROXIES: '127.0.0.0/8',
    SCAN_CONCURRENCY: String(concurrency),
    SCAN_TIMEOUT_SECONDS: String(scanTimeoutSeconds),
  });
  await using killer = new BrowserKiller(server.pid, createRandom(seed + 1));

  const startedAt = performance.now();
  const asked = new Map<string, Asked>();
  const faults: string[] = [];
  const samples: Sample[] = [];
  const ask = async (kind: PageKind, client: number): Promise<void> => {
    const url = `${kind.url}?${asked.size}`;
    // Taken before anything is awaited: the number is the URL's own.
    asked.set(url, { kind, told: { scanId: null, outcome: null } });
    try {
      const told = await askForScan(server.url, url, `192.0.2.${client}`, random);
      asked.set(url, { kind, told });
    } catch (error) {
      faults.push(`${kind.name}: ${String(error)}`);
    }
  };
  const askForAll = async (kinds: readonly PageKind[]): Promise<void> => {
    const left = kinds.values();
    const requests = Array.from({ length: openRequests }, async (_, index) => {
      for (const kind of left) await ask(kind, index % clients);
    });
    await Promise.all(requests);
  };
  const countProfiles = async (): Promise<number> =>
    (await readdir(folder.path)).filter((name) => name.startsWith('curbcut-profile-')).length;
  const measure = async (scans: number): Promise<void> => {
    killer.killAll();
    for (let i = 0; i < warmUpScans; i += 1) await ask(pages.fine, 0);
    await Bun.sleep(quietMs);
    const { treeMemory: withGarbage } = holdingsOf(server.pid);
    process.kill(server.pid, 'SIGUSR2');
    await Bun.sleep(collectionMs);
    const holdings = holdingsOf(server.pid);
    const gone = killer.groups.difference(new Set(browsersOf(server.pid)));
    const sample: Sample = {
      scans,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      ...holdings,
      garbage: withGarbage - holdings.treeMemory,
      profiles: await countProfiles(),
      orphans: membersOf(gone).length,
    };
    samples.push(sample);
    onSample(sample);
  };

  const plan = mix(pages.kinds, measureAfter.at(-1) ?? 0, random);
  for (const [index, end] of measureAfter.entries()) {
    await askForAll(plan.slice(measureAfter[index - 1] ?? 0, end));
    await killer.pauseFor(() => measure(end));
  }

  await killer[Symbol.asyncDispose]();
  const exitCode = await server.stop('SIGTERM');
  if (exitCode !== 0) faults.push(`the service ended with exit code ${exitCode}`);
  const outlived = { processes: membersOf(killer.groups).length, profiles: await countProfiles() };
  for (const [what, count] of Object.entries(outlived)) {
    if (count > 0) faults.push(`${count} ${what} outlived the service`);
  }
  const causes = new Map<unknown, unknown>();
  for (const { level, message, scanId, cause, error } of server.logLines()) {
    if (cause !== undefined) causes.set(scanId, cause);
    if (level === 'error') faults.push(`the log says: ${message}: ${String(error)}`);
  }
  const rows = readScans(databasePath);
  const givenUp = givenUpAtMs(server);
  const diedAtMs = [...killer.killedAtMs, ...givenUp];
  return {
    samples,
    outcomes: countOutcomes(rows, asked),
    kills: killer.killedAtMs.length,
    givenUp: givenUp.length,
    faults: [
      ...faults,
      ...judgeSamples(samples),
      ...judgeScans(rows, asked, { diedAtMs, longestScanMs, causes }),
    ],
  };
}
