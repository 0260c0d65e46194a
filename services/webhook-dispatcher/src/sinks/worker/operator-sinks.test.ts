// Guarantee: a sink of the operator is sent the events of each account from its first one, or of the system
// account alone, with a cursor for each. However many replicas there are, an account has one row. What its
// file says counts, and not what a row was made by; a process that does not know a sink leaves it alone.

import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { OperatorSink, OperatorSinks } from "../rules/operator-sink.ts";
import type { SinkResult } from "../receiver/sink-receiver.ts";
import { log, newAccountId } from "../../testing/dispatcher.ts";
import { newSinkWorld } from "../../testing/sink-world.ts";
import { addRows, type OperatorSinksDeps } from "./operator-sinks.ts";
import type { SinksDeps } from "./sinks.ts";

const PAGE = 1_000;

const sinkOf = (given: Partial<OperatorSink> = {}): OperatorSink => ({
  name: "siem",
  accounts: "all",
  config: { type: "otlp_http", url: "https://collector.siem.svc/v1/logs", headers: {} },
  format: "annals",
  filter: null,
  leaveOut: [],
  includeProof: false,
  mapping: null,
  onRejected: "stop",
  ...given,
});

const sinksOf = (...sinks: OperatorSink[]): OperatorSinks =>
  new Map(sinks.map((sink) => [sink.name, sink]));

async function begin(operatorSinks: OperatorSinks, count = 2) {
  const world = await newSinkWorld();
  const accountIds = Array.from({ length: count }, newAccountId).toSorted();
  const asked: string[] = [];
  const add = (sinks = operatorSinks, producers: OperatorSinksDeps["producers"] = world.chains) =>
    addRows(
      {
        accounts: {
          listAccounts: async ({ afterAccountId = "", limit = 0 }) => {
            asked.push(afterAccountId);
            const after = accountIds.filter((id) => id > afterAccountId);
            return { accountIds: after.slice(0, limit) } as never;
          },
        },
        clock: world.deps.clock,
        database: world.pool,
        log,
        metrics: world.metrics,
        operatorSinks: sinks,
        producers,
        random: randomBytes,
      },
      new AbortController().signal,
    );
  const rows = () =>
    world.database.query<{ account_id: string; operator: string; cursor: string }>(
      `SELECT account_id, operator, cursor FROM webhooks.sinks ORDER BY account_id COLLATE "C", operator`,
    );
  const replica = (given: Partial<SinksDeps> = {}) => world.replica({ operatorSinks, ...given });
  return { ...world, accountIds, add, asked, rows, replica };
}

test("each account has a cursor for each sink, and gets its events from the first one on", async () => {
  const both = sinksOf(sinkOf(), sinkOf({ name: "bucket" }));
  const { accountIds, add, chains, pass, receivers, replica, round, rows } = await begin(both);
  for (const [at, id] of accountIds.entries()) chains.append(id, 3 + at);
  await Promise.all([add(), add()]);
  await add();
  pass(1);
  await round(replica());
  expect(await rows()).toEqual(
    accountIds.flatMap((account_id, at) =>
      ["bucket", "siem"].map((operator) => ({ account_id, operator, cursor: String(3 + at) })),
    ),
  );
  for (const [at, id] of accountIds.entries()) {
    const once = Array.from({ length: 3 + at }, (_, n) => n + 1);
    expect(receivers.numbers(id)).toEqual([...once, ...once]);
  }
});

test("a sink of the system account asks for no others", async () => {
  const { add, asked, rows } = await begin(sinksOf(sinkOf({ accounts: "system" })));
  await add();
  expect(await rows()).toEqual([{ account_id: SYSTEM_ACCOUNT_ID, operator: "siem", cursor: "0" }]);
  expect(asked).toEqual([]);
});

test("an account that fails keeps no other from its row", async () => {
  const { accountIds, add, chains, rows } = await begin(sinksOf(sinkOf()), 3);
  const [failing] = accountIds;
  const retainedFrom = async (accountId: string, after: bigint) => {
    if (accountId === failing) throw new Error("its server is away");
    return chains.retainedFrom(accountId, after);
  };
  await expect(add(undefined, { retainedFrom })).rejects.toThrow("its server is away");
  const without = accountIds.filter((id) => id !== failing);
  expect((await rows()).map(({ account_id }) => account_id)).toEqual(without);
  await add();
  expect((await rows()).map(({ account_id }) => account_id)).toEqual(accountIds);
});

test("accounts are asked for in pages", async () => {
  const { accountIds, add, asked, rows } = await begin(sinksOf(sinkOf()), PAGE + 1);
  await add();
  expect(await rows()).toHaveLength(PAGE + 1);
  expect(asked).toEqual(["", accountIds[PAGE - 1]]);
});

test("a filter, a format and parts that are left out are those of the file", async () => {
  const filter = JSON.stringify({ action: ["user.deleted"] });
  const sinks = sinksOf(sinkOf({ filter, format: "cloudevents" }));
  const { accountIds, add, chains, database, pass, receivers, replica, round } = await begin(sinks);
  const [accountId = ""] = accountIds;
  chains.append(accountId, 2);
  chains.append(accountId, 1, { action: "user.deleted" });
  await add();
  pass(1);
  await round(replica());
  expect(receivers.numbers(accountId)).toEqual([3]);
  expect(receivers.accepted[0]?.options).toMatchObject({ format: "cloudevents" });
  const [row] = await database.query("SELECT * FROM webhooks.sinks WHERE account_id = $1", [
    accountId,
  ]);
  expect(row).toMatchObject({ cursor: "3", type: null, config_sealed: null, filter: null });
});

test("a receiver of the operator that hangs delays no sink of an account, and no other one of the operator", async () => {
  const count = 40;
  const sinks = sinksOf(sinkOf(), sinkOf({ name: "other" }));
  const { accountIds, add, chains, create, database, pass, receivers, replica } = await begin(
    sinks,
    count,
  );
  for (const id of accountIds) chains.append(id, 1);
  const [accountId = ""] = accountIds;
  const own = await create({ accountId });
  await add();
  pass(1);
  const hanging = await database.query<{ id: string }>(
    "SELECT id FROM webhooks.sinks WHERE operator = 'siem'",
  );
  const ids = new Set(hanging.map(({ id }) => id));
  const end = Promise.withResolvers<SinkResult>();
  receivers.answer = ({ options }) =>
    ids.has(options.sinkId) ? end.promise : { outcome: "accepted" };
  const process = replica();
  await process.round(new AbortController().signal);
  const arrived = () => new Set(receivers.accepted.map(({ options }) => options.sinkId));
  await vi.waitFor(() => expect(arrived()).toContain(own.id));
  await vi.waitFor(() => expect(arrived().size).toBe(count + 1));
  const hangs = receivers.attempts.filter(({ options }) => ids.has(options.sinkId));
  expect(hangs).toHaveLength(8);
  end.resolve({ outcome: "accepted" });
  await process.settled();
  expect(arrived().size).toBe(2 * count + 1);
});

test("what the file has for the system account alone is sent no other's events any longer", async () => {
  const { accountIds, add, chains, pass, receivers, replica, round } = await begin(
    sinksOf(sinkOf()),
  );
  const [accountId = ""] = accountIds;
  await add();
  pass(1);
  const narrowed = replica({ operatorSinks: sinksOf(sinkOf({ accounts: "system" })) });
  chains.append(accountId, 1);
  await round(narrowed);
  expect(receivers.attempts).toEqual([]);
  await round(replica());
  expect(receivers.numbers(accountId)).toEqual([1]);
});

test("it begins with the first event that retention has left, and tells no loss", async () => {
  const { accountIds, add, chains, pass, receivers, replica, round } = await begin(
    sinksOf(sinkOf()),
    1,
  );
  const [accountId = ""] = accountIds;
  chains.append(accountId, 5);
  chains.deletedThrough = 3;
  await add();
  pass(1);
  await round(replica());
  expect(receivers.numbers(accountId)).toEqual([4, 5]);
  expect(receivers.lines(accountId).some(({ json }) => json.includes("gap"))).toBe(false);
});

test("a hundred turns of a sink wait at a time, and the next rounds go on behind them", async () => {
  const count = 250;
  const { accountIds, add, chains, pass, receivers, replica, round } = await begin(
    sinksOf(sinkOf()),
    count,
  );
  for (const id of accountIds) chains.append(id, 1);
  await add();
  pass(1);
  const process = replica();
  const had = () => new Set(receivers.accepted.map(({ options }) => options.accountId));
  const sizes: number[] = [];
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await round(process);
    sizes.push(had().size);
    // The first ones always have something new.
    for (const id of accountIds.slice(0, 100)) chains.append(id, 1);
    pass(10);
  }
  expect(sizes).toEqual([108, 216, count]);
});

test("what the file no longer has is left alone, and goes on where it was when it is back", async () => {
  const { accountIds, add, chains, pass, receivers, replica, round } = await begin(
    sinksOf(sinkOf()),
  );
  const [accountId = ""] = accountIds;
  chains.append(accountId, 2);
  await add();
  pass(1);
  await round(replica());
  chains.append(accountId, 2);
  pass(60);
  // Another process, without the sink.
  await round();
  expect(receivers.numbers(accountId)).toEqual([1, 2]);
  await round(replica());
  expect(receivers.numbers(accountId)).toEqual([1, 2, 3, 4]);
});

test("what the operator names is sent by the operator's receivers, and what an account creates by its own", async () => {
  const { accountIds, add, chains, create, pass, receivers, replica, round } = await begin(
    sinksOf(sinkOf()),
    1,
  );
  const [accountId = ""] = accountIds;
  await create({ accountId });
  chains.append(accountId, 1);
  await add();
  pass(1);
  const opened: string[] = [];
  const openReceiver: SinksDeps["openReceiver"] = (config, owner) => {
    opened.push(`${config.type} of the ${owner}`);
    return receivers.open(config);
  };
  await round(replica({ openReceiver }));
  expect(new Set(opened)).toEqual(new Set(["http of the account", "otlp_http of the operator"]));
});
