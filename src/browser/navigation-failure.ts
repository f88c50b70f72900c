import { ScanFailedError, type ScanFailureCode } from '../errors.ts';
import { cut } from './cut.ts';

/** Chromium's network errors (net/base/net_error_list.h) that a user can act on, most specific first. */
const causes: readonly (readonly [pattern: RegExp, code: ScanFailureCode, advice: string])[] = [
  [
    /ERR_NAME_NOT_RESOLVED|ERR_DNS_|ERR_NAME_RESOLUTION_FAILED|ERR_ICANN_NAME_COLLISION/,
    'dns-not-found',
    'its name does not resolve. Check its spelling and its DNS records',
  ],
  [
    /ERR_CONNECTION_REFUSED/,
    'connection-refused',
    'it refused the connection. Check that the server is running and which port it listens on',
  ],
  [
    /ERR_CERT_|ERR_SSL_|ERR_BAD_SSL_|ERR_ECH_|ERR_TLS/,
    'tls-failed',
    'a secure connection could not be made. Check its certificate and TLS settings',
  ],
  [
    /ERR_TIMED_OUT|ERR_CONNECTION_TIMED_OUT|Navigation timeout/,
    'connection-timed-out',
    'it did not answer in time. Check that the server is up and open to the internet',
  ],
  [
    /ERR_CONNECTION_(RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE|ERR_HTTP2_|ERR_QUIC_|ERR_INVALID_HTTP_RESPONSE|ERR_INCOMPLETE_|ERR_CONTENT_LENGTH_MISMATCH|ERR_RESPONSE_HEADERS|ERR_CONTENT_DECODING|ERR_INVALID_CHUNKED/,
    'connection-reset',
    'it broke off the connection or answered with broken HTTP. Check the server and what stands before it',
  ],
  [
    /ERR_ADDRESS_UNREACHABLE|ERR_CONNECTION_FAILED|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_|ERR_PROXY_|ERR_TUNNEL_|ERR_ADDRESS_INVALID/,
    'address-unreachable',
    'it could not be reached. Check that the address is public and that the site is up',
  ],
  [/ERR_TOO_MANY_REDIRECTS/, 'too-many-redirects', 'it redirects in a circle. Check its redirects'],
];

/** The codes after which another scheme on the same host may still answer. */
const unreachableCodes: ReadonlySet<string> = new Set<ScanFailureCode>([
  'connection-refused',
  'connection-reset',
  'connection-timed-out',
  'address-unreachable',
  'tls-failed',
]);

/** Turns what Chromium or puppeteer says of a failed navigation into an error for the caller. */
export function navigationFailure(
  errorText: string,
  url: string,
  cause?: unknown,
): ScanFailedError {
  const net = /ERR_[A-Z0-9_]+/.exec(errorText)?.[0];
  const [, code, advice] = causes.find(([pattern]) => pattern.test(errorText)) ?? [
    undefined,
    'navigation-failed' as const,
    'the browser could not load it. Open it in Chrome to see why',
  ];
  const reason = net === undefined ? '' : ` (${net})`;
  return new ScanFailedError(code, `${cut(url)} could not be loaded: ${advice}${reason}.`, {
    cause,
  });
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ScanFailedError && unreachableCodes.has(error.code);
}
