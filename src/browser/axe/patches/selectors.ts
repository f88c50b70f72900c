import type { RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction, wrapFunction } from '../patch.ts';

interface ParsedSelector {
  readonly selectors?: unknown[];
}

// axe's own.
declare const cache_default: RunCache;
declare const css_parser_default: { parse(selector: string): ParsedSelector };
declare function original_matches(vNode: VirtualNode, selector: string): boolean;
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

function _matches(vNode: VirtualNode, selector: string): boolean {
  if (/[^a-z]/.test(selector)) return original_matches(vNode, selector);
  return vNode.props.nodeType === 1 && vNode.props.nodeName === selector;
}

export const selectors: readonly Patch[] = [
  replaceFunction(
    `The same few selectors are parsed anew for each element that they are tried on.`,
    _convertSelector,
  ),
  wrapFunction(`Most often an element is matched against no more than a name.`, _matches),
];
