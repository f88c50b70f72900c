import { pick, type Random } from '../../support/random.ts';
import {
  button,
  documentOf,
  field,
  many,
  navigation,
  paragraph,
  picture,
  sentence,
  text,
} from './content.ts';

/* The sources of the generated pages, each the same for the same random numbers. */

export function article(random: Random): string {
  const sections = many(
    4,
    () =>
      `<section><h2>${text(random, 3)}</h2>${many(4, () => paragraph(random))}${picture(random)}</section>`,
  );
  return documentOf(
    'An article',
    `<header>${navigation(random, 6)}</header><main><h1>${text(random, 5)}</h1>
<p class="pale">${text(random, 4)}</p>${sections}</main><footer>${navigation(random, 4)}</footer>`,
  );
}

export function shop(random: Random): string {
  const card = (): string => `<li class="card"><span class="badge">${text(random, 1)}</span>
${picture(random)}<h3><a href="#">${text(random, 3)}</a></h3><p>${sentence(random)}</p>
<p><s class="muted">${Math.floor(random() * 99)} €</s> <strong>${Math.floor(random() * 99)} €</strong></p>
<span role="img"${random() < 0.7 ? ' aria-label="4 of 5 stars"' : ''}>★★★★☆</span>${button(random)}</li>`;
  const filters = many(
    3,
    (group) => `<fieldset><legend>${text(random, 1)}</legend>
${many(8, (index) => field(random, `filter-${group}-${index}`))}</fieldset>`,
  );
  return documentOf(
    'A shop',
    `<header>${navigation(random, 12)}<form role="search"><input type="search" placeholder="Search">${button(random)}</form></header>
<div class="hero"><p>${text(random, 4)}</p><a href="#">${text(random, 2)}</a></div>
<main><h1>${text(random, 2)}</h1><aside>${filters}</aside><ul class="cards">${many(100, card)}</ul></main>
<footer>${many(4, () => navigation(random, 8))}</footer>`,
  );
}

export function dashboard(random: Random): string {
  const chart = (): string => `<svg viewBox="0 0 200 100"${random() < 0.5 ? ' role="img"' : ''}>
${many(30, (index) => `<rect x="${index * 6}" y="${Math.floor(random() * 80)}" width="4" height="20"></rect>`)}</svg>`;
  const tab = (index: number): string =>
    `<div role="tab" id="tab-${index}" aria-controls="panel-${index % 5}" aria-selected="${index === 0}" tabindex="0">${text(random, 1)}</div>`;
  const widget = (
    index: number,
  ): string => `<section class="card" aria-labelledby="widget-${index}">
<h2 id="widget-${index}">${text(random, 2)}</h2>${chart()}<dl>${many(4, () => `<dt>${text(random, 1)}</dt><dd>${Math.floor(random() * 1_000)}</dd>`)}</dl>
<div role="progressbar" aria-valuenow="${Math.floor(random() * 100)}"></div>${button(random)}
<div role="${pick(random, ['switch', 'checkbox', 'slider'])}" tabindex="0"></div></section>`;
  return documentOf(
    'A dashboard',
    `<header>${navigation(random, 8)}</header><main><h1>${text(random, 2)}</h1>
<div role="tablist">${many(6, tab)}</div><div class="cards">${many(24, widget)}</div>
${table(random, 40, 6)}</main>`,
  );
}

export function documentation(random: Random): string {
  const entry = (index: number): string => `<section id="s${index}"><h2>${text(random, 3)}</h2>
${many(3, () => paragraph(random))}<pre class="code">${many(6, () => `<span class="pale">${text(random, 1)}</span> <b>${text(random, 1)}</b>(<i>${text(random, 1)}</i>)`)}</pre>
<ul>${many(5, () => `<li>${sentence(random)}</li>`)}</ul></section>`;
  return documentOf(
    'Documentation',
    `<header>${navigation(random, 5)}</header><nav aria-label="Contents"><ol>${many(60, (index) => `<li><a href="#s${index}">${text(random, 2)}</a></li>`)}</ol></nav>
<main><h1>${text(random, 2)}</h1>${many(60, entry)}</main>`,
  );
}

function table(random: Random, rows: number, columns: number): string {
  const headings = many(columns, () => `<th>${text(random, 1)}</th>`);
  const cell = (): string =>
    random() < 0.05 ? `<td class="pale">${text(random, 1)}</td>` : `<td>${text(random, 1)}</td>`;
  return `<table><thead><tr>${headings}</tr></thead><tbody>${many(rows, () => `<tr>${many(columns, cell)}</tr>`)}</tbody></table>`;
}

export function tablePage(rows: number, columns: number): (random: Random) => string {
  return (random) =>
    documentOf(
      'A table',
      `<main><h1>${text(random, 2)}</h1>${table(random, rows, columns)}</main>`,
    );
}

export function form(random: Random): string {
  return documentOf(
    'A form',
    `<main><h1>${text(random, 2)}</h1><form>${many(40, (index) => field(random, `field-${index}`))}
<input type="radio" name="choice"><input type="image" src="picture.svg"><input type="submit">${button(random)}</form></main>`,
    '<meta name="viewport" content="width=device-width, user-scalable=no">',
  );
}

/** Its script loads what it shows, and shows it in two steps. */
export function lateApp(): string {
  return documentOf('An app', '<div id="root"></div>', '<script src="app.js" defer></script>');
}

export function lateContent(random: Random): string {
  return `<header>${navigation(random, 6)}</header><main><h1>${text(random, 2)}</h1>
<div class="cards">${many(30, () => `<div class="card">${picture(random)}<h2>${text(random, 2)}</h2>${paragraph(random)}${button(random)}</div>`)}</div></main>`;
}

export const lateScript = `
const root = document.getElementById('root');
fetch('content.html').then((response) => response.text()).then((content) => {
  root.innerHTML = '<p class="pale">…</p>';
  setTimeout(() => {
    root.innerHTML = content;
    root.dataset.ready = '';
  }, 150);
});`;

/** Style sheets, scripts and pictures, all different. */
export function manySubresources(random: Random): string {
  const links = many(25, (index) => `<link rel="stylesheet" href="part-${index}.css">`);
  const scripts = many(25, (index) => `<script src="part-${index}.js" async></script>`);
  const pictures = many(100, (index) => picture(random, `part-${index}.svg`));
  return documentOf(
    'Many resources',
    `<main><h1>${text(random, 2)}</h1>${pictures}${paragraph(random)}</main>`,
    links + scripts,
  );
}

/** Frames within frames, and one of another site. */
export function frames(random: Random, otherOrigin: string): string {
  const frame = (source: string): string => {
    const title = random() < 0.7 ? ` title="${text(random, 2)}"` : '';
    return `<iframe src="${source}" width="400" height="300"${title}></iframe>`;
  };
  return documentOf(
    'Frames',
    `<main><h1>${text(random, 2)}</h1>${paragraph(random)}${many(3, (index) => frame(`frame.html?${index}`))}
${frame('nested.html')}${frame(`${otherOrigin}/now/form/`)}</main>`,
  );
}

export function frameContent(random: Random): string {
  return documentOf(
    'A frame',
    `<main><h1>${text(random, 1)}</h1>${many(5, () => paragraph(random))}${picture(random)}${field(random, 'only')}</main>`,
  );
}

/** One block of text, as long as a page, in which all is inline: what axe reads anew for each link. */
export function linksInOneBlock(random: Random): string {
  const item = (): string =>
    `<a href="#">${text(random, 2)}</a> <span>${text(random, 2)}</span> <b>${text(random, 1)}</b>,`;
  return documentOf(
    'Links in one block',
    `<main class="plain"><h1>${text(random, 2)}</h1><p>${many(1_330, item)}</p></main>`,
  );
}

/** As many links and elements, in short blocks. */
export function linksInManyBlocks(random: Random): string {
  const item = (): string =>
    `<p><a href="#">${text(random, 2)}</a> <span>${text(random, 2)}</span> ${text(random, 1)},</p>`;
  return documentOf(
    'Links in many blocks',
    `<main class="plain"><h1>${text(random, 2)}</h1>${many(1_330, item)}</main>`,
  );
}
