import { type Network, parseNetwork } from '../../src/network.ts';

/** Networks in CIDR notation. */
export function networksFrom(texts: readonly string[]): Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text);
    if (network === null) throw new Error(`${text} is not a network`);
    return network;
  });
}
