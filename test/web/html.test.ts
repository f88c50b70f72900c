import { expect, test } from 'bun:test';
import { html } from '../../src/web/html.ts';
import { problemsPage } from '../../src/web/problems-page.ts';

test('what is put into HTML stays text, in content and in attributes', () => {
  const nasty = `<img src=x onerror="alert('1')">&amp;`;
  expect(html`<a title="${nasty}">${nasty}</a>`.text).toBe(
    '<a title="&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;amp;">' +
      '&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;amp;</a>',
  );
});

test('HTML is put into HTML as it is, and lists of it without commas', () => {
  const items = [1, 2].map((number) => html`<li>${number}</li>`);
  expect(html`${items}`.text).toBe('<li>1</li><li>2</li>');
});

test('a kind of problem is a section with its code as anchor, whatever its words are', () => {
  const kind = { code: 'bad-input', status: 400, title: 'Not <b>', advice: 'Use "a" & \'b\'.' };
  const page = problemsPage([kind]);
  expect(page).toContain('id="bad-input"');
  expect(page).toContain('Not &#60;b&#62; <code>bad-input</code>');
  expect(page).toContain('<p>Use &#34;a&#34; &#38; &#39;b&#39;.</p>');
  expect(page).toContain('<h2 id="400">400: The request is at fault</h2>');
});
