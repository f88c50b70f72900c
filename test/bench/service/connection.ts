import type { Socket } from 'bun';

/**
 * A kept-alive HTTP connection that does next to nothing with what it receives, so that the client
 * takes less of the machine than the server. Answers must have a Content-Length, and no more than one
 * request may be under way.
 */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #answer = Promise.withResolvers<number>();

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(port: number): Promise<Connection> {
    const opened = Promise.withResolvers<Connection>();
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: async (_, chunk) => (await opened.promise).#receive(chunk.toString('latin1')),
        close: async () => (await opened.promise).#answer.reject(new Error('connection closed')),
      },
    });
    opened.resolve(new Connection(socket));
    return opened.promise;
  }

  /** Resolves with the status, once the whole answer is there. */
  send(request: string): Promise<number> {
    this.#answer = Promise.withResolvers<number>();
    this.#socket.write(request);
    return this.#answer.promise;
  }

  close(): void {
    this.#answer.resolve(0);
    this.#socket.end();
  }

  #receive(chunk: string): void {
    this.#received += chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1];
    if (length === undefined) throw new Error(this.#received);
    if (this.#received.length < headEnd + 4 + Number(length)) return;
    const status = Number(this.#received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.#received = '';
    this.#answer.resolve(status);
  }
}
