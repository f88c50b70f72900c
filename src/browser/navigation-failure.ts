import { ScanFailedError, type ScanFailureCode } from '../errors.ts';
import { cut } from './cut.ts';
import type { EgressProxy } from './egress-proxy.ts';

/** Chromium's network errors (net/base/net_error_list.h) that a user can act on, most specific first. */
const patterns: readonly (readonly [pattern: RegExp, code: ScanFailureCode])[] = [
  [
    /ERR_NAME_NOT_RESOLVED|ERR_DNS_|ERR_NAME_RESOLUTION_FAILED|ERR_ICANN_NAME_COLLISION/,
    'dns-not-found',
  ],
  [/ERR_CONNECTION_REFUSED/, 'connection-refused'],
  [/ERR_CERT_|ERR_SSL_|ERR_BAD_SSL_|ERR_ECH_|ERR_TLS/, 'tls-failed'],
  [/ERR_TIMED_OUT|ERR_CONNECTION_TIMED_OUT|Navigation timeout/, 'connection-timed-out'],
  [
    /ERR_CONNECTION_(RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE|ERR_HTTP2_|ERR_QUIC_|ERR_INVALID_HTTP_RESPONSE|ERR_INCOMPLETE_|ERR_CONTENT_LENGTH_MISMATCH|ERR_RESPONSE_HEADERS|ERR_CONTENT_DECODING|ERR_INVALID_CHUNKED/,
    'connection-reset',
  ],
  [
    /ERR_ADDRESS_|ERR_CONNECTION_FAILED|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_|ERR_PROXY_|ERR_SOCKS_|ERR_TUNNEL_|ERR_UNSAFE_PORT/,
    'address-unreachable',
  ],
  [/ERR_TOO_MANY_REDIRECTS/, 'too-many-redirects'],
  [/ERR_UNSAFE_REDIRECT|ERR_UNKNOWN_URL_SCHEME/, 'not-html'],
];

const advice: Partial<Record<ScanFailureCode, string>> = {
  'dns-not-found': 'its name does not resolve. Check its spelling and its DNS records',
  'connection-refused':
    'it refused the connection. Check that the server is running and which port it listens on',
  'tls-failed': 'a secure connection could not be made. Check its certificate and TLS settings',
  'connection-timed-out':
    'it did not answer in time. Check that the server is up and open to the internet',
  'connection-reset':
    'it broke off the connection or answered with broken HTTP. Check the server and what stands before it',
  'address-unreachable':
    'it could not be reached. Check that the address is public and that the site is up',
  'not-html': 'it leads to an address that is none of http or https',
  'too-many-redirects': 'it redirects too many times, most often in a circle. Check its redirects',
};

/** The codes after which another scheme on the same host may still answer. */
const unreachableCodes: ReadonlySet<string> = new Set<ScanFailureCode>([
  'connection-refused',
  'connection-reset',
  'connection-timed-out',
  'address-unreachable',
  'tls-failed',
]);

/**
 * Turns what Chromium or puppeteer says of a failed navigation into an error for the caller. Of a
 * connection that the proxy could not make, Chromium knows only that, but the proxy knows why.
 */
export function navigationFailure(
  egress: Pick<EgressProxy, 'failureOf'>,
  url: string,
  errorText: string,
  cause?: unknown,
): ScanFailedError {
  const target = URL.parse(url);
  const egressCode =
    errorText.includes('ERR_SOCKS_') && target !== null ? egress.failureOf(target) : undefined;
  const code =
    egressCode ?? patterns.find(([pattern]) => pattern.test(errorText))?.[1] ?? 'navigation-failed';
  const what = advice[code] ?? 'the browser could not load it. Open it in Chrome to see why';
  const net = /ERR_(?!SOCKS)[A-Z0-9_]+/.exec(errorText)?.[0];
  const reason = net === undefined ? '' : ` (${net})`;
  return new ScanFailedError(code, `${cut(url)} could not be loaded: ${what}${reason}.`, { cause });
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ScanFailedError && unreachableCodes.has(error.code);
}
