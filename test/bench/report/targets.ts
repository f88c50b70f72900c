import { quadraticPage, quadraticTwin, scriptedPages } from '../pages/page-set.ts';
import { median } from '../statistics.ts';
import type { BenchResults } from './results.ts';
import { meanRatio, ofSize, type PageSummaries } from './summarize.ts';

/** A figure that Curbcut is to reach. */
export interface Target {
  readonly figure: string;
  /** NaN where it was not measured. */
  readonly value: number;
  readonly target: { readonly atMost: number } | { readonly atLeast: number };
}

const megabyte = 1_000_000;

export function targetsOf(results: BenchResults, pages: readonly PageSummaries[]): Target[] {
  const common = pages.filter(({ page }) => page !== quadraticPage);
  const [small, middle, large] = [
    ofSize(common, 'under 1,000 elements'),
    ofSize(common, '1,000 to 3,000'),
    ofSize(common, '10,000 and more'),
  ];
  const unscripted = small.filter(({ page }) => !scriptedPages.has(page));
  const own = pages.flatMap(({ of }) => of.get('curbcut') ?? []);
  const cpuOf = (name: string): number =>
    pages.find(({ page }) => page === name)?.of.get('curbcut')?.cpuMs ?? NaN;
  const memory = results.memory.find(({ contestant }) => contestant === 'curbcut');
  return [
    atMost('CPU ÷ floor, under 1,000 elements', meanRatio(small, 'cpuMs', 'curbcut'), 0.7),
    atMost('CPU ÷ floor, 1,000 to 3,000', meanRatio(middle, 'cpuMs', 'curbcut'), 0.7),
    atMost('CPU ÷ floor, 10,000 and more', meanRatio(large, 'cpuMs', 'curbcut'), 0.5),
    atMost(
      'CPU ÷ @axe-core/puppeteer',
      meanRatio(common, 'cpuMs', 'curbcut', 'axe-core-puppeteer'),
      0.45,
    ),
    atMost('wall p50 ÷ floor, under 1,000 elements', meanRatio(small, 'wallMs', 'curbcut'), 0.6),
    atMost(
      'wall p50 ÷ floor, those without scripts',
      meanRatio(unscripted, 'wallMs', 'curbcut'),
      0.6,
    ),
    atLeast('scans per minute, most ÷ best peer', saturationRatio(results), 2),
    atLeast('scans per minute with network wait ÷ floor alone', waitRatio(results), 8),
    atMost(
      'pages with other findings than the floor',
      own.length === 0 ? NaN : own.filter(({ differences }) => differences.length > 0).length,
      0,
    ),
    atMost('CPU, quadratic page ÷ its twin', cpuOf(quadraticPage) / cpuOf(quadraticTwin), 1.5),
    atMost("service's own share of the CPU", median(own.map(({ rootShare }) => rootShare)), 0.1),
    atMost('idle memory, MB', (memory?.idle ?? NaN) / megabyte, 250),
    atMost('memory per running scan, MB', (memory?.perScan ?? NaN) / megabyte, 120),
  ];
}

/** Null where it was not measured. */
export function isReached({ value, target }: Target): boolean | null {
  if (Number.isNaN(value)) return null;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

function atMost(figure: string, value: number, limit: number): Target {
  return { figure, value, target: { atMost: limit } };
}

function atLeast(figure: string, value: number, limit: number): Target {
  return { figure, value, target: { atLeast: limit } };
}

function saturationRatio({ throughput }: BenchResults): number {
  const own = throughput.filter(({ contestant }) => contestant === 'curbcut');
  const peers = throughput.filter(({ contestant }) => !['curbcut', 'floor'].includes(contestant));
  return mostOf(own) / mostOf(peers);
}

function waitRatio({ wait }: BenchResults): number {
  const [own, floor] = ['curbcut', 'floor'].map((name) =>
    mostOf(wait.filter(({ contestant }) => contestant === name)),
  );
  return (own ?? NaN) / (floor ?? NaN);
}

function mostOf(loads: BenchResults['wait']): number {
  return loads.length === 0 ? NaN : Math.max(...loads.map(({ scansPerMinute }) => scansPerMinute));
}
