import { clientCounts, patientClientCounts } from '../figures/throughput.ts';
import { median, quantile } from '../statistics.ts';
import { quadraticPage } from '../pages/page-set.ts';
import type { BenchResults } from './results.ts';
import {
  type Measure,
  meanRatio,
  ofSize,
  type PageSummaries,
  type Size,
  sizes,
} from './summarize.ts';
import { isReached, type Target } from './targets.ts';

/** Cells by rows, the headings first. */
export type Table = readonly (readonly string[])[];

/** What a scan of each page takes: of the floor in milliseconds, of the others as ratios to it. */
export function pageTable(
  { names }: BenchResults,
  pages: readonly PageSummaries[],
  measure: Measure,
): Table {
  const others = names.filter((name) => name !== 'floor');
  const rows = pages.map(({ page, elements, of }) => [
    page,
    String(elements),
    whole(of.get('floor')?.[measure] ?? NaN),
    ...others.map((name) =>
      ratio((of.get(name)?.[measure] ?? NaN) / (of.get('floor')?.[measure] ?? NaN)),
    ),
  ]);
  const common = pages.filter(({ page }) => page !== quadraticPage);
  const means = (Object.keys(sizes) as Size[]).map((size) => [
    `mean, ${size}`,
    '',
    '',
    ...others.map((name) => ratio(meanRatio(ofSize(common, size), measure, name))),
  ]);
  return [['page', 'elements', 'floor, ms', ...others], ...rows, ...means];
}

/** What each contestant comes to over all pages but the quadratic one. */
export function contestantTable(results: BenchResults, pages: readonly PageSummaries[]): Table {
  const common = pages.filter(({ page }) => page !== quadraticPage);
  const rows = results.names.map((name) => {
    const absence = results.absent.get(name);
    if (absence !== undefined) return [name, `not here: ${absence}`];
    const scans = results.single.scans.filter(({ contestant }) => contestant === name);
    const walls = scans.filter(({ page }) => page !== quadraticPage).map(({ wallMs }) => wallMs);
    const scanned = pages.flatMap(({ of }) => of.get(name) ?? []);
    const equal = scanned.filter(({ differences }) => differences.length === 0);
    const loads = results.throughput.filter(({ contestant }) => contestant === name);
    const peak = Math.max(...loads.map(({ peakPss }) => peakPss));
    return [
      name,
      ratio(meanRatio(common, 'cpuMs', name)),
      ratio(meanRatio(common, 'wallMs', name)),
      whole(median(walls)),
      whole(quantile(walls, 0.95)),
      ...clientCounts.map((clients) =>
        whole(loads.find((load) => load.clients === clients)?.scansPerMinute ?? NaN),
      ),
      whole(peak / 1_000_000),
      scanned.length === 0 ? '–' : `${equal.length} of ${scanned.length}`,
      scans[0]?.findings.axeVersion ?? '–',
    ];
  });
  const headings = [
    'contestant',
    'CPU ÷ floor',
    'wall ÷ floor',
    'p50 ms',
    'p95 ms',
    ...clientCounts.map((clients) => `scans/min, ${clients}`),
    'peak PSS, MB',
    'pages equal',
    'axe',
  ];
  return [headings, ...rows];
}

/** Scans per minute where the network takes 500 to 1,500 ms a page. */
export function waitTable({ wait }: BenchResults): Table {
  const cell = (name: string, clients: number): string =>
    whole(
      wait.find((load) => load.contestant === name && load.clients === clients)?.scansPerMinute ??
        NaN,
    );
  return [
    ['scans/min, with network wait', ...patientClientCounts.map((clients) => `${clients} clients`)],
    ...['floor', 'curbcut'].map((name) => [
      name,
      ...patientClientCounts.map((clients) => cell(name, clients)),
    ]),
  ];
}

export function targetTable(targets: readonly Target[]): Table {
  return [
    ['target', 'value', 'wanted', ''],
    ...targets.map((each) => {
      const wanted =
        'atMost' in each.target ? `≤ ${each.target.atMost}` : `≥ ${each.target.atLeast}`;
      const verdict = { true: 'reached', false: 'missed', null: '' }[String(isReached(each))] ?? '';
      return [each.figure, ratio(each.value), wanted, verdict];
    }),
  ];
}

/** The first column to the left, numbers to the right. */
export function format(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) =>
    // A row with fewer cells is a remark, which may be longer.
    Math.max(...table.filter((row) => row.length > 2).map((row) => row[column]?.length ?? 0)),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function ratio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2) : '–';
}

function whole(value: number): string {
  return Number.isFinite(value) ? value.toFixed(0) : '–';
}
