// What the tests of sinks share: sinks, events, what has arrived at a receiver, whether it is all of a chain,
// in order, and the query of docs/sinks.md for what is missing.

import { eventually, ownerOf, type Subscriber } from "@annals/testing";
import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { WebhookSystem } from "./webhook-constellation.ts";
import type { Client } from "./webhooks-load.ts";

const ARRIVED_MS = 120_000;
const BATCH = 100;
const RETRY_MS = 100;
const PAGE = new URL("../../docs/sinks.md", import.meta.url);

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

/**
 * Stores `count` events, in batches, until each batch was answered with 201. Goes on until `isOver`, with
 * `paceMs` between two batches, and resolves to how many it has stored.
 */
export async function storeEvents(
  client: Client,
  count: number,
  { isOver = (): boolean => true, paceMs = 0 } = {},
): Promise<number> {
  let stored = 0;
  for (; stored < count || !isOver(); stored += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at) => ({
      action: "invoice.created",
      actor: { id: `u_${stored + at}` },
      metadata: { text: "Ünï ".repeat(randomInt(50)) },
    }));
    const key = { headers: { "idempotency-key": `batch-${stored}-of-${count}` } };
    for (;;) {
      const answer = await client.post("/v1/events/batch", { events: batch }, key).catch(() => {});
      if (answer?.status === 201) break;
      await pause(RETRY_MS);
    }
    await pause(paceMs);
  }
  return stored;
}

/** The numbers of a chain's events, each where it arrived first. */
export function numbersIn(lines: readonly SinkLine[], chain: string): number[] {
  const own = lines.filter((line) => line.chain === chain);
  return [...new Set(own.flatMap(({ sequence_number: number }) => number ?? []))];
}

/** How many events came again. Throws if one of them is another event. */
export function repeatedIn(lines: readonly SinkLine[], chain: string): number {
  const ids = new Map<number, string | undefined>();
  let repeats = 0;
  for (const { chain: own, id, sequence_number: number } of lines) {
    if (own !== chain || number === undefined) continue;
    if (ids.has(number)) repeats += 1;
    if (ids.has(number) && ids.get(number) !== id)
      throw new Error(`the number ${number} came as ${ids.get(number)} and as ${id}`);
    ids.set(number, id);
  }
  return repeats;
}

export interface MissingRange {
  readonly chain: string;
  readonly from: number;
  readonly to: number;
}

/** Runs the SQL of docs/sinks.md over the lines that a receiver has. */
export async function missingIn(
  lines: readonly SinkLine[],
  databaseUrl: string,
): Promise<MissingRange[]> {
  const [, query] = /```sql\n([^`]*)```/.exec(await readFile(PAGE, "utf8")) ?? [];
  const records = lines.map(({ chain, sequence_number }) => ({ chain, sequence_number }));
  const owner = ownerOf(databaseUrl);
  const rows = await owner.query(
    `WITH annals_records AS (
       SELECT * FROM json_to_recordset($1::json) AS record (chain text, sequence_number bigint)
     ) ${query ?? ""}`,
    [JSON.stringify(records)],
  );
  await owner.close();
  return rows.map(({ chain, missing_from: from, missing_to: to }) => ({
    chain: String(chain),
    from: Number(from),
    to: Number(to),
  }));
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

  static async start(system: Pick<WebhookSystem, "subscriber">): Promise<SinkServer> {
    return new SinkServer(await system.subscriber());
  }

  /** The numbers of a chain's events, each where it arrived first. */
  numbers(chain: string): number[] {
    return numbersIn(this.lines, chain);
  }

  /** Waits until so many events of a chain have arrived, and resolves to {@link numbers}. */
  async arrived(chain: string, count: number): Promise<number[]> {
    const isThere = () => this.numbers(chain).length >= count;
    await eventually(`${count} events in the sink`, isThere, ARRIVED_MS);
    return this.numbers(chain);
  }
}

function linesIn(body: Buffer): SinkLine[] {
  const lines = body.toString("utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as SinkLine);
}
