type Cell = string | number;

/** The first column is words, the others are figures. */
export function printTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => String(cells[column] ?? '').length)),
  );
  for (const cells of lines) {
    const padded = cells.map((cell, column) =>
      column === 0
        ? String(cell).padEnd(widths[column] ?? 0)
        : String(cell).padStart(widths[column] ?? 0),
    );
    console.log(padded.join('  '));
  }
  console.log('');
}

export function ratio(value: number, to: number): string {
  return (value / to).toFixed(2);
}
