// One HTTP/1.1 connection that does as little as a load generator can: writes bytes that were made
// before, reads the status and the length of the answer. It understands answers with a
// Content-Length, which is all that the measured servers send.

import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Received {
  readonly status: number;
  /** The whole answer, for an error message. */
  readonly text: () => string;
}

const HEAD_END = Buffer.from("\r\n\r\n");
/** Where the status stands in `HTTP/1.1 200 OK`. */
const STATUS_AT = 9;

export class HttpConnection {
  readonly #socket: Socket;
  #held: Buffer | undefined;
  /** Length of the whole answer; 0 while its head is not whole. */
  #wanted = 0;
  #waiting: { resolve: (received: Received) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => this.#waiting?.reject(new Error("the server closed the connection")));
  }

  static async open(host: string, port: number): Promise<HttpConnection> {
    const socket = connect({ host, port, noDelay: true });
    await once(socket, "connect");
    return new HttpConnection(socket);
  }

  exchange(request: Buffer): Promise<Received> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const held = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = held;
    if (this.#wanted === 0) {
      const headEnd = held.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = held.toString("latin1", 0, headEnd);
      const length = /content-length: *(\d+)/i.exec(head)?.[1] ?? "0";
      this.#wanted = headEnd + HEAD_END.length + Number(length);
    }
    if (held.length < this.#wanted) return;
    this.#held = undefined;
    this.#wanted = 0;
    const status = Number(held.toString("latin1", STATUS_AT, STATUS_AT + 3));
    this.#waiting?.resolve({ status, text: () => held.toString() });
  }
}
