import type { Patch } from '../patch.ts';

/** A virtual node, with the results of all such functions for it. */
interface Subject {
  _results?: unknown[] | null;
  _resultsOf: object;
}

// axe's own.
declare const axe: { _memoizedFns: { clear(): void }[] };
// Made below.
declare let memoizedRun: object;
declare const notYet: object;

/** Remembers the results for an element, and for a second argument when the function takes one. */
function memoizeImplementation(original: (first: unknown, second: unknown) => unknown) {
  const arity = original.length;
  const slot = axe._memoizedFns.length * 3;
  const others = new Map<unknown, Map<unknown, unknown>>();

  const memoized = (first: unknown, second: unknown): unknown => {
    const isFlag = second === undefined || second === true || second === false;
    const isPlain = arity === 1 || (arity === 2 && isFlag);
    const subject = first as Subject | null | undefined;
    if (!isPlain || subject?._results === undefined) return lookUp(first, second);
    if (subject._resultsOf !== memoizedRun) {
      subject._results = [];
      subject._resultsOf = memoizedRun;
    }
    const results = subject._results as unknown[];
    const index = arity === 1 || second === undefined ? slot : slot + (second === true ? 1 : 2);
    while (results.length <= index) results.push(notYet);
    if (results[index] === notYet) results[index] = original(first, second);
    return results[index];
  };
  const lookUp = (first: unknown, second: unknown): unknown => {
    const firstKey = arity > 0 ? first : undefined;
    const secondKey = arity > 1 ? second : undefined;
    let results = others.get(secondKey);
    if (results === undefined) others.set(secondKey, (results = new Map()));
    const known = results.get(firstKey);
    if (known !== undefined || results.has(firstKey)) return known;
    const result = original(first, second);
    results.set(firstKey, result);
    return result;
  };
  memoized.clear = (): void => {
    memoizedRun = {};
    others.clear();
  };
  axe._memoizedFns.push(memoized);
  return memoized;
}

export const memoize: Patch = {
  reason: `memoizee makes a string of the arguments of each call, or searches all earlier ones in turn.`,
  start: 'function memoizeImplementation(',
  replacement: `var memoizedRun = {}, notYet = {}; ${memoizeImplementation.toString()}`,
};
