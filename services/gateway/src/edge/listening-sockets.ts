// Several sockets that listen on the port of one server. Called by serve.ts. In each turn of the event loop
// Node.js accepts one connection of each. Of 256 clients that connect while turns take 20 ms, the last one is
// accepted after 0.5 s, and after 5.9 s with one socket. It must never share the port with another process.

import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

/** The server's own included. Only Linux spreads connections over sockets that share a port. */
const SOCKETS = process.platform === "linux" ? 16 : 1;

/** Connections that the kernel queues until they are accepted; Node's 511 are too few for a burst. */
const BACKLOG = 4_096;

interface Place {
  readonly host: string;
  readonly port: number;
}

export class ListeningSockets {
  readonly #server: HttpServer;
  /** Listeners in addition to the server's own. */
  #others: readonly Server[] = [];
  #ended: readonly Promise<unknown>[] = [];

  constructor(server: HttpServer) {
    this.#server = server;
  }

  /** `listen` lets the server itself listen, with the given options. Rejects if the port is taken. */
  async open(
    { host, port }: Place,
    listen: (options: Place & { backlog: number; reusePort: boolean }) => Promise<unknown>,
  ): Promise<void> {
    const shared = { backlog: BACKLOG, reusePort: SOCKETS > 1 };
    if (shared.reusePort) await checkPort({ host, port });
    await listen({ host, port, ...shared });
    const bound = this.#server.address() as AddressInfo;
    // The server's own connections have the same options.
    const options = { allowHalfOpen: true, noDelay: true };
    const give = (socket: unknown): void => void this.#server.emit("connection", socket);
    this.#others = Array.from({ length: SOCKETS - 1 }, () => createServer(options, give));
    await Promise.all(
      this.#others.map((one) => {
        one.listen({ host: bound.address, port: bound.port, ...shared });
        return once(one, "listening");
      }),
    );
  }

  /** Those that were accepted and are open. */
  async connections(): Promise<number> {
    const counts = await Promise.all([this.#server, ...this.#others].map(connectionsOf));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Stops accepting on all sockets but the server's own. */
  stop(): void {
    this.#ended = this.#others.map((one) => once(one.close(), "close"));
  }

  /** Resolves when every connection that another socket than the server's accepted has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#ended);
  }
}

/** Sockets that may share a port would share that of another process too. */
async function checkPort(at: Place): Promise<void> {
  const one = createServer();
  one.listen({ ...at, exclusive: true });
  await once(one, "listening");
  await once(one.close(), "close");
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });
}
