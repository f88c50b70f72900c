import { parseArgs } from 'node:util';
import { type ContestantName, contestantNames } from './contestants/lineup.ts';

export const figureNames = ['single', 'throughput', 'wait', 'memory'] as const;
export type FigureName = (typeof figureNames)[number];

export interface BenchOptions {
  readonly only: readonly ContestantName[];
  readonly figures: readonly FigureName[];
  readonly runs: number;
  readonly seconds: number;
  /** A folder of pages to scan instead of the generated ones. */
  readonly pages: string | undefined;
  readonly match: string;
  readonly json: string;
}

export const usage = `bun run bench [options]
  --only NAME,…     contestants: ${contestantNames.join(', ')}
  --figures NAME,…  ${figureNames.join(', ')}
  --runs N          scans of each page by each contestant, one at a time, and turns of each load (3)
  --seconds N       how long each load lasts (10)
  --pages DIR       scan the HTML files of a folder, one at a time, instead of the generated pages
  --match TEXT      only pages whose name contains it
  --json FILE       where the figures go (data/bench.json)`;

/** Throws with what is wrong. */
export function parseOptions(args: string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      only: text,
      figures: text,
      runs: text,
      seconds: text,
      pages: text,
      match: text,
      json: text,
    },
  });
  const only = listOf('--only', values.only, contestantNames);
  return {
    // Without the floor there is nothing to compare with.
    only: contestantNames.filter((name) => name === 'floor' || only.includes(name)),
    figures: listOf('--figures', values.figures, values.pages ? ['single'] : figureNames),
    runs: countOf('--runs', values.runs ?? '3'),
    seconds: countOf('--seconds', values.seconds ?? '10'),
    pages: values.pages,
    match: values.match ?? '',
    json: values.json ?? 'data/bench.json',
  };
}

function listOf<T extends string>(
  option: string,
  text: string | undefined,
  allowed: readonly T[],
): T[] {
  return (text?.split(',') ?? allowed).map((name) => {
    const known = allowed.find((each) => each === name);
    if (known === undefined)
      throw new Error(`${option} knows no ${name}, but ${allowed.join(', ')}`);
    return known;
  });
}

function countOf(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`${option} takes a number of 1 or more`);
  return Number(text);
}
