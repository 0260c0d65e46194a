// Stands between our processes and a server on this machine, for tests that look at what passes or fault it:
// it pairs each connection that comes with one of its own. What passes, and whether, is its user's to say. It
// must leave no socket behind when it is closed.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #join = (_near: Socket, _far: Socket): void => {
    throw new Error("the relay has no handler for a connection");
  };

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Leads to the server of `url`, once `onConnection` has said how. */
  static async to(url: string): Promise<Relay> {
    const { hostname, port } = new URL(url);
    const server = createServer();
    const relay = new Relay(server);
    server.on("connection", (near) => {
      const far = connect(Number(port), hostname);
      relay.#pair(near, far);
      relay.#join(near, far);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return relay;
  }

  /** `join` is given the two ends of each connection, near and far; where one ends, so does the other. */
  onConnection(join: (near: Socket, far: Socket) => void): void {
    this.#join = join;
  }

  /** `url` by way of this relay. */
  through(url: string): string {
    const changed = new URL(url);
    changed.port = String((this.#server.address() as AddressInfo).port);
    return changed.href.replace(/\/$/, "");
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #pair(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay(true);
      this.#sockets.add(one);
      one.on("error", () => {});
      one.once("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
