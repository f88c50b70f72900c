import { type LogLevel, logLevels } from './log.ts';
import { type Network, parseAddress, parseNetwork } from './network.ts';

/*
 * What the values of the environment mean. Each function throws an error whose message says what to
 * write instead.
 */

export function readHost(text: string): string {
  if (text === 'localhost' || parseAddress(text) !== null) return text;
  throw new Error(`“${text}” is not an address. Write one of this machine, such as 127.0.0.1.`);
}

export function readNetworks(text: string): readonly Network[] {
  return readList(
    text,
    parseNetwork,
    'is not a network',
    'Write CIDRs such as 10.0.0.0/8, separated by commas.',
  );
}

/** In the spelling of a URL, which is what they are compared with. */
export function readHosts(text: string): readonly string[] {
  return readList(
    text,
    parseHostAndPort,
    'is not a host and a port',
    'Write pairs such as localhost:3000.',
  );
}

export function readPorts(text: string): readonly number[] {
  return readList(
    text,
    parsePort,
    'is not a port',
    'Write numbers such as 443, separated by commas.',
  );
}

function parseHostAndPort(text: string): string | null {
  const [, port = ''] = /:(\d+)$/.exec(text) ?? [];
  const url = URL.parse(`http://${text}`);
  const isPair = url?.href === `http://${url?.host}/` && !url.host.includes('*');
  return isPair && parsePort(port) !== null ? `${url.hostname}:${port}` : null;
}

function parsePort(text: string): number | null {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) < 65_536 ? Number(text) : null;
}

/** Throws an error that names every entry which `parse` can't read. */
function readList<T>(
  text: string,
  parse: (entry: string) => T | null,
  fault: string,
  advice: string,
): readonly T[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const faulty = entries.filter((entry) => parse(entry) === null);
  if (faulty.length > 0) {
    throw new Error(`${faulty.map((entry) => `“${entry}” ${fault}. `).join('')}${advice}`);
  }
  return entries.map(parse).filter((value) => value !== null);
}

/** Null when unset. */
export function readPublicUrl(text: string): string | null {
  if (text === '') return null;
  const url = URL.parse(text);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    [url.username, url.password, url.search, url.hash].some((part) => part !== '') ||
    url.pathname !== '/'
  ) {
    throw new Error(
      `“${text}” is not an http or https URL without user, path and query, such as https://scan.example.com.`,
    );
  }
  return url.origin;
}

export function readLogLevel(text: string): LogLevel {
  const level = logLevels.find((it) => it === text);
  if (level !== undefined) return level;
  throw new Error(`“${text}” is no level. Write one of ${logLevels.join(', ')}.`);
}
