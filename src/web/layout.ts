import { type Html, html } from './html.ts';

interface Layout {
  /** Before the name of the service in the browser's title. */
  readonly title: string;
  readonly description: string;
  /** The way from the page to the root, such as `../`. Relative, since a proxy may add a prefix. */
  readonly root: string;
  readonly head?: Html;
  readonly main: Html;
}

/** A whole page of the documentation. */
export function layout({ title, description, root, head = html``, main }: Layout): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} – Curbcut</title>
        <meta name="description" content="${description}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${root}docs/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${root}docs/assets/page.css" />
        ${head}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <p class="name">Curbcut</p>
          <nav aria-label="Documentation">
            <ul>
              <li><a href="${root}docs">API reference</a></li>
              <li><a href="${root}docs/problems">Problems</a></li>
              <li><a href="${root}openapi.json">OpenAPI document</a></li>
            </ul>
          </nav>
        </header>
        <main id="main" tabindex="-1">${main}</main>
      </body>
    </html> `.text;
}
