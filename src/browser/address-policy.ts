import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { ScanFailedError } from '../errors.ts';
import { type Address, isInNetwork, type Network, parseAddress } from '../network.ts';

/** Which addresses the browser may be sent to. */
export interface AddressPolicy {
  /** False for a text that is no IP address. */
  allows(address: string): boolean;
  /**
   * Resolves the host as Chromium will and throws `address-unreachable` unless every address is
   * allowed: one forbidden answer among good ones is how rebinding starts.
   * The error never says which address, so that the API can't be used to map a network.
   */
  assertReachable(url: URL): Promise<void>;
}

/** Azure's host agent answers on a public address: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
const publicButInternal: readonly Network[] = [ipaddr.parseCIDR('168.63.129.16/32')];

/** AS112 is run by many but open to all: "globally reachable" in IANA's registry of special addresses. */
const publicRanges: ReadonlySet<string> = new Set(['unicast', 'as112', 'as112v6']);

/** RFC 4291: the only block of global unicast addresses that has been handed out. */
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Allows public addresses, and whatever lies in `allowNetworks`. */
export function createAddressPolicy(allowNetworks: readonly Network[]): AddressPolicy {
  const allows = (text: string): boolean => {
    const address = parseAddress(text);
    if (address === null) return false;
    return isPublic(address) || allowNetworks.some((network) => isInNetwork(address, network));
  };
  return {
    allows,
    async assertReachable(url) {
      const literal = addressLiteral(url);
      const addresses = literal === null ? await resolveHost(url.hostname) : [literal];
      if (addresses.every(allows)) return;
      throw new ScanFailedError(
        'address-unreachable',
        `${url.hostname} could not be reached. Check that the address is public and that the site is up.`,
      );
    },
  };
}

/** The host of a URL without the brackets of an IPv6 literal, or null when it is a name. */
export function addressLiteral(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return parseAddress(host) === null ? null : host;
}

async function resolveHost(hostname: string): Promise<string[]> {
  // Chromium maps these to loopback by itself, whatever the resolver says (RFC 6761, section 6.3).
  if (/(^|\.)localhost\.?$/i.test(hostname)) return ['127.0.0.1', '::1'];
  try {
    const answers = await lookup(hostname, { all: true, verbatim: true });
    if (answers.length > 0) return answers.map(({ address }) => address);
  } catch (cause) {
    throw dnsNotFound(hostname, { cause });
  }
  throw dnsNotFound(hostname);
}

function dnsNotFound(hostname: string, options?: ErrorOptions): ScanFailedError {
  return new ScanFailedError(
    'dns-not-found',
    `The name ${hostname} does not resolve. Check its spelling and its DNS records.`,
    options,
  );
}

function isPublic(address: Address): boolean {
  // Tunnelled and embedded forms (6to4, Teredo, NAT64, …) have ranges of their own, so none is `unicast`.
  if (!publicRanges.has(address.range())) return false;
  if (publicButInternal.some((network) => isInNetwork(address, network))) return false;
  if (address instanceof ipaddr.IPv4) return true;
  const inner = isatapTarget(address);
  return isInNetwork(address, globalUnicastV6) && (inner === null || isPublic(inner));
}

/** The IPv4 host that an ISATAP address is tunnelled to (RFC 5214, section 6.1): it has no range of its own. */
function isatapTarget(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const [, , , , universal = 0, marker] = address.parts;
  const isIsatap = (universal === 0 || universal === 0x200) && marker === 0x5efe;
  return isIsatap ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : null;
}
