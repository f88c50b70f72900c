import ipaddr from 'ipaddr.js';
import { type Address, isInNetwork, type Network, parseAddress } from '../network.ts';

/** Where a connection is to go, as the browser names it. */
export interface EgressTarget {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What the operator has opened; everything else is closed but the public internet's usual ports. */
export interface EgressRules {
  /** May be reached on any port. */
  readonly allowNetworks: readonly Network[];
  /** `host:port` as in a URL, an IPv6 address in brackets: may be reached whatever it resolves to. */
  readonly allowHosts: readonly string[];
  /** On which a public address may be reached. */
  readonly allowPorts: readonly number[];
}

/** Which addresses the browser may be connected to. */
export interface AddressPolicy {
  /** Whether a connection that was asked for by this host and port may go to the address. */
  allows(target: EgressTarget, address: Address): boolean;
  /**
   * A sentence that says why a URL can't be scanned whatever its name resolves to, or null. It tells
   * of the rules, not of what is there.
   */
  refusalOf(url: URL): string | null;
}

/** Azure's host agent answers on a public address: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
const publicButInternal: readonly Network[] = [ipaddr.parseCIDR('168.63.129.16/32')];

/** AS112 is run by many but open to all: "globally reachable" in IANA's registry of special addresses. */
const publicRanges: ReadonlySet<string> = new Set(['unicast', 'as112', 'as112v6']);

/** RFC 4291: the only block of global unicast addresses that has been handed out. */
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');

export function createAddressPolicy({
  allowNetworks,
  allowHosts,
  allowPorts,
}: EgressRules): AddressPolicy {
  const openHosts = new Set(allowHosts);
  const isOpenHost = ({ host, port }: EgressTarget): boolean =>
    openHosts.has(`${host.includes(':') ? `[${host}]` : host}:${port}`);
  const isOpenAddress = (address: Address): boolean =>
    allowNetworks.some((network) => isInNetwork(address, network));
  return {
    allows: (target, address) =>
      isOpenHost(target) ||
      isOpenAddress(address) ||
      (isPublic(address) && allowPorts.includes(target.port)),
    refusalOf(url) {
      const target = targetOf(url);
      if (isOpenHost(target)) return null;
      const literal = parseAddress(target.host);
      if (literal === null) {
        // Its addresses may lie in a network that is open on all ports.
        if (allowNetworks.length > 0 || allowPorts.includes(target.port)) return null;
      } else {
        if (isOpenAddress(literal)) return null;
        if (!isPublic(literal)) {
          return `${target.host} is not a public address. This service scans pages that are open to the internet.`;
        }
        if (allowPorts.includes(target.port)) return null;
      }
      return `Port ${target.port} is not one that is scanned. This service scans pages on the ports ${allowPorts.join(', ')}.`;
    },
  };
}

/** The host and port that a connection for the URL is made to. */
export function targetOf({ hostname, port, protocol }: URL): EgressTarget {
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
  };
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

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
