// A subscriber's server for tests: HTTPS with a certificate of the test's own authority. It keeps
// every request that comes and answers as the test says.

import type { CertificateAuthority } from "@annals/certificates";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { eventually } from "./eventually.ts";
import { asJson } from "./http-client.ts";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
  readonly json: any;
  /** On the monotonic clock, in milliseconds: when the request was there. */
  readonly at: number;
}

/** Answers one request; `count` is how many came before it. */
export type Answering = (
  response: ServerResponse,
  received: Received,
  count: number,
) => void | Promise<void>;

const OK: Answering = (response) => void response.writeHead(204).end();

export class Subscriber {
  readonly received: Received[] = [];
  /** Connections that were ever made. */
  connections = 0;
  /** What the next requests get; by default 204. */
  answer: Answering = OK;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      this.connections += 1;
      this.#open.add(socket);
      socket.once("close", () => {
        this.#open.delete(socket);
      });
    });
    server.on("request", (request, response) => void this.#take(request, response));
    server.on("tlsClientError", () => {});
  }

  /** Listens on a free port of the loopback interface. */
  static async start(
    authority: CertificateAuthority,
    ...hosts: readonly string[]
  ): Promise<Subscriber> {
    const names = hosts.length === 0 ? ["127.0.0.1", "localhost"] : hosts;
    const subscriber = new Subscriber(createServer(await authority.issue(names)));
    await new Promise<void>((resolve) => {
      subscriber.#server.listen(0, "127.0.0.1", resolve);
    });
    return subscriber;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `https://127.0.0.1:<port>/<path>` */
  url(path = "hook"): string {
    return `https://127.0.0.1:${this.port}/${path}`;
  }

  get openConnections(): number {
    return this.#open.size;
  }

  /** Resolves when `count` requests have come. */
  async waitFor(count: number, timeoutMs?: number): Promise<Received[]> {
    await eventually(
      `${count} requests at the subscriber`,
      () => this.received.length >= count,
      timeoutMs,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; there were ${this.received.length}`, { cause: error });
    });
    return this.received;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    response.on("error", () => {});
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const received: Received = {
      path: request.url ?? "",
      headers: request.headers,
      body,
      json: asJson(body.toString("utf8")),
      at: performance.now(),
    };
    const count = this.received.push(received) - 1;
    await this.answer(response, received, count);
  }
}
