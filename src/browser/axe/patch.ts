/** A part of axe-core's bundle and what stands in its place. */
export interface Patch {
  /** Why axe's own is slow, or not needed here; what it finds must stay the same. */
  readonly reason: string;
  /** The beginning of the one declaration or statement that is replaced. */
  readonly start: string;
  /** May be made of what it replaces. */
  readonly replacement: string | ((original: string) => string);
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
    replacement: sourceOf([replacement, ...helpers]),
  };
}

/** As `replaceFunction`, but axe's own stays, to be called as `original…` with its name. */
export function wrapFunction(
  reason: string,
  replacement: PageFunction,
  ...helpers: PageFunction[]
): Patch {
  const start = `function ${replacement.name}(`;
  const renamed = `function original${replacement.name}(`;
  return {
    reason,
    start,
    replacement: (original) =>
      `${sourceOf([replacement, ...helpers])}\n${original.replace(start, () => renamed)}`,
  };
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
    replacement: `var ${name} = memoize_default(${replacement.toString()});`,
  };
}

/** Leaves a declaration or statement out. */
export function remove(reason: string, start: string): Patch {
  return { reason, start, replacement: '' };
}

/** Replaces what begins with the patch's start. Throws where there is none, or more than one. */
export function applyPatch(source: string, { start, replacement }: Patch): string {
  const from = findLine(source, start);
  const indent = /^ */.exec(source.slice(from, from + 100))?.[0] ?? '';
  const lineEnd = source.indexOf('\n', from);
  // What is within a declaration is indented further than its last line.
  const lastLine = new RegExp(`\n${indent}[}\\]](?:.*[;}])?$`, 'gm');
  lastLine.lastIndex = lineEnd;
  const end = source[lineEnd - 1] === ';' ? lineEnd : endOf(lastLine.exec(source));
  const text = typeof replacement === 'string' ? replacement : replacement(source.slice(from, end));
  return `${source.slice(0, from)}${text}\n${source.slice(end)}`;
}

function sourceOf(functions: readonly PageFunction[]): string {
  return functions.map(String).join('\n');
}

function findLine(source: string, start: string): number {
  const lines: number[] = [];
  for (let at = source.indexOf(start); at !== -1; at = source.indexOf(start, at + 1)) {
    const line = source.lastIndexOf('\n', at) + 1;
    if (source.slice(line, at).trim() === '') lines.push(line);
  }
  const [line, ...others] = lines;
  if (line === undefined || others.length > 0) {
    throw new Error(`the bundle has none or several of: ${start}`);
  }
  return line;
}

function endOf(match: RegExpExecArray | null): number {
  if (match === null) throw new Error('the bundle has a declaration without an end');
  return match.index + match[0].length;
}
