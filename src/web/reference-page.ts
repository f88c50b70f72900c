import { html } from './html.ts';
import { layout } from './layout.ts';

/** The API reference: Swagger UI, made to read the OpenAPI document by assets/reference.js. */
export function referencePage(): string {
  return layout({
    title: 'API reference',
    description: 'Every request, answer and field of the accessibility scanning API.',
    root: '',
    head: html`<link rel="stylesheet" href="docs/assets/swagger-ui.css" />
      <link rel="stylesheet" href="docs/assets/reference.css" />
      <script src="docs/assets/swagger-ui-bundle.js" defer></script>
      <script src="docs/assets/reference.js" defer></script>`,
    main: html`<div id="reference" data-document="openapi.json">
      <h1>API reference</h1>
      <p>
        This page needs JavaScript. All that it shows is in the
        <a href="openapi.json">OpenAPI document</a>.
      </p>
    </div>`,
  });
}
