import { ScanFailedError } from '../errors.ts';
import { findChallenge } from './challenge.ts';
import { cut } from './cut.ts';
import type { DocumentLog, DocumentResponse } from './document-log.ts';
import type { Frame } from './isolated-world.ts';
import { navigationFailure } from './navigation-failure.ts';
import type { ScanPage } from './scan-page.ts';

/** The document that the browser ended on, found to be a page of the site that was asked for. */
export interface Landing {
  readonly frame: Frame;
  readonly response: DocumentResponse;
  /** False when the server broke off in the middle of it. */
  readonly isWhole: boolean;
}

const htmlTypes: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

export function isHtml({ mimeType }: DocumentResponse): boolean {
  return htmlTypes.has(mimeType);
}

/**
 * Judges the document that is in the main frame. Throws `ScanFailedError` when it is no page that a
 * report may be made of: Chromium's error page, an error status, a bot challenge, or not HTML.
 */
export async function inspectLanding(
  { worlds, log, egress }: ScanPage,
  frame: Frame,
): Promise<Landing> {
  if (frame.isErrorPage && (isWeb(frame.url) || frame.url.startsWith('chrome-error:'))) {
    throw navigationFailure(egress, frame.url, log.failureOf(frame.loaderId) ?? '');
  }
  const response = log.responseOf(frame.loaderId);
  if (response === undefined || !isWeb(frame.url)) throw notOnTheWeb(frame.url);
  const failure = brokenOff(log, frame);
  if (failure !== undefined && !(await worlds.call(frame, hasBody))) {
    throw navigationFailure(egress, frame.url, failure);
  }
  const service = await findChallenge(worlds, frame, response);
  if (service !== null) {
    throw new ScanFailedError(
      'scanner-blocked',
      `${service} answered for ${cut(response.url)} with a check for bots instead of the page. Allow this scanner's User-Agent there, or scan where the check is off.`,
    );
  }
  if (response.status >= 400) throw errorStatus(response);
  if (!isHtml(response)) throw notHtml(response);
  return { frame, response, isWhole: failure === undefined };
}

/** Why the document did not come to its end, if not because a script stopped it. */
function brokenOff(log: DocumentLog, { loaderId }: Frame): string | undefined {
  const failure = log.failureOf(loaderId);
  return failure?.includes('ERR_ABORTED') === true ? undefined : failure;
}

/** Runs in the page. */
function hasBody(): boolean {
  return Document.prototype.querySelector.call(document, 'body') !== null;
}

/**
 * Explains a navigation that made no document: a 204, or a download, which Chromium both calls
 * aborted.
 */
export function noDocument({ log }: ScanPage, url: string): ScanFailedError {
  const response = log.latestResponse;
  if (log.latestUrl !== undefined && !isWeb(log.latestUrl)) return notOnTheWeb(log.latestUrl);
  // Chromium tells nothing of a 304 that it did not ask for, and of a redirect to a script.
  if (response === undefined) {
    return new ScanFailedError(
      'not-html',
      `${cut(url)} answered without a document. Only HTML pages can be scanned.`,
    );
  }
  if (response.status >= 400) return errorStatus(response);
  return notHtml(response);
}

/** Explains a document that is there but answers no question. */
export function unresponsive(url: string, cause: unknown): ScanFailedError {
  return new ScanFailedError(
    'page-unresponsive',
    `${cut(url)} answered, but kept the browser busy and never became ready. Look for a script that does not end, or for very much markup.`,
    { cause },
  );
}

/** Explains a page that did not stay on one document for long enough. */
export function unstable(url: string, cause: unknown): ScanFailedError {
  return new ScanFailedError(
    'page-unstable',
    `${cut(url)} kept going to other pages while it was being scanned. Scan the page it should end on.`,
    { cause },
  );
}

function isWeb(url: string): boolean {
  return /^https?:/.test(url);
}

function notOnTheWeb(url: string): ScanFailedError {
  return new ScanFailedError(
    'not-html',
    `The page went to ${cut(url)}, which no web server answers. Only http and https pages are scanned.`,
  );
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
