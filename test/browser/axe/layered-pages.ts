import { createRandom, type Random } from '../../soak/random.ts';
import { page } from '../../support/page-server.ts';

/** How elements come to lie over each other, most of them without any blending. */
const placements = [
  '',
  '',
  '',
  'position: relative',
  'position: relative; z-index: 1',
  'position: relative; z-index: -1',
  'position: relative; z-index: 0; top: -20px',
  'position: absolute; left: 30px; top: 10px; width: 200px',
  'position: absolute; left: 0; top: 0; z-index: 2; height: 40px; width: 100%',
  'position: absolute; left: 0; top: 0; z-index: -1; height: 90%; width: 100%',
  'position: fixed; right: 0; bottom: 0; width: 300px',
  'position: sticky; top: 0',
  'float: left; width: 45%',
  'float: right; margin-top: -15px',
  'display: flex',
  'display: inline-block; z-index: 3',
  'display: grid; z-index: 1',
  'margin-top: -25px',
  'margin-left: -40px',
  'transform: translateX(4px)',
  'isolation: isolate',
  'will-change: opacity',
  'contain: paint',
  'overflow: auto; max-height: 90px',
  'overflow: hidden; height: 30px',
];
const backgrounds = [
  '',
  '',
  '',
  '',
  'background: #fff',
  'background: #ddd',
  'background: #048',
  'background: rgb(10 200 30)',
  'background: color(display-p3 .1 .9 .2)',
  'background: color(srgb .5 .4 none)',
];
const blending = [
  'background: rgb(0 0 0 / .3)',
  'opacity: .5',
  'mix-blend-mode: multiply',
  'text-shadow: 0 0 2px #000',
];
const texts = ['color: #777', 'color: #000', 'color: rgb(0 0 0 / .5)', 'color: oklch(.7 .1 200)'];

/** Texts in elements that overlap each other in every way, the same ones for the same seed. */
export function layeredPage(seed: number): string {
  const random = createRandom(seed);
  const elements = Array.from({ length: 12 }, () => element(random, 5)).join('');
  const sheet = `html, body { ${pick(random, backgrounds)} } body { ${pick(random, backgrounds)} }`;
  return page(elements, `<style>${sheet}</style>`);
}

function element(random: Random, depth: number): string {
  const styles = [pick(random, placements), pick(random, backgrounds)];
  if (random() < 0.4) styles.push(pick(random, texts));
  if (random() < 0.06) styles.push(pick(random, blending));
  const count = depth > 0 ? Math.floor(random() * 3.5) : 0;
  const children = Array.from({ length: count }, () => element(random, depth - 1)).join(' ');
  const text = random() < 0.7 ? `text ${Math.floor(random() * 1_000)}` : '';
  return `<div style="${styles.join('; ')}">${text} ${children}</div>`;
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
