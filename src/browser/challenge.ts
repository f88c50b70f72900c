import type { DocumentResponse } from './document-log.ts';
import type { Frame, IsolatedWorlds } from './isolated-world.ts';

/*
 * Services that stand before a site answer a browser they mistrust with a page of their own, some
 * with status 200. A report on that page would be a report on somebody else's page. Only marks that
 * are absent from the sites' real pages are listed: a captcha inside a form is no challenge.
 */

interface ChallengeMark {
  readonly service: string;
  /** Where the service marks its good answers too, only with this status. */
  readonly status?: number;
  readonly header?: readonly [name: string, value: RegExp];
  /** Matches an element that only the challenge page has. */
  readonly selector?: string;
  readonly title?: RegExp;
}

const marks: readonly ChallengeMark[] = [
  { service: 'Cloudflare', header: ['cf-mitigated', /challenge|block/i] },
  {
    service: 'Cloudflare',
    selector: '#challenge-form, #challenge-error-text, #cf-error-details, #cf-challenge-running',
  },
  {
    service: 'Cloudflare',
    title: /^(Just a moment\.\.\.|Attention Required! \| Cloudflare)$/,
    selector: 'script[src*="/cdn-cgi/challenge-platform/"], #cf-wrapper',
  },
  { service: 'AWS WAF', header: ['x-amzn-waf-action', /challenge|captcha/i] },
  { service: 'Vercel', header: ['x-vercel-mitigated', /challenge|deny/i] },
  { service: 'Sucuri', header: ['x-sucuri-block', /./] },
  { service: 'DataDome', status: 403, header: ['x-datadome', /./] },
  { service: 'Kasada', status: 429, header: ['x-kpsdk-ct', /./] },
  { service: 'DataDome', selector: 'body > iframe[src*="captcha-delivery.com"]' },
  { service: 'HUMAN', selector: '#px-captcha, #px-captcha-wrapper' },
  { service: 'Imperva', selector: 'iframe#main-iframe[src*="_Incapsula_Resource"]' },
  { service: 'Akamai', status: 403, header: ['server', /^AkamaiGHost$/i] },
  { service: 'Anubis', selector: 'script#anubis_challenge' },
  { service: 'Google', selector: 'form#captcha-form[action="index"]' },
];

/** The service whose bot challenge this document is, or null when it is the site's own. */
export async function findChallenge(
  worlds: IsolatedWorlds,
  frame: Frame,
  response: DocumentResponse,
): Promise<string | null> {
  const byHeader = marks.find(
    ({ header, status = response.status }) =>
      header !== undefined &&
      header[1].test(response.headers.get(header[0]) ?? '') &&
      status === response.status,
  );
  if (byHeader !== undefined) return byHeader.service;
  const inDocument = marks.filter(({ selector }) => selector !== undefined);
  const { title, matches } = await worlds.call(
    frame,
    readMarks,
    inDocument.map(({ selector }) => selector ?? ''),
  );
  const found = inDocument.find(
    (mark, index) => matches[index] === true && (mark.title?.test(title) ?? true),
  );
  return found?.service ?? null;
}

/** Runs in the page. */
function readMarks(selectors: string[]): { title: string; matches: boolean[] } {
  const query = (selector: string) => Document.prototype.querySelector.call(document, selector);
  return {
    title: query('title')?.textContent?.trim() ?? '',
    matches: selectors.map((selector) => query(selector) !== null),
  };
}
