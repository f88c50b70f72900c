import { createRandom, pick as pickOf, type Random } from '../../support/random.ts';
import { page } from '../../support/page-server.ts';
import { styleValues } from './style-values.ts';

const texts = [
  'plain words',
  'a',
  '',
  '  ',
  '\u00a0',
  '12',
  '…',
  '★',
  '😀 smile',
  'naïve café',
  '  spaced \n out  ',
  '\u200b',
  'שלום',
  'a much longer text that is laid out in several lines when there is little room for it to stand in',
  'x\u00a0y',
  '#️⃣',
  '→',
  '{{tpl}}',
];
const names = [
  'div',
  'div',
  'span',
  'span',
  'p',
  'a',
  'a',
  'b',
  'section',
  'h2',
  'ul',
  'li',
  'button',
  'label',
  'input',
  'select',
  'textarea',
  'table',
  'img',
  'svg',
  'br',
  'hr',
  'details',
  'fieldset',
  'dl',
  'main',
  'x-host',
  'dialog',
  'figure',
];
const roles = [
  'link',
  'button',
  'img',
  'none',
  'presentation',
  'list',
  'listitem',
  'checkbox',
  'group',
  'heading',
  'textbox',
  'banana',
  'region',
];
type Pick = <Item>(items: readonly Item[]) => Item;

const attributes: readonly ((pick: Pick) => string)[] = [
  (pick) => `role="${pick(roles)}"`,
  (pick) => `aria-hidden="${pick(['true', 'false', ''])}"`,
  (pick) => `aria-label="${pick(texts)}"`,
  (pick) => `aria-labelledby="${pick(['i1', 'i2 i3', 'nowhere', 'i4'])}"`,
  (pick) => `id="${pick(['i1', 'i2', 'i3', 'i4', 'i5', 'ü', '1a'])}"`,
  (pick) =>
    `class="${pick(['before', 'after', 'before after', 'cover', 'c1 c2', 'c2', '-x', '3d'])}"`,
  (pick) => `title="${pick(texts)}"`,
  (pick) => `tabindex="${pick(['0', '-1', '1', 'x'])}"`,
  (pick) => `lang="${pick(['en', 'de', 'xx', ''])}"`,
  () => 'hidden',
  () => 'inert',
  () => 'disabled',
  (pick) => `aria-disabled="${pick(['true', 'false'])}"`,
  (pick) => `aria-expanded="${pick(['true', 'maybe'])}"`,
  (pick) => `data-x="${pick(['1', '2', 'a"b'.replace('"', '&quot;')])}"`,
];

const ownAttributes: Record<string, (pick: Pick) => string> = {
  a: (pick) => `href="${pick(['/x', '#i1', '', 'javascript:;'])}"`,
  input: (pick) =>
    `type="${pick(['text', 'checkbox', 'radio', 'hidden', 'image', 'submit', 'nonsense'])}"`,
  img: (pick) => pick(['src="data:,"', 'alt="A chair"', 'alt=""', 'alt=" "']),
  details: () => 'open',
  dialog: (pick) => pick(['open', '', '']),
};
const slots = [
  '<slot></slot>',
  '<slot name="none">fallback</slot>',
  '<p style="color:#999"><slot></slot></p>',
  '',
];

/** Writes elements within elements, as many as were asked for. */
class RandomElements {
  readonly #random: Random;
  #left: number;

  constructor(seed: number, count: number) {
    this.#random = createRandom(seed);
    this.#left = count;
  }

  write(): string {
    const elements: string[] = [];
    while (this.#left > 0) elements.push(this.#element(0));
    return elements.join('\n');
  }

  #pick = <Item>(items: readonly Item[]): Item => pickOf(this.#random, items);

  #happens(probability: number): boolean {
    return this.#random() < probability;
  }

  #styles(): string {
    const count = Math.floor(this.#random() ** 2 * 5);
    return Array.from({ length: count }, () => this.#pick(Object.entries(styleValues)))
      .map(([property, values]) => `${property}:${this.#pick(values)}`)
      .join(';');
  }

  #attributes(name: string): string {
    const count = Math.floor(this.#random() ** 3 * 4);
    const list = Array.from({ length: count }, () => this.#pick(attributes)(this.#pick));
    const own = ownAttributes[name];
    if (own !== undefined && this.#happens(0.8)) list.push(own(this.#pick));
    return `${list.join(' ')} style="${this.#styles()}"`;
  }

  #children(depth: number): string {
    const children: string[] = [];
    const count = depth < 12 ? Math.floor(this.#random() * 6) : 0;
    while (children.length < count && this.#left > 0) {
      children.push(this.#happens(0.5) ? this.#pick(texts) : this.#element(depth + 1));
    }
    return children.join(this.#happens(0.5) ? ' ' : '') || this.#pick(texts);
  }

  #element(depth: number): string {
    this.#left -= 1;
    const name = this.#pick(names);
    const tag = `${name} ${this.#attributes(name)}`;
    if (['img', 'br', 'hr', 'input'].includes(name)) return `<${tag}>`;
    const text = this.#pick(texts);
    const inner = this.#children(depth);
    switch (name) {
      case 'select':
        return `<${tag}><option>${text}<option selected>${this.#pick(texts)}</select>`;
      case 'table':
        return `<${tag}><tr><th>${text}<td>${inner}<tr><td colspan="2">${this.#pick(texts)}</table>`;
      case 'svg':
        return `<${tag} width="20" height="20"><title>${text}</title><text y="9">${text}</text></svg>`;
      case 'x-host':
        return `<${tag}>${this.#shadowTree(text)}${inner}</x-host>`;
      default:
        return `<${tag}>${inner}</${name}>`;
    }
  }

  #shadowTree(text: string): string {
    const mode = this.#happens(0.7) ? 'open' : 'closed';
    return `<template shadowrootmode="${mode}"><style>b{${this.#styles()}}</style><b>${text}</b>${this.#pick(slots)}</template>`;
  }
}

const head = `<style>
  .before::before { content: 'b'; background: #eee; position: absolute; inset: 0 }
  .after::after { content: ''; background-image: linear-gradient(red, blue); position: absolute; width: 3em; height: 3em }
  .cover::before { content: ''; position: absolute; width: 999px; height: 999px; background: rgb(0 0 0 / .2) }
</style>`;

/** Of so many elements, with styles, roles, attributes and texts of all kinds in random company. */
export function randomPage(seed: number, count: number): string {
  return page(new RandomElements(seed, count).write(), head);
}
