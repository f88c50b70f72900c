import type { ScanFailureCode } from '../errors.ts';
import { type Address, parseAddress } from '../network.ts';
import type { AddressPolicy, EgressTarget } from './address-policy.ts';
import { within } from './time-limit.ts';

/** Resolves a name to all addresses that it has; rejects when it has none. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/**
 * By the machine's own settings, but without its resolver: that would hold a thread of a small pool
 * for as long as a name server keeps it waiting, and a page has many names.
 */
export const resolveBySystem: ResolveHost = async (name) => {
  const answers = await Bun.dns.lookup(name, { backend: 'c-ares' });
  return answers.map(({ address }) => address);
};

const lookupTimeoutMs = 5_000;

/** Why a connection could not be had; the message is for the log. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly code: ScanFailureCode;

  constructor(code: ScanFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The policy says no. */
export class ForbiddenError extends EgressError {
  constructor(what: string) {
    super('address-unreachable', `${what} is not allowed`);
  }
}

/**
 * The addresses that a connection for the target may be made to, in the resolver's order.
 *
 * Throws an `EgressError`: `ForbiddenError` unless the policy allows every address of the name, because
 * one forbidden answer among good ones is how rebinding starts.
 */
export async function resolveTarget(
  target: EgressTarget,
  policy: AddressPolicy,
  resolveHost: ResolveHost,
): Promise<readonly Address[]> {
  if (isLocalName(target.host)) {
    const open = loopback.filter((address) => policy.allows(target, address));
    if (open.length > 0) return open;
    throw new ForbiddenError('the name of this machine');
  }
  const addresses = await addressesOf(target.host, resolveHost);
  for (const address of addresses) {
    if (!policy.allows(target, address))
      throw new ForbiddenError(`port ${target.port} of ${address.toString()}`);
  }
  return addresses;
}

/** RFC 6761, section 6.3: not the resolver's to answer. */
function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

const loopback = ['127.0.0.1', '::1'].map(parseAddress).filter((address) => address !== null);

async function addressesOf(host: string, resolveHost: ResolveHost): Promise<Address[]> {
  const literal = parseAddress(host);
  if (literal !== null) return [literal];
  // A resolver may guess what an empty label was to be.
  if (/^\.|\.\.|^$/.test(host)) throw new EgressError('dns-not-found', 'an empty label');
  const texts = await within(lookupTimeoutMs, resolveHost(host)).catch((cause: unknown) => {
    throw new EgressError('dns-not-found', 'it does not resolve', { cause });
  });
  if (texts.length === 0) throw new EgressError('dns-not-found', 'it has no address');
  return texts.map((text) => {
    const address = parseAddress(text);
    if (address === null) throw new ForbiddenError(`“${text}”`);
    return address;
  });
}
