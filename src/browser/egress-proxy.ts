import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { ScanFailedError, type ScanFailureCode } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Address } from '../network.ts';
import { type AddressPolicy, type EgressTarget, targetOf } from './address-policy.ts';
import { EgressError, ForbiddenError, type ResolveHost, resolveTarget } from './resolve-target.ts';
import { readSocksRequest, replyToSocks } from './socks.ts';
import { isTimeout, within } from './time-limit.ts';

/*
 * The only way out for a scan's pages: a SOCKS5 proxy on loopback, one for each scan.
 *
 * A name is resolved once, judged by all its addresses, and connected to at an address that was
 * judged; so redirects, subresources, frames, workers, sockets and names that change their address
 * all fall under one rule. SOCKS and not HTTP, because it treats every kind of connection alike,
 * leaves what is said in it untouched, and refuses by a connection that fails: an HTTP proxy has to
 * answer plain http itself, which would look like an answer of the site.
 */

interface EgressOptions {
  readonly addressPolicy: AddressPolicy;
  readonly resolveHost: ResolveHost;
  readonly log: Log;
  readonly limits?: Partial<EgressLimits> | undefined;
}

/** Far above what pages for people need. */
export interface EgressLimits {
  /** Both ways together. */
  readonly bytes: number;
  /** Open at once. Chromium keeps 32 for http, and WebSockets besides. */
  readonly connections: number;
  /** Hosts and ports, over all the time: each costs a lookup. */
  readonly targets: number;
}

const defaultLimits: EgressLimits = { bytes: 200_000_000, connections: 128, targets: 500 };
const connectTimeoutMs = 10_000;
/** As long as there is another address: the one of IPv6 often leads nowhere. */
const attemptTimeoutMs = 2_000;
/** So that a page can't fill the log. */
const maxLogLines = 20;

/** Closing it cuts every connection. */
export class EgressProxy implements AsyncDisposable {
  /** Rejects with `ScanFailedError` when a limit is passed; every connection is cut then. */
  readonly exceeded: Promise<never>;
  readonly #options: EgressOptions;
  readonly #limits: EgressLimits;
  readonly #server: Server;
  readonly #exceed: (error: ScanFailedError) => void;
  readonly #sockets = new Set<Socket>();
  readonly #addresses = new Map<string, Promise<readonly Address[]>>();
  readonly #failures = new Map<string, ScanFailureCode>();
  #bytes = 0;

  private constructor(options: EgressOptions) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.exceeded = promise;
    this.#exceed = reject;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#server = createServer((client) => void this.#serve(client));
  }

  static async start(options: EgressOptions): Promise<EgressProxy> {
    const proxy = new EgressProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** As Chromium wants to be told of a proxy. */
  get url(): string {
    return `socks5://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Why the last connection for the URL could not be had; undefined when it could. */
  failureOf(url: URL): ScanFailureCode | undefined {
    return this.#failures.get(keyOf(targetOf(url)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#cut();
  }

  async #serve(client: Socket): Promise<void> {
    this.#keep(client);
    // One for the browser, one for the site.
    if (this.#sockets.size > 2 * this.#limits.connections) return this.#stop(tooManyConnections);
    try {
      const target = await readSocksRequest(client);
      const upstream = await this.#connect(target).catch((error: unknown) => {
        this.#report(target, error);
        replyToSocks(client, 'failed');
        throw error;
      });
      replyToSocks(client, 'succeeded');
      this.#relay(client, upstream);
    } catch {
      client.end();
    }
  }

  async #connect(target: EgressTarget): Promise<Socket> {
    const key = keyOf(target);
    const { addressPolicy, resolveHost } = this.#options;
    let addresses = this.#addresses.get(key);
    if (addresses === undefined) {
      if (this.#addresses.size >= this.#limits.targets) {
        this.#stop(tooManyTargets);
        throw tooManyTargets;
      }
      addresses = resolveTarget(target, addressPolicy, resolveHost);
      this.#addresses.set(key, addresses);
    }
    let failure: unknown;
    const candidates = await addresses;
    for (const [index, address] of candidates.entries()) {
      const timeoutMs = index < candidates.length - 1 ? attemptTimeoutMs : connectTimeoutMs;
      try {
        const upstream = await this.#dial(address, target.port, timeoutMs);
        this.#failures.delete(key);
        return upstream;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #dial(address: Address, port: number, timeoutMs: number): Promise<Socket> {
    const upstream = this.#keep(connect({ host: address.toString(), port }));
    try {
      await within(timeoutMs, once(upstream, 'connect'));
      return upstream;
    } catch (cause) {
      upstream.destroy();
      throw new EgressError(codeOf(cause), 'no connection', { cause });
    }
  }

  #relay(client: Socket, upstream: Socket): void {
    const count = (chunk: Buffer): void => {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#limits.bytes) this.#stop(tooLarge);
    };
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', count);
      // Ends the one when the other ends, and destroys it when that breaks off.
      pipeline(from, to, () => {});
    }
  }

  /** Forgets the socket when it has closed; its errors are for those who use it. */
  #keep(socket: Socket): Socket {
    // A lookup may take longer than the scan.
    if (!this.#server.listening) socket.destroy();
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #report(target: EgressTarget, error: unknown): void {
    const { log } = this.#options;
    const key = keyOf(target);
    const code = error instanceof EgressError ? error.code : 'navigation-failed';
    if (!this.#failures.has(key) && this.#failures.size < maxLogLines) {
      // Only what was forbidden is of interest to the operator, and told to nobody else.
      log[error instanceof ForbiddenError ? 'info' : 'debug']('no way out', { target: key, error });
    }
    this.#failures.set(key, code);
  }

  #stop(error: ScanFailedError): void {
    this.#exceed(error);
    this.#server.close();
    this.#cut();
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function keyOf({ host, port }: EgressTarget): string {
  return `${host}:${port}`;
}

function codeOf(error: unknown): ScanFailureCode {
  if (isTimeout(error)) return 'connection-timed-out';
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'ECONNREFUSED':
      return 'connection-refused';
    case 'ETIMEDOUT':
      return 'connection-timed-out';
    case 'ECONNRESET':
      return 'connection-reset';
    default:
      return 'address-unreachable';
  }
}

const tooLarge = new ScanFailedError(
  'page-too-large',
  `The page loads more than ${defaultLimits.bytes / 1_000_000} MB, so it was not scanned. Look for a download or a stream that starts by itself.`,
);
const tooManyConnections = new ScanFailedError(
  'too-many-connections',
  `The page holds more than ${defaultLimits.connections} connections open at once, so it was not scanned. Look for a script that opens sockets without end.`,
);
const tooManyTargets = new ScanFailedError(
  'too-many-connections',
  `The page connects to more than ${defaultLimits.targets} hosts, so it was not scanned. Look for a script that makes up host names.`,
);
