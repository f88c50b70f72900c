import type { RunCache } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

interface ParsedSelector {
  readonly selectors?: unknown[];
}

// axe's own.
declare const cache_default: RunCache;
declare const css_parser_default: { parse(selector: string): ParsedSelector };
declare function convertExpressions(selectors: unknown[]): unknown[];

function _convertSelector(selector: string): unknown[] {
  const known = cache_default.get('convertedSelectors', () => new Map<string, unknown[]>());
  let converted = known.get(selector);
  if (converted === undefined) {
    const parsed = css_parser_default.parse(selector);
    converted = convertExpressions(parsed.selectors ?? [parsed]);
    known.set(selector, converted);
  }
  return converted;
}

export const selectors: Patch = replaceFunction(
  `The same few selectors are parsed anew for each element that they are tried on.`,
  _convertSelector,
);
