// One link between two parts of the system, as a TCP proxy on the loopback interface that can be cut, made to
// swallow what it is given, and slowed. Called by network-system.ts. It must never change or reorder a byte.

import { type ReservedPort, reserveFreePort } from "@annals/local";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * `cut`: connections are reset and refused. `swallowed`: they stay, new ones are taken, and nothing comes
 * through until the link is whole again, as when packets are lost. `slowed`: all comes late.
 */
export type Fault = "cut" | "swallowed" | "slowed";

/** What comes over a slowed link comes this much later, there and back together. */
export const SLOWED_BY_MS = 500;

/** Of a slowed link, each way. */
export interface Slowness {
  readonly delayMs: number;
  /** No limit by default. */
  readonly bytesPerS?: number;
}
const SLOW: Slowness = { delayMs: SLOWED_BY_MS / 2 };

const LOOPBACK = "127.0.0.1";

export class Link {
  readonly #reserved: ReservedPort;
  readonly #server: Server;
  #target: number;
  readonly #directions = new Set<Direction>();
  #fault: Fault | undefined;
  #slowness = SLOW;

  private constructor(server: Server, reserved: ReservedPort, target: number) {
    this.#server = server;
    this.#reserved = reserved;
    this.#target = target;
    server.on("connection", (socket) => this.#join(socket));
  }

  /** A whole link to a port on this machine, where a server may listen later. */
  static async to(target: number): Promise<Link> {
    // A cut link comes back on its port.
    const reserved = await reserveFreePort();
    const link = new Link(createServer({ allowHalfOpen: true }), reserved, target);
    await reserved.release();
    await link.#listen();
    return link;
  }

  get port(): number {
    return this.#reserved.port;
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

  async inject(how: Fault, slowness = SLOW): Promise<void> {
    this.#fault = how;
    this.#slowness = slowness;
    if (how === "cut") await this.#close();
    for (const direction of this.#directions) direction.setFault(how, slowness);
  }

  async heal(): Promise<void> {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault === "cut") await this.#listen();
    for (const direction of this.#directions) direction.setFault(undefined);
  }

  /**
   * New connections lead to another port from now on, as with a Service whose endpoint moves. Those that are
   * open end at once or, with `isSilent`, hear nothing more and end when their client times out.
   */
  moveTo(target: number, { isSilent = false } = {}): void {
    this.#target = target;
    this.#fault = undefined;
    for (const direction of this.#directions)
      if (isSilent) direction.setFault("swallowed");
      else direction.reset();
  }

  async close(): Promise<void> {
    if (this.#fault !== "cut") await this.#close();
    await this.#reserved.close();
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.port, LOOPBACK);
    await once(this.#server, "listening");
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
      direction.setFault(this.#fault, this.#slowness);
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
  #slowness = SLOW;
  /** From when on the slowed link has room for more bytes. */
  #freeAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket) {
    this.#from = from;
    from.on("data", (chunk: Buffer) => this.#take(() => to.write(chunk), chunk.length));
    from.on("end", () => this.#take(() => to.end()));
    // An abrupt end is passed on at once: no byte could follow it.
    from.on("error", () => to.destroy());
    from.on("close", () => this.#take(() => to.destroySoon()));
  }

  setFault(fault: Fault | undefined, slowness = SLOW): void {
    this.#fault = fault;
    this.#slowness = slowness;
    this.#drain();
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
    this.#from.resetAndDestroy();
  }

  #take(pass: () => void, bytes = 0): void {
    this.#waiting.push({ dueAt: this.#dueAt(bytes), pass });
    this.#drain();
  }

  #dueAt(bytes: number): number {
    const now = performance.now();
    if (this.#fault !== "slowed") return now;
    const { bytesPerS = Infinity, delayMs } = this.#slowness;
    this.#freeAt = Math.max(this.#freeAt, now) + (1_000 * bytes) / bytesPerS;
    return this.#freeAt + delayMs;
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
