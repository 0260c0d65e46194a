// A host that accepts no connection until it is released. Each of its ports has a full accept queue, so the
// kernel drops what would open another connection, as a firewall does. It needs Linux.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";

/** Length of the accept queues. Linux takes one connection more. */
const BACKLOG = 1;

/**
 * Blocks its thread with the listening sockets open; then forwards connections to the same port elsewhere.
 */
const PROGRAM = `
  const { connect, createServer } = require("node:net");
  const { parentPort, workerData: { gate, host, ports, backlog, forwardTo } } = require("node:worker_threads");
  const listen = (port) => new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      const onward = connect(port, forwardTo);
      for (const [one, other] of [[socket, onward], [onward, socket]])
        one.on("error", () => other.destroy()).pipe(other);
    });
    server.once("error", reject).listen({ host, port, backlog }, resolve);
  });
  Promise.all(ports.map(listen)).then(() => {
    parentPort.postMessage("listening");
    Atomics.wait(gate, 0, 0);
  });
`;

export interface BusyHostOptions {
  readonly host: string;
  readonly ports: readonly number[];
  /** Host that has the same ports, and gets what arrives after the release. */
  readonly forwardTo: string;
}

export class BusyHost {
  readonly #gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;
  readonly #queued: Socket[] = [];

  private constructor(options: BusyHostOptions) {
    const workerData = { ...options, backlog: BACKLOG, gate: this.#gate };
    this.#worker = new Worker(PROGRAM, { eval: true, workerData });
  }

  static async start(options: BusyHostOptions): Promise<BusyHost> {
    const busy = new BusyHost(options);
    await once(busy.#worker, "message");
    for (const port of options.ports) {
      for (let i = 0; i <= BACKLOG; i++) await busy.#queue(connect(port, options.host));
    }
    return busy;
  }

  /** Accepts and forwards from now on, also what the kernel has queued. */
  release(): void {
    Atomics.store(this.#gate, 0, 1);
    Atomics.notify(this.#gate, 0);
  }

  async close(): Promise<void> {
    for (const socket of this.#queued) socket.destroy();
    this.release();
    await this.#worker.terminate();
  }

  async #queue(socket: Socket): Promise<void> {
    this.#queued.push(socket);
    await once(socket, "connect");
    socket.on("error", () => {});
  }
}
