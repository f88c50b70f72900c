import { DomainError } from '../errors.ts';

/** A URL that passed all checks that need no network. */
export interface ScanUrl {
  /** Canonical: http or https, punycode, no fragment, no credentials. Of a bare domain the https form. */
  readonly url: URL;
  /** Whether the scheme was left to us: not where the port is that of https alone. */
  readonly isBareDomain: boolean;
}

const maxLength = 2_048;

/**
 * Reads a full URL by the WHATWG rules, or a bare domain with optional port, path and query.
 * Throws `invalid-url` with a sentence that says what is wrong.
 */
export function parseScanUrl(text: string): ScanUrl {
  const trimmed = text.trim();
  if (trimmed === '')
    throw invalid('url is empty. Give a web address, such as https://example.com/.');
  if (trimmed.length > maxLength) throw tooLong();
  const hasNoScheme = !hasScheme(trimmed);
  const url = URL.parse(hasNoScheme ? `https://${trimmed}` : trimmed);
  if (url === null) throw invalid(`${quote(trimmed)} is not a valid URL. ${encodingHint}`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(`${quote(url.protocol)} is not a scheme that can be scanned. Use http or https.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      'url holds a user name or password. Pages are scanned without logging in: leave them out.',
    );
  }
  if (hasNoScheme && !isDomain(url.hostname)) {
    throw invalid(
      `${quote(trimmed)} is neither a URL nor a domain. Write it out, such as https://example.com/.`,
    );
  }
  url.hash = '';
  if (url.href.length > maxLength) throw tooLong();
  return { url, isBareDomain: hasNoScheme && URL.parse(`http://${trimmed}`)?.port !== '443' };
}

/** The URLs to try, in order: a bare domain by https first, then by http. */
export function candidatesOf({ url, isBareDomain }: ScanUrl): [URL, ...URL[]] {
  if (!isBareDomain) return [url];
  const plain = new URL(url);
  plain.protocol = 'http:';
  return [url, plain];
}

const encodingHint =
  'Percent-encode it when it stands in a query, so that its own ? & and # are not taken for this one’s.';

/** `example.com:8080` has a port where `mailto:someone` has a scheme; only digits tell them apart. */
function hasScheme(text: string): boolean {
  const [, rest] = /^[a-z][a-z0-9+.-]*:(.*)$/is.exec(text) ?? [];
  return rest !== undefined && !/^\d+($|[/?#\\])/.test(rest);
}

/** A single label is a name of some inner network, or a typing error. */
function isDomain(hostname: string): boolean {
  return hostname === 'localhost' || hostname.startsWith('[') || /[^.]\.[^.]/.test(hostname);
}

/** What can't be seen, or turns the text around it, is shown as an escape: it may be what is wrong. */
function quote(text: string): string {
  const start = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  const visible = start.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `“${visible}”`;
}

function tooLong(): DomainError {
  return invalid(`url is longer than ${maxLength} characters. Scan a shorter address of the page.`);
}

function invalid(detail: string): DomainError {
  return new DomainError('invalid-url', detail);
}
