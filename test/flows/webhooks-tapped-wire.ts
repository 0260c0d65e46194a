// A wire between a process and the server that it talks to, PostgreSQL or NATS, that is watched for one
// moment: a certain text asked, or answered. In that moment a test does something, such as kill the process,
// and what was to pass does not. Used by the tests of webhooks that name a point between two processes. It
// must never change a byte of what it passes.

import type { Socket } from "node:net";
import { Relay } from "../relay.ts";

/** What is waited for on each connection: a text in what the process asks, and then one in what it gets. */
export interface Moment {
  readonly asked: string;
  /** Absent: the moment is that of the question, which is then not passed on. */
  readonly answered?: string;
}

interface Armed extends Moment {
  readonly act: () => void;
}

export class TappedWire {
  readonly #relay: Relay;
  #armed: Armed | undefined;

  private constructor(relay: Relay) {
    this.#relay = relay;
    relay.onConnection((near, far) => this.#pass(near, far));
  }

  /** Leads to the server of `url`. */
  static async start(url: string): Promise<TappedWire> {
    return new TappedWire(await Relay.to(url));
  }

  /** `url` by way of this wire. */
  through(url: string): string {
    return this.#relay.through(url);
  }

  /** Calls `act` once, in the next such moment. */
  arm(moment: Moment, act: () => void): void {
    this.#armed = { ...moment, act };
  }

  async close(): Promise<void> {
    await this.#relay.close();
  }

  #pass(near: Socket, far: Socket): void {
    const asked = new Tail();
    const answered = new Tail();
    /** Whose question was seen on this connection. */
    let waited: Armed | undefined;
    near.on("data", (chunk: Buffer) => {
      const armed = this.#armed;
      if (armed && waited !== armed && asked.has(chunk, armed.asked)) {
        if (armed.answered === undefined) {
          this.#fire(armed);
          return;
        }
        waited = armed;
        answered.clear();
      }
      far.write(chunk);
    });
    far.on("data", (chunk: Buffer) => {
      const isIt = waited?.answered !== undefined && answered.has(chunk, waited.answered);
      if (isIt && waited && waited === this.#armed) this.#fire(waited);
      else near.write(chunk);
    });
  }

  #fire(armed: Armed): void {
    this.#armed = undefined;
    armed.act();
  }
}

/** Bytes of the longest text that is looked for. */
const TAIL_BYTES = 128;

/** Looks for texts in pieces of a stream, those that lie over the edge of two pieces too. */
class Tail {
  #tail = Buffer.alloc(0);

  has(chunk: Buffer, text: string): boolean {
    const both = Buffer.concat([this.#tail, chunk]);
    this.#tail = both.subarray(Math.max(0, both.length - TAIL_BYTES));
    const isThere = both.includes(text, 0, "latin1");
    if (isThere) this.clear();
    return isThere;
  }

  clear(): void {
    this.#tail = Buffer.alloc(0);
  }
}
