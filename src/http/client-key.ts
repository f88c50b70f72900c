import type { Server } from 'bun';
import type { Network } from '../network.ts';
import { derivePartitionKey } from '../rate-limit/partition-key.ts';
import { clientAddress } from './client-address.ts';

/** Tells clients apart, without their addresses. */
export type ClientKey = (request: Request, server: Server<unknown> | null) => string;

const keptPeers = 1_000;

/** A request keeps the key that it had first: once its connection is closed, its address is gone. */
export function createClientKey({
  trustedProxies,
  partitionSecret,
}: {
  trustedProxies: readonly Network[];
  partitionSecret: Uint8Array;
}): ClientKey {
  const keys = new WeakMap<Request, string>();
  const derive = (peerAddress: string | undefined, headers: Headers): string =>
    derivePartitionKey(partitionSecret, clientAddress({ peerAddress, headers, trustedProxies }));
  const keysOfPeers = new Map<string | undefined, string>();
  /** Without proxies the key goes by the peer alone, and is the same for all its requests. */
  const recall = (peerAddress: string | undefined, headers: Headers): string => {
    const known = keysOfPeers.get(peerAddress);
    if (known !== undefined) return known;
    if (keysOfPeers.size === keptPeers) keysOfPeers.clear();
    const key = derive(peerAddress, headers);
    keysOfPeers.set(peerAddress, key);
    return key;
  };
  const keyOf = trustedProxies.length === 0 ? recall : derive;
  return (request, server) => {
    const known = keys.get(request);
    if (known !== undefined) return known;
    const key = keyOf(server?.requestIP(request)?.address, request.headers);
    keys.set(request, key);
    return key;
  };
}
