// What the tests of sinks share: a sink that sends JSON Lines to a subscriber, what has arrived there, and
// whether it is all of a chain, in order.

import { eventually, type Subscriber } from "@annals/testing";
import { expect } from "vitest";
import type { WebhookSystem } from "./webhook-constellation.ts";
import type { Client } from "./webhooks-load.ts";

const ARRIVED_MS = 120_000;

export interface SinkLine {
  readonly id?: string;
  readonly action: string;
  readonly chain: string;
  readonly sequence_number?: number;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Creates a sink of all events that the account will store. */
export async function sinkTo(client: Client, subscriber: Subscriber, given: object = {}) {
  const config = { url: subscriber.url("sink"), headers: { "x-key": "secret" } };
  const { body, status } = await client.post("/v1/sinks", { type: "http", config, ...given });
  expect(status).toBe(201);
  return body.data.id as string;
}

/** The lines of all batches that the subscriber has answered with success, in the order of their arrival. */
export class SinkServer {
  readonly subscriber: Subscriber;
  readonly lines: SinkLine[] = [];
  /** The status of the next batches; undefined cuts the connection. */
  status: () => number | undefined = () => 200;
  /** Whether a line of an accepted batch is kept. */
  keeps: (line: SinkLine) => boolean = () => true;

  constructor(subscriber: Subscriber) {
    this.subscriber = subscriber;
    subscriber.answer = (response, { body }) => {
      const status = this.status();
      if (status === undefined) return void response.destroy();
      if (status < 300) this.lines.push(...linesIn(body).filter((line) => this.keeps(line)));
      response.writeHead(status).end();
      // What was received is kept as lines alone.
      subscriber.received.length = 0;
    };
  }

  static async start(system: WebhookSystem): Promise<SinkServer> {
    return new SinkServer(await system.subscriber());
  }

  /** The numbers of a chain's events, each where it arrived first. */
  numbers(chain: string): number[] {
    const own = this.lines.filter((line) => line.chain === chain);
    return [...new Set(own.flatMap(({ sequence_number: number }) => number ?? []))];
  }

  /** Waits until so many events of a chain have arrived, and resolves to {@link numbers}. */
  async arrived(chain: string, count: number): Promise<number[]> {
    const isThere = () => this.numbers(chain).length >= count;
    await eventually(`${count} events in the sink`, isThere, ARRIVED_MS);
    return this.numbers(chain);
  }

  /** How many lines came again. Throws if one of them is another event. */
  repeated(chain: string): number {
    const ids = new Map<number, string | undefined>();
    let repeats = 0;
    for (const { chain: own, id, sequence_number: number } of this.lines) {
      if (own !== chain || number === undefined) continue;
      if (ids.has(number)) repeats += 1;
      if (ids.has(number) && ids.get(number) !== id)
        throw new Error(`the number ${number} came as ${ids.get(number)} and as ${id}`);
      ids.set(number, id);
    }
    return repeats;
  }
}

function linesIn(body: Buffer): SinkLine[] {
  const lines = body.toString("utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as SinkLine);
}
