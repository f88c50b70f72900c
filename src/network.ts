import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Of IPv4, or of IPv6 and not IPv4-mapped. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses: one of them, and how many leading bits they share. */
export type Network = readonly [address: Address, bits: number];

/** Null for a text that is no IP address. A zone is passed over; an IPv4-mapped address is IPv4. */
export function parseAddress(text: string): Address | null {
  // On its own, ipaddr.js reads `1`, `0x7f.1` and `010.0.0.1` as IPv4, and few of the zones that exist.
  return isIP(text) === 0 ? null : ipaddr.process(text.replace(/%.*$/, ''));
}

/** Reads `10.0.0.0/8`; null when it is no such thing. A block of IPv4-mapped addresses is IPv4. */
export function parseNetwork(text: string): Network | null {
  if (!ipaddr.isValidCIDR(text)) return null;
  const [address, bits] = ipaddr.parseCIDR(text);
  return bits >= 96 && address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? [address.toIPv4Address(), bits - 96]
    : [address, bits];
}

export function isInNetwork(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
