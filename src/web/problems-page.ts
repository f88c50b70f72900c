import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

/** A kind of problem, as its section tells of it. */
interface ProblemKind {
  /** The anchor of its section. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly advice: string;
}

const headings = new Map([
  [400, 'The request is at fault'],
  [404, 'Nothing is there'],
  [429, 'A limit is used up'],
  [500, 'There is no report'],
  [503, 'This service has no time'],
]);

/** The page that the `type` of problem details leads to. */
export function problemsPage(kinds: readonly ProblemKind[]): string {
  const byStatus = Map.groupBy(kinds, ({ status }) => status);
  return layout({
    title: 'Problems',
    description: 'Every kind of problem that the API answers with, and what to do about it.',
    root: '../',
    main: html`<h1>Problems</h1>
      <p>
        A request that fails is answered with problem details (RFC 9457). Their <code>code</code> is
        one of these, and their <code>detail</code> says what happened in that case.
      </p>
      ${[...byStatus].map(([status, members]) => section(status, members))}`,
  });
}

function section(status: number, kinds: readonly ProblemKind[]): Html {
  return html`<h2 id="${status}">${status}: ${headings.get(status) ?? 'Other problems'}</h2>
    ${kinds.map(
      ({ code, title, advice }) =>
        html`<section class="problem" id="${code}" aria-labelledby="${code}-title">
          <h3 id="${code}-title">${title} <code>${code}</code></h3>
          <p>${advice}</p>
        </section> `,
    )}`;
}
