/** Numbers from 0 to 1, exclusive: the same for the same seed (mulberry32). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** So many of the items, as often as their shares say but each at least once if there is room. */
export function mix<T extends { share: number }>(
  items: readonly T[],
  count: number,
  random: Random,
): T[] {
  const total = items.reduce((sum, { share }) => sum + share, 0);
  const draw = (): T => {
    let left = random() * total;
    return items.find(({ share }) => (left -= share) < 0) ?? draw();
  };
  const all = [...items, ...Array.from({ length: Math.max(0, count - items.length) }, draw)];
  return all
    .slice(0, count)
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
