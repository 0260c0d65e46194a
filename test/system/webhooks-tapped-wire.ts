// A wire between a process and the server that it talks to, PostgreSQL or NATS, that is watched for one
// moment: a certain text asked, or answered. In that moment a test does something, such as kill the process,
// and what was to pass does not. Used by the tests of webhooks that name a point between two processes. It
// must never change a byte of what it passes.

import { openProxy } from "@annals/testing";
import type { Socket } from "node:net";

/** What is waited for on each connection: a text in what the process asks, and then one in what it gets. */
export interface Moment {
  readonly asked: string;
  /** Absent: the moment is that of the question, which is then not passed on. */
  readonly answered?: string;
}

interface Armed extends Moment {
  readonly act: () => void;
}

/** A connection. */
class Watched {
  readonly asked = new Tail();
  readonly answered = new Tail();
  /** Whose question was seen. */
  waited: Armed | undefined;
}

export type TappedWire = Awaited<ReturnType<typeof tapWire>>;

/** Leads to the server of `serverUrl`; `arm` calls `act` once, in the next such moment. */
export async function tapWire(serverUrl: string) {
  const proxy = await openProxy(serverUrl);
  const connections = new WeakMap<Socket, Watched>();
  let armed: Armed | undefined;
  const fire = ({ act }: Armed): void => {
    armed = undefined;
    act();
  };
  proxy.onRequest = (chunk, client) => {
    const watched = connections.get(client) ?? new Watched();
    connections.set(client, watched);
    if (!armed || watched.waited === armed || !watched.asked.has(chunk, armed.asked)) return "pass";
    if (armed.answered === undefined) {
      fire(armed);
      return "drop";
    }
    watched.answered.clear();
    watched.waited = armed;
    return "pass";
  };
  proxy.onAnswer = (chunk, client) => {
    const { answered, waited } = connections.get(client) ?? {};
    if (!waited?.answered || !answered?.has(chunk, waited.answered) || waited !== armed)
      return chunk;
    fire(waited);
    return Buffer.alloc(0);
  };
  return {
    url: proxy.url,
    arm: (moment: Moment, act: () => void) => void (armed = { ...moment, act }),
    close: () => proxy.close(),
  };
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
