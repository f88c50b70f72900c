import { Database } from 'bun:sqlite';
import type { ServerProcess } from '../support/server-process.ts';
import type { Told } from './client.ts';
import type { Outcome, PageKind } from './pages.ts';
import type { Sample } from './soak.ts';

/** A request for a scan of a URL that was asked for once. */
export interface Asked {
  readonly kind: PageKind;
  readonly told: Told;
}

interface ScanRow {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly code: Outcome | null;
  readonly finishedAtMs: number;
}

const tolerableGrowth = 0.1;

export function readScans(databasePath: string): ScanRow[] {
  using database = new Database(databasePath, { readonly: true });
  return database
    .query<ScanRow, []>(
      'select id, url, status, error_code as code, finished_at_ms as finishedAtMs from scans',
    )
    .all();
}

/** A sentence for each scan that is missing, not ended, or ended otherwise than it may or was told. */
export function judgeScans(
  rows: readonly ScanRow[],
  asked: ReadonlyMap<string, Asked>,
  {
    diedAtMs,
    longestScanMs,
    causes,
  }: {
    diedAtMs: readonly number[];
    longestScanMs: number;
    /** What was logged of failed scans, by id. */
    causes: ReadonlyMap<unknown, unknown>;
  },
): string[] {
  const byUrl = Map.groupBy(rows, ({ url }) => url);
  return [...asked].flatMap(([url, { kind, told }]) => {
    const [row, ...others] = byUrl.get(url) ?? [];
    if (row === undefined) {
      // Who hung up may have done so before the request was read.
      return told.scanId === null ? [] : [`${kind.name}: ${told.scanId} was accepted and is lost`];
    }
    if (others.length > 0) return [`${kind.name}: one request made ${others.length + 1} scans`];
    if (told.scanId !== null && (told.scanId !== row.id || told.outcome !== outcomeOf(row))) {
      return [`${kind.name}: ${told.outcome} was told, ${outcomeOf(row)} is stored`];
    }
    if (row.status !== 'done' && row.status !== 'failed') {
      return [`${kind.name}: ${row.id} is still ${row.status}`];
    }
    const deaths = diedAtMs.filter(
      (at) => at <= row.finishedAtMs && at > row.finishedAtMs - longestScanMs,
    ).length;
    const outcomes: (string | null)[] = [
      ...kind.outcomes,
      ...(told.scanId === null ? ['scan-cancelled'] : []),
      // The scan is begun once more, within the same time.
      ...(deaths > 0 ? ['scan-timed-out'] : []),
      ...(deaths > 1 ? ['browser-failed'] : []),
    ];
    const outcome = outcomeOf(row);
    if (outcomes.includes(outcome)) return [];
    const cause = JSON.stringify(causes.get(row.id) ?? 'no cause was logged');
    return [`${kind.name} ended with ${outcome}, the browser died ${deaths} times: ${cause}`];
  });
}

/** How many scans of each kind of page ended how. */
export function countOutcomes(
  rows: readonly ScanRow[],
  asked: ReadonlyMap<string, Asked>,
): Map<string, Map<string, number>> {
  const byKind = Map.groupBy(rows, ({ url }) => asked.get(url)?.kind.name ?? 'unknown');
  return new Map(
    [...byKind].map(([name, ofKind]) => {
      const byOutcome = Map.groupBy(ofKind, (row) => outcomeOf(row) ?? row.status);
      return [name, new Map([...byOutcome].map(([outcome, { length }]) => [outcome, length]))];
    }),
  );
}

/** A sentence for all that a sample has more, or less, of than it should. */
export function judgeSamples([first, ...others]: readonly Sample[]): string[] {
  if (first === undefined) return ['nothing was measured'];
  return [first, ...others].flatMap((sample) => {
    const expected = {
      descriptors: first.descriptors,
      // The service's own, and that of the page that is kept ready.
      listeningSockets: 2,
      processes: first.processes,
      profiles: 1,
      orphans: 0,
    };
    return Object.entries(expected)
      .map(([name, count]) => [name, sample[name as keyof typeof expected], count] as const)
      .filter(([, found, count]) => found !== count)
      .map(([name, found, count]) => `after ${sample.scans} scans ${found} ${name}, not ${count}`);
  });
}

/** A sentence when what was measured last is not about what was measured first. */
export function judgeMemory(samples: readonly Sample[]): string[] {
  const [first, last] = [samples.at(0)?.treeMemory ?? 0, samples.at(-1)?.treeMemory ?? 0];
  const growth = last / first - 1;
  return growth <= tolerableGrowth ? [] : [`memory grew by ${Math.round(100 * growth)} %`];
}

/** When the service itself gave up a browser, by its log. */
export function givenUpAtMs({ logLines }: Pick<ServerProcess, 'logLines'>): number[] {
  const messages = new Set([
    'browser holds too much memory',
    'browser has too much to do',
    'browser does not answer',
  ]);
  return logLines()
    .filter(({ message }) => messages.has(message))
    .map((line) => Date.parse(String(line['time'])));
}

function outcomeOf({ status, code }: ScanRow): Outcome | null {
  return status === 'done' ? 'done' : code;
}
