import type { EgressRules } from '../../src/browser/address-policy.ts';
import { type Network, parseNetwork } from '../../src/network.ts';

/** Networks in CIDR notation. */
export function networksFrom(texts: readonly string[]): Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text);
    if (network === null) throw new Error(`${text} is not a network`);
    return network;
  });
}

/** The usual ports of public addresses, and these networks. */
export function rulesWith(networks: readonly string[]): EgressRules {
  return {
    allowNetworks: networksFrom(networks),
    allowHosts: [],
    allowPorts: [80, 443, 8080, 8443],
  };
}
