/** The value below which the given part (0 to 1) of them lies; NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * part;
  const lower = sorted[Math.floor(position)] ?? NaN;
  const upper = sorted[Math.ceil(position)] ?? NaN;
  return lower + (upper - lower) * (position - Math.floor(position));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The mean for ratios: twice as much and half as much make 1. NaN of none. */
export function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
