const readme = await Bun.file(new URL('../../README.md', import.meta.url)).text();

/** The cells of the README's table whose first column has this heading. */
export function readmeTable(heading: string): string[][] {
  const rows = readme.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const start = rows.findIndex(([first]) => first === heading) + 2;
  const end = rows.findIndex((cells, index) => index >= start && cells.length === 0);
  return rows.slice(start, end);
}

/** The scripts that its commands run. */
export function readmeScripts(): string[] {
  return [...readme.matchAll(/\bbun(?:@1)? run ([\w:-]+)/g)].map(([, script = '']) => script);
}
