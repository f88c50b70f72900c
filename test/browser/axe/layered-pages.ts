import { createRandom, pick, type Random } from '../../support/random.ts';
import { page } from '../../support/page-server.ts';

/** How elements come to lie over each other. */
const placements = [
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
  'background: #fff',
  'background: #ddd',
  'background: #048',
  'background: rgb(10 200 30)',
  'background: color(display-p3 .1 .9 .2)',
];
/** On every other page, one here and there. */
const blending = [
  'background: color(srgb .5 .4 none)',
  'background: color(srgb .5 none .2 / 0)',
  'background: rgb(0 0 0 / .3)',
  'opacity: .5',
  'mix-blend-mode: multiply',
  'text-shadow: 0 0 2px #000',
];
const texts = [
  'color: #777',
  'color: #000',
  'color: rgb(0 0 0 / .5)',
  'color: oklch(.7 .1 200)',
  'color: color(display-p3 .9 .1 .1)',
];

/** The root blends with what is behind it, though to axe it is in no stacking context. */
export const blendingRoot = page(
  '<div style="position: absolute; inset: 0; z-index: -1; background: #48a"></div><p style="color: #777">Text</p>',
  '<style>html { mix-blend-mode: multiply; background: #ccc }</style>',
);

/** Texts in elements that overlap each other in every way, the same ones for the same seed. */
export function layeredPage(seed: number): string {
  const random = createRandom(seed);
  const rare = seed % 2 === 0 ? 0.1 : 0;
  const elements = Array.from({ length: 12 }, () => element(random, rare, 5)).join('');
  const sheet = ['html', 'body'].map((name) => `${name} { ${styles(random, rare)} }`).join(' ');
  return page(elements, `<style>${sheet}</style>`);
}

function element(random: Random, rare: number, depth: number): string {
  const placement = random() < 0.3 ? pick(random, placements) : '';
  const count = depth > 0 ? Math.floor(random() * 3.5) : 0;
  const inner = Array.from({ length: count }, () => element(random, rare, depth - 1)).join(' ');
  const text = random() < 0.7 ? `text ${Math.floor(random() * 1_000)}` : '';
  return `<div style="${placement}; ${styles(random, rare)}">${text} ${inner}</div>`;
}

function styles(random: Random, rare: number): string {
  return [
    random() < 0.4 ? pick(random, backgrounds) : '',
    random() < 0.4 ? pick(random, texts) : '',
    random() < rare ? pick(random, blending) : '',
  ].join('; ');
}
