/** A part of axe-core's bundle and what stands in its place. */
export interface Patch {
  /** Why axe's own is slow, or not needed here; what it finds must stay the same. */
  readonly reason: string;
  /** The beginning of the one declaration or statement that is replaced. */
  readonly start: string;
  readonly replacement: string;
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

/** Leaves a declaration or statement out. */
export function remove(reason: string, start: string): Patch {
  return { reason, start, replacement: '' };
}

/** Replaces `start` and what follows up to the end of that declaration. Throws where
 * there is none, or more than one. */
export function applyPatch(source: string, { start, replacement }: Patch): string {
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
  const end = source.indexOf('\n', lastLine);
  return source.slice(0, match.index) + replacement + (end === -1 ? '' : source.slice(end));
}
