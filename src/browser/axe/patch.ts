/** A part of axe-core's bundle and what stands in its place. */
export interface Patch {
  /** Why axe's own is slow, or not needed here; what it finds must stay the same. */
  readonly reason: string;
  /** The beginning of the one declaration or statement that is replaced. */
  readonly start: string;
  readonly replacement: string;
  /** Where what was there stays beside it: its beginning, with a name of its own. */
  readonly originalStart?: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- any function of ours
type PageFunction = (...args: any[]) => unknown;

/**
 * Replaces the function of the same name in the bundle. It runs there, among axe's own variables, as
 * do the `helpers` that it brings along.
 */
export function replaceFunction(
  reason: string,
  replacement: PageFunction,
  ...helpers: PageFunction[]
): Patch {
  return {
    reason,
    start: `function ${replacement.name}(`,
    replacement: [replacement, ...helpers].map(String).join('\n'),
  };
}

/** As `replaceFunction`, but axe's own stays, to be called as `original…` with its name. */
export function wrapFunction(
  reason: string,
  replacement: PageFunction,
  ...helpers: PageFunction[]
): Patch {
  const originalStart = `function original${replacement.name}(`;
  return { ...replaceFunction(reason, replacement, ...helpers), originalStart };
}

/** Replaces the method of the same name, of whichever of the bundle's classes has one. */
export function replaceMethod(reason: string, replacement: PageFunction): Patch {
  return {
    reason,
    start: `value: function ${replacement.name}(`,
    replacement: `value: ${replacement.toString()}`,
  };
}

/** Replaces a function of that name whose results are remembered for each element. */
export function replaceMemoized(reason: string, name: string, replacement: PageFunction): Patch {
  return {
    reason,
    start: `var ${name} = memoize_default(function ${replacement.name}(`,
    // The options follow.
    replacement: `var ${name} = memoize_default(${replacement.toString()}, {`,
  };
}

/** Leaves a declaration or statement out. */
export function remove(reason: string, start: string): Patch {
  return { reason, start, replacement: '' };
}

/** Replaces `start` and what follows up to the end of that declaration. Throws where
 * there is none, or more than one. */
export function applyPatch(source: string, patch: Patch): string {
  const { start, replacement, originalStart } = patch;
  const [match, ...others] = source.matchAll(new RegExp(`^( *)${RegExp.escape(start)}.*$`, 'gm'));
  if (match === undefined || others.length > 0) {
    throw new Error(`the bundle has none or several of: ${start}`);
  }
  const [firstLine, indent = ''] = match;
  const firstLineEnd = match.index + firstLine.length;
  // What is within a declaration is indented further than its last line.
  const lastLine = firstLine.endsWith(';')
    ? firstLineEnd
    : source.indexOf(`\n${indent}}`, firstLineEnd) + 1;
  if (lastLine === 0) throw new Error(`no end of: ${start}`);
  const lineEnd = source.indexOf('\n', lastLine);
  const end = lineEnd === -1 ? source.length : lineEnd;
  const original =
    originalStart === undefined
      ? ''
      : source.slice(match.index, end).replace(start, () => `\n${originalStart}`);
  return source.slice(0, match.index) + replacement + original + source.slice(end);
}
