import type { ContestantName } from '../contestants/lineup.ts';
import type { SingleScan } from '../figures/one-at-a-time.ts';
import { differencesFrom } from '../findings.ts';
import { geometricMean, median } from '../statistics.ts';

/** What the scans of one page by one contestant come to; of times the medians. */
export interface PageSummary {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The part of it that the root process has used. */
  readonly rootShare: number;
  /** A sentence for each rule of which another result was given than the floor's. */
  readonly differences: readonly string[];
}

export interface PageSummaries {
  readonly page: string;
  readonly elements: number;
  readonly of: ReadonlyMap<ContestantName, PageSummary>;
}

export type Measure = 'cpuMs' | 'wallMs';

/** By number of elements, as the targets speak of them. */
export const sizes = {
  'under 1,000 elements': [0, 1_000],
  '1,000 to 3,000': [1_000, 3_001],
  '10,000 and more': [10_000, Infinity],
} as const;
export type Size = keyof typeof sizes;

/** In the order in which the pages were scanned. */
export function summarizePages(scans: readonly SingleScan[]): PageSummaries[] {
  const pages = Map.groupBy(scans, ({ page }) => page).entries();
  return [...pages].map(([page, ofPage]) => {
    const reference = ofPage.find(({ contestant }) => contestant === 'floor');
    const groups = Map.groupBy(ofPage, ({ contestant }) => contestant).entries();
    const of = groups.map(([name, group]): [ContestantName, PageSummary] => {
      const differences = group.flatMap(({ findings }) =>
        reference === undefined ? [] : differencesFrom(reference.findings, findings),
      );
      const summary = {
        cpuMs: median(group.map(({ cpuMs }) => cpuMs)),
        wallMs: median(group.map(({ wallMs }) => wallMs)),
        rootShare: median(group.map(({ cpuMs, rootCpuMs }) => rootCpuMs / cpuMs)),
        differences: [...new Set(differences)],
      };
      return [name, summary];
    });
    return { page, elements: reference?.elements ?? NaN, of: new Map(of) };
  });
}

export function ofSize(pages: readonly PageSummaries[], size: Size): PageSummaries[] {
  const [from, below] = sizes[size];
  return pages.filter(({ elements }) => elements >= from && elements < below);
}

/** The mean over the pages that both have scanned; NaN when there is none. */
export function meanRatio(
  pages: readonly PageSummaries[],
  measure: Measure,
  name: ContestantName,
  reference: ContestantName = 'floor',
): number {
  const ratios = pages.map(
    ({ of }) => (of.get(name)?.[measure] ?? NaN) / (of.get(reference)?.[measure] ?? NaN),
  );
  return geometricMean(ratios.filter((ratio) => !Number.isNaN(ratio)));
}
