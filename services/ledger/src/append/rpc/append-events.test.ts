// Guarantees of AppendEvents: there is one outcome for each append, none waits for another account's, and
// those that are known together come together. A refused append does not affect the others, and a caller
// that leaves leaves nothing undone.

import { createLog } from "@annals/chassis";
import { canonicalJson } from "@annals/event";
import { connectRpc, startRpcServer } from "@annals/rpc";
import { type IndexedOutcome, LedgerService } from "@annals/proto/ledger";
import { ON_ONE_SERVER } from "@annals/testing";
import type { Client } from "@connectrpc/connect";
import { expect, onTestFinished, test, vi } from "vitest";
import { ACCESS } from "../../access.ts";
import { chainOf, newAccountId, whileHeld } from "../../testing/append-fixtures.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { appendOf, eventOf, eventsJsonOf, openLedger } from "../../testing/test-ledger.ts";

type Ledger = Awaited<ReturnType<typeof servedLedger>>;

/** A ledger behind a real server, and accounts with one event each. */
async function servedLedger(accounts: readonly string[]) {
  const database = await newLedgerDatabase();
  const ledger = openLedger(database);
  const log = createLog({ service: "test", level: "error" }, { write: () => {} });
  const server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    routes: ledger.routes,
    service: LedgerService,
    tls: "plaintext",
    access: ACCESS,
    refused: { inc: () => {} },
    interceptors: ledger.interceptors,
    log,
    isReady: () => true,
    drainDelayMs: 0,
  });
  onTestFinished(() => server.close({ graceMs: 0 }));
  const rpc = connectRpc({
    address: server.address,
    service: LedgerService,
    peer: "ledger",
    stopping: undefined,
    tls: "plaintext",
  });
  onTestFinished(() => rpc.close());
  await ledger.client.createEvents({ appends: accounts.map((accountId) => appendOf(accountId)) });
  const lengths = () =>
    Promise.all(accounts.map(async (each) => (await chainOf(database, each)).length));
  return { client: rpc.client, lengths, pool: ledger.database };
}

const newAccounts = (count: number) => Array.from({ length: count }, newAccountId);

/** The messages of the stream, each with its outcomes. */
async function messagesOf(
  client: Client<typeof LedgerService>,
  appends: (ReturnType<typeof appendOf> & { readonly isReplayBrief?: boolean })[],
): Promise<IndexedOutcome[][]> {
  const messages: IndexedOutcome[][] = [];
  for await (const { outcomes } of client.appendEvents({ appends })) messages.push(outcomes);
  return messages;
}

const casesOf = (outcomes: readonly IndexedOutcome[]) =>
  Object.fromEntries(outcomes.map(({ index, outcome }) => [index, outcome?.outcome.case]));

test("outcomes that are known together come together, one for each append", async () => {
  const accounts = newAccounts(20);
  const { client, lengths } = await servedLedger(accounts);
  const messages = await messagesOf(
    client,
    accounts.map((accountId) => appendOf(accountId)),
  );
  expect(messages.flat()).toHaveLength(20);
  expect(new Set(messages.flat().map(({ index }) => index)).size).toBe(20);
  // Over Citus each chain has a statement of its own, and its outcome is known when that ends.
  expect(messages.length).toBeLessThanOrEqual(ON_ONE_SERVER ? 5 : 20);
  expect(await lengths()).toEqual(accounts.map(() => 2));
  expect(await messagesOf(client, [])).toEqual([]);
});

test("an outcome does not wait for an account whose head is locked", async () => {
  const [free, held, last] = newAccounts(3) as [string, string, string];
  const { client, pool } = await servedLedger([free, held, last]);
  const appends = [appendOf(free), appendOf(held), appendOf(last)];
  const stream = client.appendEvents({ appends })[Symbol.asyncIterator]();
  const known: IndexedOutcome[] = [];
  await whileHeld(pool, held, async () => {
    while (known.length < 2) known.push(...(await stream.next()).value.outcomes);
  });
  expect(casesOf(known)).toEqual({ 0: "stored", 2: "stored" });
  expect(casesOf((await stream.next()).value.outcomes)).toEqual({ 1: "stored" });
  expect((await stream.next()).done).toBe(true);
});

test("a refused append does not affect the others", async () => {
  const accounts = newAccounts(3);
  const { client, lengths } = await servedLedger(accounts);
  const [first, over, last] = accounts.map((accountId) => appendOf(accountId));
  const appends = [
    first!,
    { ...over!, monthlyQuota: 1n },
    { ...last!, eventsJson: eventsJsonOf([]) },
    last!,
  ];
  const outcomes = (await messagesOf(client, appends)).flat();
  expect(casesOf(outcomes)).toEqual({ 0: "stored", 1: "refused", 2: "refused", 3: "stored" });
  expect(await lengths()).toEqual([2, 1, 2]);
});

test("a replay returns its events, or none where its caller does not need them", async () => {
  const [account = ""] = newAccounts(1);
  const { client, lengths } = await servedLedger([account]);
  const keyed = { ...appendOf(account), idempotencyKey: "k", requestSha256: new Uint8Array(32) };
  await messagesOf(client, [keyed]);
  const [whole, brief] = (await messagesOf(client, [keyed, { ...keyed, isReplayBrief: true }]))
    .flat()
    .toSorted((a, b) => a.index - b.index)
    .map(({ outcome }) => outcome?.outcome);
  expect(whole).toMatchObject({ case: "replayed", value: { events: [{ action: "thing.done" }] } });
  expect(brief).toMatchObject({ case: "replayed", value: { events: [] } });
  expect(await lengths()).toEqual([2]);
});

test("what is not valid is refused before it is hashed, and the chain stays valid", async () => {
  const accountId = newAccountId();
  const { client, lengths } = await servedLedger([accountId]);
  const good = appendOf(accountId);
  const noTime = eventOf({ occurred_at: "2026-02-30T00:00:00.000000Z" });
  const noJson = `[${canonicalJson(eventOf())},{"action":"a","metadata":{"a":]`;
  const bad = [
    { ...good, receivedAt: "not a time" },
    { ...good, eventsJson: eventsJsonOf([noTime]) },
    { ...good, eventsJson: Buffer.from(noJson) },
    { ...good, eventsJson: eventsJsonOf([eventOf({ actor: { id: 5 } })]) },
  ];
  const { outcomes } = await client.createEvents({ appends: [...bad, good] });
  expect(outcomes.map(({ outcome }) => outcome.case)).toEqual([
    ...bad.map(() => "refused"),
    "stored",
  ]);
  const fields = outcomes.map(({ outcome }) =>
    outcome.case === "refused" ? outcome.value.faults[0]?.field : undefined,
  );
  expect(fields.slice(0, 4)).toEqual([
    "received_at",
    "events[0].occurred_at",
    "events[1].metadata",
    "events[0].actor.id",
  ]);
  expect(await lengths()).toEqual([2]);
  expect(await client.verifyChain({ accountId })).toMatchObject({ valid: true, checked: 2n });
});

test("copies for filters cannot be sent: they are those of the parts", async () => {
  const accountId = newAccountId();
  const { client } = await servedLedger([accountId]);
  const actor = { actor: { id: "u" } };
  const eventsJson = eventsJsonOf([eventOf({ ...actor, actor_id: "another" })]);
  const appends = [
    { ...appendOf(accountId), eventsJson },
    { ...appendOf(accountId), eventsJson: eventsJsonOf([eventOf(actor)]) },
  ];
  const { outcomes } = await client.createEvents({ appends });
  expect(outcomes.map(({ outcome }) => outcome.case)).toEqual(["refused", "stored"]);
  const listed = await client.listEvents({ accountId, limit: 1, filter: { actorIds: ["u"] } });
  expect(listed.events).toHaveLength(1);
  expect((await client.verifyChain({ accountId })).valid).toBe(true);
});

test("too many appends are refused as a whole", async () => {
  const { client } = await servedLedger([]);
  const appends = Array.from({ length: 5_001 }, () => appendOf("acct_1"));
  await expect(messagesOf(client, appends)).rejects.toMatchObject({
    kind: "invalid",
    faults: [{ field: "appends", message: "must be at most 5000" }],
  });
});

test("what a caller has sent is stored when it leaves, and the account takes the next append", async () => {
  const accounts = newAccounts(2) as [string, string];
  const ledger: Ledger = await servedLedger(accounts);
  const both = () => accounts.map((accountId) => appendOf(accountId));
  await whileHeld(ledger.pool, accounts[1], async () => {
    for await (const _ of ledger.client.appendEvents({ appends: both() })) break;
  });
  await vi.waitFor(async () => expect(await ledger.lengths()).toEqual([2, 2]));
  const outcomes = (await messagesOf(ledger.client, both())).flat();
  expect(casesOf(outcomes)).toEqual({ 0: "stored", 1: "stored" });
});
