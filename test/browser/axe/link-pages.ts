import { page } from '../../support/page-server.ts';

const link = '<a href="/x">a link</a>';
const plain = 'a { color: inherit; text-decoration: none } main { color: #222 }';

/** Blocks of text with links in them, for each way in which one can begin and end. */
const blocks: Record<string, string> = {
  'one link': `Some text and ${link} in it.`,
  'many links': `Some words ${link} `.repeat(40),
  'more links than text': `a ${link} b ${link}`,
  'only a link': link,
  breaks: `First line<br>second ${link}<br>${link}<hr>fourth line with text ${link}`,
  'break that is a widget': `Text before <br role="button"> and after ${link}, the end.`,
  'blocks within': `Text ${link}<div>a block ${link} of its own</div>more text ${link}`,
  'hidden text': `a <span hidden>hidden words</span> <i style="visibility:hidden">these too</i>${link}`,
  'link that is hidden': `Some text <span style="opacity:0">and ${link}</span> <br> the last line`,
  'link in a widget': `Some text <span role="button">and ${link} in it</span> and more text`,
  'other widgets': `Words <button>a button with much text</button> <select><option>one</select> ${link}`,
  'inline blocks': `Words <b style="display:inline-block">in a box ${link}</b> <a href="/y" style="display:inline-block">boxed</a>`,
  'contents and flex': `<span style="display:contents">Words ${link}</span><span style="display:flex">Words ${link}</span>`,
  'with a role': `Words <a href="/y" role="button">button</a> <span role="link" tabindex="0">span</span> and ${link}`,
  'own colours': `Words <a href="/y" style="color:#224">dark</a> <a href="/z" style="color:#f00">red</a> <a href="/w" style="text-decoration:underline">lined</a>`,
  'own background': `Words <a href="/y" style="background:#000">black</a> and <a href="/z" style="background:#ddd">grey</a>`,
  'pseudo content': `Words <a class="arrow" href="/y">with an arrow</a>`,
  'empty links': `Words <a href="/y"></a> <a href="/z"> </a> <a href="/w"><img src="data:," alt="picture"></a>`,
  nested: `Words <em>stressed ${link} <strong>strong ${link}</strong></em>`,
};

export const linkPages: Record<string, string> = {
  '/links': page(
    Object.entries(blocks)
      .map(([name, block]) => `<h2>${name}</h2><p>${block}</p><ul><li>${block}</ul>`)
      .join('\n'),
    `<style>${plain} .arrow::before { content: '→' }</style>`,
  ),
  '/translucent-links': page(
    `<div style="opacity:.8">${Object.values(blocks)
      .map((block) => `<div>${block}</div>`)
      .join('')}</div>`,
    `<style>${plain} div { background: rgb(200 255 255 / .9) }</style>`,
  ),
  '/slotted-links': page(
    `<div id="host">Light text ${link} <span slot="aside">aside ${link}</span></div><script>
      document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML =
        '<style>a{color:inherit;text-decoration:none}</style><p>Text around <slot></slot> and ${link}</p><p><slot name="aside"></slot> more</p>';
    </script>`,
    `<style>${plain}</style>`,
  ),
};
