// One link between two parts of the system, as a TCP proxy on the loopback interface that can be cut, made to
// swallow what it is given, and slowed. Called by network-system.ts. It must never change or reorder a byte.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * `cut`: connections are reset and refused. `swallowed`: they stay, new ones are taken, and nothing comes
 * through until the link is whole again, as when packets are lost. `slowed`: all comes late.
 */
export type Fault = "cut" | "swallowed" | "slowed";
export const FAULTS: readonly Fault[] = ["cut", "slowed", "swallowed"];

/** What comes over a slowed link comes this much later, there and back together. */
export const SLOWED_BY_MS = 500;

/** Below the range that the kernel gives to outgoing connections: a cut link comes back on its port. */
const PORTS = [20_000, 32_000] as const;
const PORT_ATTEMPTS = 50;
const LOOPBACK = "127.0.0.1";

/** A port without a listener at this moment. */
export async function freePort(): Promise<number> {
  const server = await listen(createServer());
  const { port } = server;
  server.server.close();
  await once(server.server, "close");
  return port;
}

async function listen(server: Server): Promise<{ server: Server; port: number }> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    const port = randomInt(...PORTS);
    server.listen(port, LOOPBACK);
    const isTaken = await Promise.race([
      once(server, "listening").then(() => false),
      once(server, "error").then(() => true),
    ]).catch(() => true);
    if (!isTaken) return { server, port };
  }
  throw new Error("no free port was found");
}

export class Link {
  readonly port: number;
  readonly #server: Server;
  readonly #target: number;
  readonly #directions = new Set<Direction>();
  #fault: Fault | undefined;

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on("connection", (socket) => this.#join(socket));
  }

  /** A whole link to a port on this machine, where somebody may listen later. */
  static async to(target: number): Promise<Link> {
    const { server, port } = await listen(createServer({ allowHalfOpen: true }));
    return new Link(server, port, target);
  }

  get address(): string {
    return `${LOOPBACK}:${this.port}`;
  }

  /** `url` by way of this link. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = LOOPBACK;
    changed.port = String(this.port);
    return changed.href;
  }

  async inject(how: Fault): Promise<void> {
    this.#fault = how;
    if (how === "cut") await this.#close();
    for (const direction of this.#directions) direction.setFault(how);
  }

  async heal(): Promise<void> {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault === "cut") {
      this.#server.listen(this.port, LOOPBACK);
      await once(this.#server, "listening");
    }
    for (const direction of this.#directions) direction.setFault(undefined);
  }

  async close(): Promise<void> {
    if (this.#fault !== "cut") await this.#close();
  }

  async #close(): Promise<void> {
    this.#server.close();
    for (const direction of this.#directions) direction.reset();
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    const server = connect({
      port: this.#target,
      host: LOOPBACK,
      noDelay: true,
      allowHalfOpen: true,
    });
    client.setNoDelay(true);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      const direction = new Direction(from, to);
      direction.setFault(this.#fault);
      this.#directions.add(direction);
      from.once("close", () => this.#directions.delete(direction));
    }
  }
}

interface Passing {
  /** `performance.now()` from which on it may go. */
  readonly dueAt: number;
  readonly pass: () => void;
}

/** What goes from one socket to the other, in its order. */
class Direction {
  readonly #from: Socket;
  readonly #waiting: Passing[] = [];
  #fault: Fault | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket) {
    this.#from = from;
    from.on("data", (chunk: Buffer) => this.#take(() => to.write(chunk)));
    from.on("end", () => this.#take(() => to.end()));
    // An abrupt end is passed on at once: no byte could follow it.
    from.on("error", () => to.destroy());
    from.on("close", () => this.#take(() => to.destroySoon()));
  }

  setFault(fault: Fault | undefined): void {
    this.#fault = fault;
    this.#drain();
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
    this.#from.resetAndDestroy();
  }

  #take(pass: () => void): void {
    const delayMs = this.#fault === "slowed" ? SLOWED_BY_MS / 2 : 0;
    this.#waiting.push({ dueAt: performance.now() + delayMs, pass });
    this.#drain();
  }

  #drain(): void {
    clearTimeout(this.#timer);
    if (this.#fault === "swallowed") return;
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const leftMs = next.dueAt - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.#drain(), Math.ceil(leftMs));
        return;
      }
      this.#waiting.shift();
      next.pass();
    }
  }
}
