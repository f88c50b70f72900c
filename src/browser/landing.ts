import { ScanFailedError } from '../errors.ts';
import { findChallenge } from './challenge.ts';
import { cut } from './cut.ts';
import type { DocumentResponse } from './document-log.ts';
import type { Frame } from './isolated-world.ts';
import { navigationFailure } from './navigation-failure.ts';
import type { ScanPage } from './scan-page.ts';

/** The document that the browser ended on, found to be a page of the site that was asked for. */
export interface Landing {
  readonly frame: Frame;
  readonly response: DocumentResponse;
}

const htmlTypes: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

/**
 * Judges the document that is in the main frame. Throws `ScanFailedError` when it is no page that a
 * report may be made of: Chromium's error page, an error status, a bot challenge, or not HTML.
 */
export async function inspectLanding(
  { worlds, log, egress }: ScanPage,
  frame: Frame,
): Promise<Landing> {
  if (frame.isErrorPage) {
    throw navigationFailure(egress, frame.url, log.failureOf(frame.loaderId) ?? '');
  }
  const response = log.responseOf(frame.loaderId);
  if (response === undefined || !/^https?:/.test(frame.url)) {
    throw new ScanFailedError(
      'not-html',
      `The page went to ${cut(frame.url)}, which no web server answers. Only http and https pages are scanned.`,
    );
  }
  const service = await findChallenge(worlds, frame, response);
  if (service !== null) {
    throw new ScanFailedError(
      'scanner-blocked',
      `${service} answered for ${cut(response.url)} with a check for bots instead of the page. Allow this scanner's User-Agent there, or scan where the check is off.`,
    );
  }
  if (response.status >= 400) throw errorStatus(response);
  if (!htmlTypes.has(response.mimeType)) throw notHtml(response);
  return { frame, response };
}

/**
 * Explains a navigation that made no document: a 204, or a download, which Chromium both calls
 * aborted.
 */
export function noDocument({ log, egress }: ScanPage, url: string): ScanFailedError {
  const response = log.latestResponse;
  if (response === undefined) return navigationFailure(egress, url, '');
  if (response.status >= 400) return errorStatus(response);
  return notHtml(response);
}

function errorStatus({ url, status, statusText }: DocumentResponse): ScanFailedError {
  const hint =
    status === 401 || status === 403 || status === 429
      ? 'It may need a login, or refuse automated browsers.'
      : 'Check the address.';
  const line = cut(`${status} ${statusText}`.trim(), 80);
  return new ScanFailedError(
    'error-status',
    `${cut(url)} answered ${line}, so there is no page to scan. ${hint}`,
  );
}

function notHtml({ url, status, mimeType, headers }: DocumentResponse): ScanFailedError {
  let answer = `with ${cut(mimeType, 80) || 'no content type'}`;
  if (status === 204 || status === 205) answer = `${status}, without content`;
  else if (/^\s*attachment/i.test(headers.get('content-disposition') ?? ''))
    answer = 'with a download';
  return new ScanFailedError(
    'not-html',
    `${cut(url)} answered ${answer}. Only HTML pages can be scanned.`,
  );
}
