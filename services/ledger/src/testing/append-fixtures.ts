// What the tests of this service share: a migrated database of the test's own, append queues on it
// as serve.ts builds them, appends, and a proxy that loses answers of PostgreSQL. Imported by tests
// only.

import { GENESIS_HASH } from "@annals/event";
import { createLog, createRegistry, databaseDuration } from "@annals/chassis";
import { newId, systemClock } from "@annals/contract";
import { createPool, type Pool } from "@annals/postgres";
import { createMigratedDatabase, type TestDatabase } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, inject, onTestFinished } from "vitest";
import { type Append, type NewEvent, prepareAppend } from "../domain/prepare-append.ts";
import { createMetrics } from "../metrics.ts";
import { ROLE } from "../serve.ts";
import { AppendQueue } from "../append/append-queue.ts";

const TIME = "2026-01-31T09:30:00.000000Z";
const log = createLog({ service: "test", level: "error" }, { write: () => {} });

/** An empty ledger; gone when the test is finished. */
export async function newLedgerDatabase(): Promise<TestDatabase> {
  const database = await createMigratedDatabase(inject("stack").databaseUrl);
  onTestFinished(() => database.drop());
  return database;
}

export interface Link {
  readonly sequence_number: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** The chain as stored. Fails where it has a gap, a fork or an end other than its head. */
export async function chainOf(database: TestDatabase, accountId: string): Promise<Link[]> {
  const links = await database.query<Link>(
    `SELECT sequence_number, encode(previous_hash, 'hex') AS previous_hash, encode(hash, 'hex') AS hash
     FROM ledger.chain JOIN ledger.payloads USING (account_id, sequence_number)
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

/** A replica's append queue on `databaseUrl`, and what its metrics say. */
export function newQueue(databaseUrl: string) {
  const registry = createRegistry("ledger");
  const metrics = createMetrics(registry);
  const duration = databaseDuration(registry);
  const pool: Pool = createPool({
    connectionString: databaseUrl,
    role: ROLE,
    applicationName: "annals-ledger-test",
    maxConnections: 5,
    statementTimeoutMs: 10_000,
    duration,
    log,
  });
  onTestFinished(() => pool.close());
  const notified: bigint[] = [];
  const queue = new AppendQueue({
    clock: systemClock(),
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
    /** Alarms raised for chains that do not continue at their heads. */
    brokenChains: async () => (await metrics.brokenChains.get()).values[0]?.value ?? 0,
    notified,
    /** Groups that were stored, each in one transaction. */
    groups: () => count("annals_append_group_size"),
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
  const whole = {
    accountId,
    receivedAt: TIME,
    idempotencyKey: "",
    requestSha256: Buffer.alloc(32),
    ...rest,
    events,
  };
  return prepareAppend(whole, randomBytes);
}

/** What an event carries in UTF-8, as texts. */
export type CarriedTexts = {
  readonly [Member in keyof Omit<NewEvent, "action" | "occurredAt">]: string;
};

export function eventOf(action: string, texts: Partial<CarriedTexts> = {}): NewEvent {
  const empty = { actor: "{}", context: "{}", diff: "{}", metadata: "{}", target: "{}" };
  const carried = Object.entries({ ...empty, ...texts }).map(([name, text]) => [
    name,
    Buffer.from(text),
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
    await transaction.run({ name: "test.hold", text, plannedAnew: true }, [accountId]);
    return work();
  });
}

/** As no statement of ours can: the head is an earlier event again. */
export async function moveHeadBack(
  database: TestDatabase,
  accountId: string,
  sequenceNumber: number,
): Promise<void> {
  await database.query(
    `UPDATE ledger.heads SET sequence_number = chain.sequence_number, hash = chain.hash FROM ledger.chain
     WHERE heads.account_id = $1 AND chain.account_id = $1 AND chain.sequence_number = $2`,
    [accountId, sequenceNumber],
  );
}

export const newAccountId = () => newId("acct");

/**
 * The same database through a proxy. Once armed with a text, it passes the next request that holds
 * the text on, waits for PostgreSQL's answer and cuts the connection in its place: the statement
 * was done, and nobody knows.
 */
export async function losingAnswers(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed: string | undefined;
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let loses = false;
    const cut = () => [client, upstream].forEach((socket) => socket.destroy());
    for (const socket of [client, upstream]) sockets.add(socket.on("error", cut).on("close", cut));
    client.on("data", (chunk) => {
      if (armed !== undefined && chunk.includes(armed)) {
        loses = true;
        armed = undefined;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (loses) {
        lost += 1;
        cut();
      } else {
        client.write(chunk);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: url.href, arm: (text: string) => void (armed = text), lost: () => lost };
}
