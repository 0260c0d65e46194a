// Guarantee: one event that a receiver refuses for good is found and named, whatever the receiver says of it,
// and everything before it arrives. It is passed over only at its owner's wish: then the receiver gets a gap,
// and the status, the metric and the account's chain say so. What refuses the whole sink passes nothing over.
// Batches that are too large are halved, and stay so.

import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { GROWS_AFTER_MS } from "../rules/sink-refusals.ts";
import type { OnRejected } from "../rules/sink.ts";
import { skipSinkRecord } from "../rpc/skip-sink-record.ts";
import { REFUSING, refusingReceiver } from "../../testing/refusing-receivers.ts";
import { newReceiver } from "../../testing/sink-receivers.ts";
import { newSinkWorld } from "../../testing/sink-world.ts";

const upTo = (count: number, without: readonly number[] = []) =>
  Array.from({ length: count }, (_, at) => at + 1).filter((number) => !without.includes(number));
const KINDS = Object.keys(REFUSING);
/** One of each way to refuse: the others differ in how they write events. */
const WAYS = ["HTTP with 400", "_bulk", "Splunk", "OTLP"];
const SKIPPED = "annals.sink.skipped";

/** Does the same with a receiver of each of some kinds, one after the other. */
async function ofEach(
  onRejected: OnRejected,
  work: (sink: Awaited<ReturnType<typeof begin>>, kind: string) => Promise<void>,
  kinds = WAYS,
): Promise<void> {
  const world = await newSinkWorld();
  for (const kind of kinds) await work(await begin(kind, onRejected, world), kind);
}

type World = Awaited<ReturnType<typeof newSinkWorld>>;
/** A sink of an account of its own, whose receiver is of a kind. */
async function begin(kind: string, onRejected: OnRejected, given?: World) {
  const world = given ?? (await newSinkWorld());
  const receiver = await refusingReceiver(kind);
  const { accountId, id } = await world.create({ config: receiver.config, onRejected });
  const replica = world.replica({ openReceiver: (config) => newReceiver(config) });
  const refuse = (...numbers: readonly number[]) => {
    receiver.refuses = ({ sequence_number: number }) => numbers.includes(number ?? 0);
  };
  const state = async () => {
    const { attempts, cursor, last_error, lost, refusals } = await world.row(id);
    const rejected = JSON.parse((refusals ?? "{}") as string).rejected;
    const ranges = JSON.parse((lost ?? "[]") as string) as {
      from: number;
      to: number;
      reason: string;
    }[];
    return { attempts, cursor: Number(cursor), last_error, lost: ranges, rejected };
  };
  const skip = (number: number) => {
    const { clock, metrics, now } = world.deps;
    const deps = { clock, database: world.pool, metrics, now };
    const request = { accountId, id, sequenceNumber: BigInt(number) };
    const context = { values: createContextValues() } as HandlerContext;
    return skipSinkRecord(deps)(request as never, context);
  };
  const skips = async () => {
    const rows = await world.database.query<{ account_id: string; event: string }>(
      "SELECT account_id, event FROM webhooks.audit_outbox ORDER BY number",
    );
    const entries = rows.map((row) => ({ of: row.account_id, ...JSON.parse(row.event) }));
    return entries.filter(({ action, of }) => action === SKIPPED && of === accountId);
  };
  const total = async () => {
    const { values } = await world.metrics.sinkSkipped.get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const before = await total();
  const counted = async () => (await total()) - before;
  const round = () => world.round(replica);
  return { ...world, accountId, counted, id, receiver, refuse, round, skip, skips, state };
}

describe("an event that is refused", () => {
  test("is named, and stops the sink until its owner passes over it", async () => {
    await ofEach(
      "stop",
      async ({ accountId, chains, id, receiver, refuse, round, skip, skips, state }, kind) => {
        chains.append(accountId, 300);
        refuse(37);
        await round();
        expect(await state(), kind).toEqual({
          attempts: 1,
          cursor: 36,
          last_error: expect.any(String),
          lost: [],
          rejected: { sequence_number: 37, id: `evt_${accountId.slice(-4)}37`, ...receiver.named },
        });
        expect(receiver.numbers()).toEqual(expect.arrayContaining(upTo(36)));
        await expect(skip(38)).rejects.toMatchObject({
          kind: "invalid",
          message: "sequence_number: must be 37, which is the event that the receiver refuses",
        });
        await skip(37);
        await round();
        expect(await state(), kind).toMatchObject({
          attempts: 0,
          cursor: 300,
          lost: [{ from: 37, to: 37, reason: "rejected" }],
          rejected: undefined,
        });
        expect(receiver.numbers().toSorted((a, b) => a - b)).toEqual(upTo(300, [37]));
        expect(receiver.gaps()).toMatchObject([
          { chain: accountId, metadata: { sink: id, from: 37, to: 37, reason: "rejected" } },
        ]);
        expect(await skips()).toMatchObject([
          {
            of: accountId,
            target: { type: "sink", id },
            metadata: {
              event_id: `evt_${accountId.slice(-4)}37`,
              sequence_number: "37",
              status: receiver.named.status,
            },
          },
        ]);
        await expect(skip(37)).rejects.toMatchObject({ kind: "invalid" });
      },
      KINDS,
    );
  });

  test("is taken when the receiver takes it, and the sink goes on", async () => {
    await ofEach(
      "stop",
      async ({ accountId, chains, pass, receiver, refuse, round, state }, kind) => {
        chains.append(accountId, 300);
        refuse(300);
        await round();
        expect((await state()).cursor).toBe(299);
        refuse();
        chains.append(accountId, 100);
        pass(1);
        await round();
        expect(await state(), kind).toMatchObject({
          attempts: 0,
          cursor: 400,
          rejected: undefined,
        });
        expect(receiver.numbers()).toHaveLength(400);
      },
    );
  });

  test("is passed over by a sink that skips, and each is recorded", async () => {
    await ofEach(
      "skip",
      async ({ accountId, chains, counted, receiver, refuse, round, skips, state }, kind) => {
        chains.append(accountId, 300);
        const refused = [1, 37, 38, 250];
        refuse(...refused);
        await round();
        expect(await state(), kind).toMatchObject({
          attempts: 0,
          cursor: 300,
          rejected: undefined,
        });
        expect((await state()).lost).toEqual(
          refused.map((number) => ({ from: number, to: number, reason: "rejected" })),
        );
        expect(receiver.numbers().toSorted((a, b) => a - b)).toEqual(upTo(300, refused));
        expect(receiver.gaps()).toHaveLength(4);
        expect((await skips()).map(({ metadata }) => metadata.sequence_number)).toEqual(
          refused.map(String),
        );
        expect(await counted()).toBe(4);
      },
      KINDS,
    );
  });
});

test.each([1_000, 1])(
  "a refused event of %d is found by few requests, named or not, and not looked for again",
  async (count) => {
    const [named, unnamed] = [4, 25];
    await ofEach(
      "stop",
      async ({ accountId, chains, pass, receiver, refuse, round, state }, kind) => {
        chains.append(accountId, count);
        const sequence_number = Math.ceil(count / 3);
        refuse(sequence_number);
        await round();
        expect((await state()).rejected, kind).toMatchObject({ sequence_number });
        const max = ["_bulk", "Splunk"].includes(kind) ? named : unnamed;
        expect(receiver.sizes.length, kind).toBeLessThanOrEqual(max);
        receiver.sizes.length = 0;
        for (let n = 0; n < 3; n += 1) {
          chains.append(accountId, 9);
          pass(600);
          await round();
        }
        expect(receiver.sizes.length, kind).toBe(3);
      },
    );
  },
);

describe("a receiver that refuses the sink", () => {
  test("gets the same batch, and nothing is passed over", async () => {
    await ofEach(
      "skip",
      async ({ accountId, chains, pass, receiver, round, skips, state }, kind) => {
        chains.append(accountId, 3);
        let attempts = 0;
        for (const status of kind === "_bulk" ? [401, 403, 404, 429, 500, 503] : [403, 503]) {
          receiver.status = status;
          await round();
          attempts += 1;
          const of = `${kind} ${status}`;
          expect(await state(), of).toMatchObject({
            attempts,
            cursor: 0,
            lost: [],
            rejected: undefined,
          });
          pass(600);
        }
        expect([receiver.sizes.length, await skips()], kind).toEqual([attempts, []]);
      },
    );
  });

  // Of two events the second one is alone then.
  test.each([50, 2])(
    "and responds with 400 to everything loses exactly one event of %d",
    async (count) => {
      await ofEach("skip", async ({ accountId, chains, pass, receiver, round, state }, kind) => {
        chains.append(accountId, count);
        receiver.status = 400;
        for (let n = 0; n < 5; n += 1) {
          await round();
          pass(600);
        }
        expect(await state(), kind).toMatchObject({
          cursor: 1,
          lost: [{ from: 1, to: 1, reason: "rejected" }],
        });
        receiver.status = undefined;
        await round();
        expect(await state(), kind).toMatchObject({ attempts: 0, cursor: count });
        expect([receiver.gaps().length, receiver.numbers().length]).toEqual([1, count - 1]);
      });
    },
  );
});

test("the record of a skip is not passed over itself: it would be followed by another one", async () => {
  const { accountId, chains, refuse, round, skips, state } = await begin("_bulk", "skip");
  chains.append(accountId, 1);
  chains.append(accountId, 1, { action: SKIPPED });
  refuse(1, 2);
  await round();
  expect(await state()).toMatchObject({ cursor: 1, rejected: { sequence_number: 2 } });
  expect(await skips()).toHaveLength(1);
});

describe("a receiver that takes 20,000 bytes", () => {
  const LIMIT = 20_000;
  test("gets all of it, in batches that do not grow back at once", async () => {
    const work: Parameters<typeof ofEach>[1] = async (sink, kind) => {
      const { accountId, chains, pass, receiver, round, state } = sink;
      const append = () => chains.append(accountId, 400, { metadata: { text: "x".repeat(300) } });
      const refused = () => receiver.sizes.filter((size) => size > LIMIT).length;
      receiver.maxBytes = LIMIT;
      append();
      await round();
      expect(await state(), kind).toMatchObject({ attempts: 0, cursor: 400, last_error: null });
      expect(receiver.numbers()).toEqual(upTo(400));
      expect(refused()).toBeLessThan(10);
      receiver.sizes.length = 0;
      append();
      pass(5);
      await round();
      expect([(await state()).cursor, refused()], kind).toEqual([800, 0]);
      append();
      pass(GROWS_AFTER_MS / 1_000);
      await round();
      expect([(await state()).cursor, refused()], kind).toEqual([1_200, 1]);
    };
    await ofEach("stop", work, WAYS.slice(0, 3));
  });

  test("names an event that is larger, and a sink that skips passes over it", async () => {
    const { accountId, chains, counted, receiver, round, state } = await begin("_bulk", "skip");
    receiver.maxBytes = LIMIT;
    chains.append(accountId, 5);
    chains.append(accountId, 1, { metadata: { text: "x".repeat(LIMIT) } });
    chains.append(accountId, 5);
    await round();
    expect(receiver.numbers()).toEqual(upTo(11, [6]));
    expect(await state()).toMatchObject({
      cursor: 11,
      lost: [{ from: 6, to: 6, reason: "rejected" }],
    });
    expect(await counted()).toBe(1);
  });
});
