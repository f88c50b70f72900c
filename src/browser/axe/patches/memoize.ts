import { replaceFunction } from '../patch.ts';

declare const axe: { _memoizedFns: { clear(): void }[] };

/** Remembers the results for an element, and for a second argument when the function takes one. */
function memoizeImplementation(original: (first: unknown, second: unknown) => unknown) {
  const arity = original.length;
  const resultsBySecond = new Map<unknown, Map<unknown, unknown>>();
  const memoized = (first: unknown, second: unknown): unknown => {
    const firstKey = arity > 0 ? first : undefined;
    const secondKey = arity > 1 ? second : undefined;
    let results = resultsBySecond.get(secondKey);
    if (results === undefined) resultsBySecond.set(secondKey, (results = new Map()));
    const known = results.get(firstKey);
    if (known !== undefined || results.has(firstKey)) return known;
    const result = original(first, second);
    results.set(firstKey, result);
    return result;
  };
  memoized.clear = () => resultsBySecond.clear();
  axe._memoizedFns.push(memoized);
  return memoized;
}

export const memoize = replaceFunction(
  `memoizee makes a string of the arguments of each call, or searches all earlier ones in turn.`,
  memoizeImplementation,
);
