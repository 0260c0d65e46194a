// Fixtures of the append path: append queues as serve.ts builds them, appends, stored chains, and a proxy
// that loses commit acknowledgements. Imported by tests only.

import { GENESIS_HASH } from "@annals/event";
import { createLog, createRegistry, databaseMetrics } from "@annals/chassis";
import { atOnce, type Clock, newId, systemClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { openProxy, type TestDatabase } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import { type Append, type NewEvent, prepareAppend } from "../append/rules/prepare-append.ts";
import { createMetrics } from "../metrics.ts";
import { AppendQueue } from "../append/append-queue.ts";
import { type AtEnd, aroundPool, openPool } from "./database.ts";

const TIME = "2026-01-31T09:30:00.000000Z";
const log = createLog({ service: "test", level: "error" }, { write: () => {} });

export interface Link {
  readonly sequence_number: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** The chain as stored. Fails where it has a gap, a fork or an end other than its head. */
export async function chainOf(database: TestDatabase, accountId: string): Promise<Link[]> {
  const links = await database.query<Link>(
    `SELECT sequence_number, encode(previous_hash, 'hex') AS previous_hash, encode(hash, 'hex') AS hash
     FROM ledger.events
     WHERE account_id = $1 ORDER BY sequence_number`,
    [accountId],
  );
  let previous = GENESIS_HASH;
  for (const [index, link] of links.entries()) {
    expect(link).toMatchObject({ sequence_number: String(index + 1), previous_hash: previous });
    previous = link.hash;
  }
  const [head] = await database.query(
    "SELECT sequence_number, encode(hash, 'hex') AS hash FROM ledger.heads WHERE account_id = $1",
    [accountId],
  );
  expect(head).toEqual({ sequence_number: String(links.length), hash: previous });
  return links;
}

/** A replica's append queue on `databaseUrl`, and what its metrics say. `around` wraps its pool. */
export function newQueue(
  databaseUrl: string,
  around: (pool: Pool) => Pool = (pool) => pool,
  atEnd: AtEnd = onTestFinished,
  clock: Clock = systemClock(),
) {
  const registry = createRegistry("ledger");
  const metrics = createMetrics(registry);
  const pool = aroundPool(
    openPool(databaseUrl, { atEnd, metrics: databaseMetrics(registry) }),
    around,
  );
  const notified: bigint[] = [];
  const queue = new AppendQueue({
    clock,
    database: pool,
    log,
    metrics,
    notices: { notify: ({ position }) => void notified.push(position) },
    random: randomBytes,
  });
  const count = async (name: string, label = ""): Promise<number> => {
    const text = await registry.getSingleMetricAsString(name);
    const line = text
      .split("\n")
      .find((each) => each.startsWith(`${name}_count`) && each.includes(label));
    return Number(line?.split(" ").at(-1) ?? 0);
  };
  return {
    queue,
    pool,
    /** Alerts for chains that do not continue at their heads. */
    brokenChains: async () => (await metrics.brokenChains.get()).values[0]?.value ?? 0,
    notified,
    /** Groups that were stored, each in one transaction. */
    groups: () => count("annals_append_group_size"),
    /** Groups that a batcher started. */
    batches: (batcher: string) => count("annals_batcher_group_size", `"${batcher}"`),
    /** How often a statement was run. */
    ran: (statement: string) => count("db_client_operation_duration_seconds", `"${statement}"`),
  };
}

/** An append of some events, ready to submit. */
export function append(
  accountId: string,
  changes: Partial<Append> & { readonly action?: string } = {},
) {
  const { action = "a", events = [eventOf(action)], ...rest } = changes;
  const complete = {
    accountId,
    receivedAt: TIME,
    idempotencyKey: "",
    requestSha256: Buffer.alloc(32),
    ...rest,
    events,
  };
  return atOnce(prepareAppend(complete, randomBytes));
}

/** The parts and the copies of an event, as texts. */
export type CarriedTexts = {
  readonly [Member in keyof Omit<NewEvent, "action" | "occurredAt">]: string;
};

export function eventOf(action: string, texts: Partial<CarriedTexts> = {}): NewEvent {
  const empty = { actor: "{}", context: "{}", diff: "{}", metadata: "{}", target: "{}" };
  const carried = Object.entries({ ...empty, ...texts }).map(([name, text]) => [
    name,
    name in empty ? Buffer.from(text) : text,
  ]);
  return { action, occurredAt: TIME, ...Object.fromEntries(carried) };
}

/** How an append whose outcome is unknown settles. */
export const UNAVAILABLE = {
  status: "rejected",
  reason: { name: "AnnalsError", kind: "unavailable" },
};

/** Runs `work` while a transaction of its own holds the head of the account. */
export function whileHeld<T>(pool: Pool, accountId: string, work: () => Promise<T>): Promise<T> {
  return pool.transaction(async (transaction) => {
    const text = "SELECT FROM ledger.heads WHERE account_id = $1 FOR UPDATE";
    await transaction.run({ name: "test.hold", text, route: "local", customPlan: true }, [
      accountId,
    ]);
    return work();
  });
}

/** Makes the head an earlier event again, as no statement of the service can. */
export async function moveHeadBack(
  database: TestDatabase,
  accountId: string,
  sequenceNumber: number,
): Promise<void> {
  await database.query(
    `UPDATE ledger.heads SET sequence_number = events.sequence_number, hash = events.hash FROM ledger.events
     WHERE heads.account_id = $1 AND events.account_id = $1 AND events.sequence_number = $2`,
    [accountId, sequenceNumber],
  );
}

export const newAccountId = () => newId("acct");

/**
 * The same database through a proxy. Once armed with a text, it passes on the next request that contains the
 * text, waits for PostgreSQL's answer and cuts the connection in its place: the statement was executed, and
 * its outcome is unknown to the client.
 */
export async function losingAnswers(databaseUrl: string) {
  const proxy = await openProxy(databaseUrl);
  onTestFinished(() => proxy.close());
  let armed: string | undefined;
  let lost = 0;
  proxy.onRequest = (chunk) => {
    if (armed === undefined || !chunk.includes(armed)) return "pass";
    armed = undefined;
    lost += 1;
    return "cut";
  };
  return { url: proxy.url, arm: (text: string) => void (armed = text), lost: () => lost };
}
