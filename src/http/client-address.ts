import ipaddr from 'ipaddr.js';
import { type Address, isInNetwork, type Network, parseAddress } from '../network.ts';

/*
 * Whom a request is counted against. A client can write any forwarding header it likes, so a header is
 * read from its end, where the nearest proxy wrote, and an address in it is believed only because a
 * trusted proxy reported it. What cannot be read is counted against the proxy that reported it, so that
 * garbage opens no partition of its own. The many headers of a single address (X-Real-IP and its like)
 * are not read: proxies that do not set them pass on what the client wrote.
 */

interface Connection {
  /** The other end of the socket; undefined when the server does not know it. */
  readonly peerAddress: string | undefined;
  readonly headers: Headers;
  readonly trustedProxies: readonly Network[];
}

/**
 * The client as one string to compare: an IPv4 address, or the /64 of an IPv6 address, since a
 * subscriber has at least that many. Clients without a known peer are all `unknown`.
 */
export function clientAddress({ peerAddress, headers, trustedProxies }: Connection): string {
  const peer = parseAddress(peerAddress ?? '');
  if (peer === null) return 'unknown';
  const isTrusted = (address: Address): boolean =>
    trustedProxies.some((network) => isInNetwork(address, network));
  if (!isTrusted(peer)) return printClient(peer);

  const reports = [
    splitElements(headers.get('x-forwarded-for') ?? ''),
    splitElements(headers.get('forwarded') ?? '').map(readForParameter),
  ].filter((nodes) => nodes.length > 0);
  const clients = new Set(
    reports.map((nodes) => printClient(followReports(peer, nodes, isTrusted))),
  );
  // A proxy sets one of the two headers and passes on the other, which is then the client's own.
  const [client = printClient(peer)] = clients.size === 1 ? clients : [];
  return client;
}

/** The first address that is no trusted proxy, or the last one that could be read on the way to it. */
function followReports(
  peer: Address,
  nodes: readonly string[],
  isTrusted: (address: Address) => boolean,
): Address {
  let client = peer;
  for (const node of nodes) {
    const address = parseNode(node);
    if (address === null) return client;
    client = address;
    if (!isTrusted(address)) return client;
  }
  return client;
}

/**
 * The elements of a list field, the last one first; none when it is blank.
 *
 * Quotes are paired from the end, so that one which the client left open hides nothing a proxy appended.
 */
function splitElements(field: string): string[] {
  if (field.trim() === '') return [];
  const elements: string[] = [];
  let end = field.length;
  let isQuoted = false;
  for (let index = field.length - 1; index >= 0; index--) {
    if (field[index] === '"' && field[index - 1] !== '\\') isQuoted = !isQuoted;
    if (field[index] === ',' && !isQuoted) {
      elements.push(field.slice(index + 1, end).trim());
      end = index;
    }
  }
  return [...elements, field.slice(0, end).trim()];
}

/** The node of a Forwarded element (RFC 7239, section 4); empty when the element has none or is malformed. */
function readForParameter(element: string): string {
  // Unquoted colons and brackets break the grammar, yet proxies write them.
  const pairs = element.matchAll(
    /\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))\s*(?:;[\s;]*|$)/gy,
  );
  const forNodes: string[] = [];
  let readTo = 0;
  for (const [pair, name = '', quoted, token = ''] of pairs) {
    readTo += pair.length;
    if (name.toLowerCase() === 'for') forNodes.push(quoted?.replaceAll(/\\(.)/g, '$1') ?? token);
  }
  const [node = '', ...others] = forNodes;
  return readTo === element.length && others.length === 0 ? node : '';
}

/** An address with or without a port; null for `unknown`, for `_hidden` identifiers and for garbage. */
function parseNode(text: string): Address | null {
  const [, bracketed, dotted] =
    /^(?:\[([\da-f]*:[^\]]*)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/i.exec(text) ?? [];
  return parseAddress(bracketed ?? dotted ?? text);
}

function printClient(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
