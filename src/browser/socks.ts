import { once } from 'node:events';
import type { Socket } from 'node:net';
import { IPv4, IPv6 } from 'ipaddr.js';
import type { EgressTarget } from './address-policy.ts';

const version = 5;
const noAuthentication = 0;
const connectCommand = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** RFC 1928, section 6: a refusal says no more than that the connection can't be had. */
const replies = { succeeded: 0, failed: 1 } as const;

/** Reads what a SOCKS5 client asks for (RFC 1928). Throws when it speaks anything else, or hangs up. */
export async function readSocksRequest(client: Socket): Promise<EgressTarget> {
  const reader = new ByteReader(client);
  const [greeting, methodCount = 0] = await reader.read(2);
  await reader.read(methodCount);
  client.write(Uint8Array.of(version, noAuthentication));
  const [spoken, command, , addressType] = await reader.read(4);
  if (greeting !== version || spoken !== version || command !== connectCommand) {
    throw new Error('not a SOCKS5 connect request');
  }
  const host = await readHost(reader, addressType);
  const port = (await reader.read(2)).readUInt16BE();
  reader.release();
  return { host, port };
}

/** Tells the client how it went; after a success the connection is the target's. */
export function replyToSocks(client: Socket, outcome: keyof typeof replies): void {
  // The address bound on our side is of no use to a browser.
  client.write(Uint8Array.of(version, replies[outcome], 0, addressTypes.ipv4, 0, 0, 0, 0, 0, 0));
}

async function readHost(reader: ByteReader, addressType: number | undefined): Promise<string> {
  switch (addressType) {
    case addressTypes.ipv4:
      return new IPv4([...(await reader.read(4))]).toString();
    case addressTypes.ipv6:
      return new IPv6([...(await reader.read(16))]).toString();
    case addressTypes.name: {
      const [length = 0] = await reader.read(1);
      return (await reader.read(length)).toString('latin1');
    }
    default:
      throw new Error('not an address type of SOCKS5');
  }
}

/** Takes a socket's bytes in portions, whatever pieces they come in. */
class ByteReader {
  readonly #socket: Socket;
  readonly #ended: Promise<unknown>;
  #buffer = Buffer.alloc(0);
  #wake = (): void => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#ended = once(socket, 'close').catch(() => {});
    socket.on('data', this.#take);
  }

  /** Throws when the client hangs up before. */
  async read(count: number): Promise<Buffer> {
    while (this.#buffer.length < count) {
      if (this.#socket.destroyed || this.#socket.readableEnded) throw new Error('hung up');
      const { promise: more, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await Promise.race([more, this.#ended]);
    }
    const bytes = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return bytes;
  }

  /** Leaves the rest to whoever reads the socket next. */
  release(): void {
    this.#socket.off('data', this.#take);
    this.#socket.pause();
    if (this.#buffer.length > 0) this.#socket.unshift(this.#buffer);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    this.#wake();
  };
}
