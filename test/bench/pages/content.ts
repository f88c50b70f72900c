import { pick, type Random } from '../../support/random.ts';

/*
 * Text and elements of which the pages are made. Some are flawed as real ones are: now and then a
 * picture has no text, a colour is too pale, a control has no name.
 */

const words =
  'access answer area before bridge build carry change city clear close common copy corner day detail early east every field follow garden general give green group hand harbour hour house island item keep large learn letter level light line local market measure method middle month morning nature north number office open order page paper part people place plan point price public question rather reason report river road room school second service short side simple sound south start station story street summer system table teacher through time town trade travel under value village visit water week west window winter work world year'.split(
    ' ',
  );

/** As many results of it as told, one after another. */
export function many(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join('\n');
}

export function text(random: Random, count: number): string {
  return Array.from({ length: count }, () => pick(random, words)).join(' ');
}

export function sentence(random: Random): string {
  const plain = text(random, 6 + Math.floor(random() * 12));
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}

/** A paragraph with a few inline elements. */
export function paragraph(random: Random): string {
  const parts = Array.from({ length: 4 }, () => {
    const chance = random();
    if (chance < 0.2) return `<a href="#${pick(random, words)}">${text(random, 2)}</a>`;
    if (chance < 0.3) return `<em>${text(random, 3)}</em>`;
    if (chance < 0.4) return `<code>${pick(random, words)}</code>`;
    return sentence(random);
  });
  return `<p${random() < 0.1 ? ' class="pale"' : ''}>${parts.join(' ')}</p>`;
}

export function picture(random: Random, source = 'picture.svg'): string {
  const alternative = random() < 0.8 ? ` alt="${text(random, 3)}"` : '';
  return `<img src="${source}" width="120" height="80"${alternative}>`;
}

export function button(random: Random): string {
  return random() < 0.15
    ? '<button class="icon"><span aria-hidden="true">×</span></button>'
    : `<button>${text(random, 2)}</button>`;
}

/** A control with its label, where that is not missing. */
export function field(random: Random, id: string): string {
  const label = random() < 0.8 ? `<label for="${id}">${text(random, 2)}</label>` : '<span>?</span>';
  const control = pick(random, [
    `<input id="${id}" type="text" autocomplete="${pick(random, ['name', 'email', 'wrong'])}">`,
    `<input id="${id}" type="checkbox">`,
    `<select id="${id}">${many(4, () => `<option>${text(random, 1)}</option>`)}</select>`,
    `<textarea id="${id}" aria-describedby="${id}-hint"></textarea><small id="${id}-hint" class="pale">${text(random, 3)}</small>`,
  ]);
  return `<div class="field">${label} ${control}</div>`;
}

export function navigation(random: Random, count: number): string {
  const links = many(count, () => `<li><a href="#">${text(random, 1)}</a></li>`);
  return `<nav aria-label="Main"><ul class="links">${links}</ul></nav>`;
}

/** A whole document, with its styles beside it. */
export function documentOf(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="style.css">${head}</head>
<body>${body}</body></html>`;
}

export const style = `
* { box-sizing: border-box }
body { font: 16px/1.5 sans-serif; color: #222; background: #fff; margin: 0 }
header, footer { background: #234; color: #fff; padding: 16px }
header a, footer a { color: #cde }
main { max-width: 1100px; margin: 0 auto; padding: 16px }
.links { display: flex; flex-wrap: wrap; gap: 12px; list-style: none; padding: 0 }
.hero { background: linear-gradient(90deg, #135, #79b); color: #fff; padding: 48px }
.cards { display: grid; grid-template-columns: repeat(4, 1fr); gap: 16px }
.card { position: relative; background: #f4f4f8; border: 1px solid #ccd; padding: 12px; border-radius: 6px }
.badge { position: absolute; top: 4px; right: 4px; background: #fc0; color: #fff; padding: 0 6px }
.pale { color: #aaa }
.plain a { text-decoration: none; color: #333 }
.muted { opacity: .6 }
.icon { width: 24px; height: 24px; padding: 0 }
.field { margin: 8px 0 }
.hidden { display: none }
table { border-collapse: collapse } td, th { border: 1px solid #ddd; padding: 2px 8px }
tr:nth-child(even) { background: #f8f8f8 }
`;
