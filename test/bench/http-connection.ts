// One HTTP/1.1 connection with as little work as possible: it writes prepared bytes and reads the status and
// the length of the response. It supports responses with a Content-Length only, which is what the measured
// servers send. Called by http-load-child.ts.

import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Received {
  readonly status: number;
  /** The complete response with its head. */
  readonly text: () => string;
}

/** All connections read into the same memory, one after the other. */
const READ_INTO = Buffer.allocUnsafeSlow(256 * 1024);
const HEAD_END = "\r\n\r\n";
/** Offset of the status in `HTTP/1.1 200 OK`. */
const STATUS_AT = 9;

export class HttpConnection {
  readonly #socket: Socket;
  /** The part of the response that has arrived, a character for each byte. */
  #held = "";
  /** Length of the complete response; 0 while its head is incomplete. */
  #wanted = 0;
  #waiting: { resolve: (received: Received) => void; reject: (error: Error) => void } | undefined;

  private constructor(host: string, port: number) {
    const callback = (bytes: number): boolean => {
      this.#take(READ_INTO.toString("latin1", 0, bytes));
      return true;
    };
    const onread = { buffer: READ_INTO, callback };
    this.#socket = connect({ host, port, noDelay: true, onread });
    this.#socket.on("error", (error) => this.#waiting?.reject(error));
    this.#socket.on("close", () =>
      this.#waiting?.reject(new Error("the server closed the connection")),
    );
  }

  static async open(host: string, port: number): Promise<HttpConnection> {
    const connection = new HttpConnection(host, port);
    await once(connection.#socket, "connect");
    return connection;
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

  #take(piece: string): void {
    const held = this.#held + piece;
    this.#held = held;
    if (this.#wanted === 0) {
      const headEnd = held.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const length = /content-length: *(\d+)/i.exec(held.slice(0, headEnd))?.[1] ?? "0";
      this.#wanted = headEnd + HEAD_END.length + Number(length);
    }
    if (held.length < this.#wanted) return;
    this.#held = "";
    this.#wanted = 0;
    const status = Number(held.slice(STATUS_AT, STATUS_AT + 3));
    this.#waiting?.resolve({ status, text: () => Buffer.from(held, "latin1").toString() });
  }
}
