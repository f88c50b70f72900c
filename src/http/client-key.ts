import type { Server } from 'bun';
import type { Network } from '../network.ts';
import { derivePartitionKey } from '../rate-limit/partition-key.ts';
import { clientAddress } from './client-address.ts';

/** Tells clients apart, without their addresses. */
export type ClientKey = (request: Request, server: Server<unknown> | null) => string;

/** A request keeps the key that it had first: once its connection is closed, its address is gone. */
export function createClientKey({
  trustedProxies,
  partitionSecret,
}: {
  trustedProxies: readonly Network[];
  partitionSecret: Uint8Array;
}): ClientKey {
  const keys = new WeakMap<Request, string>();
  return (request, server) => {
    const known = keys.get(request);
    if (known !== undefined) return known;
    const client = clientAddress({
      peerAddress: server?.requestIP(request)?.address,
      headers: request.headers,
      trustedProxies,
    });
    const key = derivePartitionKey(partitionSecret, client);
    keys.set(request, key);
    return key;
  };
}
