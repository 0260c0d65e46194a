// Guarantees of notices, on a real nats-server: each reaches one consumer of a service, queued ones are
// merged and share messages, and whatever NATS does (unreachable at start, stopped, wiped, its stream
// deleted) no publisher waits or fails, and stream and consumers are created again without help.

import { createLog } from "@annals/chassis";
import { eventually } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { connect, type JetStreamManager } from "nats";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connectMessaging, type Messaging } from "./connection.ts";
import { consumeNotices } from "./consume.ts";
import { newMetrics, TestNats } from "./testing/nats.ts";
import { NoticePublisher } from "./publish.ts";
import { encodeNotices, type Notice, subjectOf } from "./subjects.ts";

const log = createLog({ service: "test", level: "error" }, { write: () => {} });
const closing: (() => Promise<void>)[] = [];

let nats: TestNats;
let counter = 0;

/** Sent one after the other, over many intervals. */
const NOTICES = 300n;

beforeAll(async () => {
  nats = await TestNats.start();
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => nats.remove());

async function messaging(url: string | undefined = nats.url): Promise<Messaging> {
  const made = await connectMessaging({ url, name: "test", log });
  closing.push(() => made.close());
  return made;
}

function publisher(on: Messaging) {
  const { metrics, read } = newMetrics();
  const made = new NoticePublisher(on, { log, metrics });
  closing.push(() => made.close());
  return { publisher: made, read };
}

/** Consumes into a list. */
function consumer(on: Messaging, durable: string) {
  const seen: Notice[] = [];
  const made = consumeNotices(on, { durable, log, onNotice: (notice) => void seen.push(notice) });
  closing.push(() => made.stop());
  return { seen, stop: () => made.stop() };
}

function newAccount(): string {
  counter += 1;
  return `acct_${counter}`;
}

async function connected(on: Messaging): Promise<void> {
  await on.connected(AbortSignal.timeout(10_000));
  expect(on.connection).toBeDefined();
}

async function connectedPublisher() {
  const on = await messaging();
  await connected(on);
  const { publisher: notices, read } = publisher(on);
  return { on, notices, read };
}

/** With a consumer on the same connection. */
async function connectedPair(durable: string) {
  const { on, ...made } = await connectedPublisher();
  return { ...made, seen: consumer(on, durable).seen };
}

async function withAdmin<T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
  const { host: servers, username: user, password: pass } = new URL(nats.url);
  const admin = await connect({ servers, user, pass });
  try {
    return await work(await admin.jetstreamManager());
  } finally {
    await admin.close();
  }
}

const STREAM = "ANNALS_NOTICES";
const pendingOf = (durable: string) =>
  withAdmin(async ({ consumers }) => (await consumers.info(STREAM, durable)).num_pending);

/** Messages that the stream has had in all. */
const messageCount = () =>
  withAdmin(async ({ streams }) => (await streams.info(STREAM)).state.last_seq);
const deleteStream = () => withAdmin(({ streams }) => streams.delete(STREAM));

describe("a reachable server", () => {
  test("each notice arrives once over two replicas", async () => {
    const [here, there] = [await messaging(), await messaging()];
    const durable = "once";
    const seen = [consumer(here, durable).seen, consumer(there, durable).seen];
    await connected(here);
    const { publisher: notices, read } = publisher(here);
    const accounts = Array.from({ length: 40 }, newAccount);
    for (const accountId of accounts) notices.notify({ kind: "events", accountId, position: 7n });
    await eventually("all arrive", () => seen.flat().length >= accounts.length);
    await eventually("none is left", async () => (await pendingOf(durable)) === 0);
    const order = ({ accountId }: Notice) => Number(accountId.slice("acct_".length));
    const arrived = seen.flat().toSorted((a, b) => order(a) - order(b));
    expect(arrived).toEqual(
      accounts.map((accountId) => ({ kind: "events", accountId, position: 7n })),
    );
    expect(await read("events", "published")).toBe(40);
    expect(await read("events", "failed")).toBe(0);
  });

  test("a replica that joins a busy one gets as many messages as it", async () => {
    const [here, there] = [await messaging(), await messaging()];
    await connected(here);
    const send = async (count: number): Promise<void> => {
      const message = encodeNotices([{ kind: "events", accountId: newAccount(), position: 1n }]);
      for (let n = 0; n < count; n += 1)
        await here.connection?.jetstream().publish(subjectOf("events"), message);
    };
    const busy = consumer(here, "joined").seen;
    await eventually("it gets some", () => send(1).then(() => busy.length > 0));
    await send(1_200);
    const joined = consumer(there, "joined").seen;
    await eventually("the other gets some", () => send(1).then(() => joined.length > 0));
    const before = [busy.length, joined.length] as const;
    await send(400);
    await eventually(
      "all arrive",
      () => busy.length + joined.length >= before[0] + before[1] + 400,
    );
    expect(joined.length - before[1]).toBeGreaterThan(160);
  });

  test("queued notices of an account become one for each kind, with the newest position", async () => {
    const { notices, read, seen } = await connectedPair("coalesced");
    const accountId = newAccount();
    for (let position = 1n; position <= 1_000n; position++) {
      notices.notify({ kind: "events", accountId, position });
      notices.notify({ kind: "exports", accountId, position: 1_001n - position });
    }
    await notices.close();
    const mine = () => seen.filter((notice) => notice.accountId === accountId);
    await eventually("both arrive", () => mine().length >= 2);
    expect(mine().map(({ kind, position }) => `${kind} ${position}`)).toEqual(
      expect.arrayContaining(["events 1000", "exports 1000"]),
    );
    expect(await read("events", "published")).toBe(1);
    expect(await read("exports", "published")).toBe(1);
  });

  test("notices of many accounts share messages, 64 of the largest in each", async () => {
    const { notices, read, seen } = await connectedPair("shared");
    await eventually("earlier notices are consumed", async () => (await pendingOf("shared")) === 0);
    const before = await messageCount();
    const position = 2n ** 63n - 1n;
    const accounts = Array.from({ length: 129 }, (_, at) => `acct_${`${at}`.padStart(26, "z")}`);
    for (const accountId of accounts) notices.notify({ kind: "events", accountId, position });
    const mine = () => seen.filter((notice) => notice.position === position);
    await eventually("all arrive", () => mine().length >= accounts.length);
    expect(mine().map(({ accountId }) => accountId)).toEqual(accounts);
    expect((await messageCount()) - before).toBe(3);
    expect(await read("events", "published")).toBe(129);
  });

  test("under load an account has at most one notice an interval, and the last has the newest position", async () => {
    const { notices, read, seen } = await connectedPair("intervals");
    const accountId = newAccount();
    const started = performance.now();
    let position = 0n;
    while (position < NOTICES) {
      notices.notify({ kind: "events", accountId, position: ++position });
      await pause(1);
    }
    await eventually("the last arrives", () =>
      seen.some((notice) => notice.accountId === accountId && notice.position === position),
    );
    // One for each interval of 50 ms, and the first.
    expect(await read("events", "published")).toBeLessThanOrEqual(
      (performance.now() - started) / 50 + 1,
    );
  });

  test("the stream is bounded, and changed options are set back", async () => {
    await connected(await messaging());
    await withAdmin(async ({ streams }) => {
      const { config } = await streams.info(STREAM);
      expect(config).toMatchObject({
        max_bytes: 64 * 1024 * 1024,
        max_age: 3_600 * 1_000_000_000,
        discard: "old",
        retention: "limits",
        storage: "file",
      });
      await streams.update(STREAM, { ...config, max_age: 0 });
    });
    consumer(await messaging(), "bounded");
    const isSetBack = async ({ streams }: JetStreamManager) =>
      (await streams.info(STREAM)).config.max_age === 3_600 * 1_000_000_000;
    await eventually("they are set back", () => withAdmin(isSetBack));
  });
});

describe("an unreachable server", () => {
  test("not configured: nothing is published, nothing fails, close returns at once", async () => {
    const { publisher: notices, read } = publisher(
      await connectMessaging({ url: undefined, name: "test", log }),
    );
    notices.notify({ kind: "events", accountId: newAccount(), position: 1n });
    await notices.close();
    expect(await read("events", "failed")).toBe(0);
  });

  test("unreachable at start: publishing never throws, and works once the server is up", async () => {
    await nats.stop();
    const on = await messaging();
    const { publisher: notices, read } = publisher(on);
    const { seen } = consumer(on, "late");
    const accountId = newAccount();
    notices.notify({ kind: "events", accountId, position: 1n });
    await eventually("it is counted", async () => (await read("events", "failed")) === 1);
    await nats.start();
    await connected(on);
    notices.notify({ kind: "events", accountId, position: 2n });
    const arrived = await eventually("it arrives", () =>
      seen.find((notice) => notice.position === 2n && notice.accountId === accountId),
    );
    expect(arrived.kind).toBe("events");
  });

  test.for(["stopped and started", "wiped", "without its stream"] as const)(
    "%s: notices arrive again without help",
    async (what) => {
      const { notices, seen } = await connectedPair("again");
      const accountId = newAccount();
      const arrives = async (position: bigint) => {
        // Notices during the outage are lost by design: the producer goes on to publish.
        let next = position;
        return eventually(`a notice arrives: ${what}`, () => {
          notices.notify({ kind: "verifications", accountId, position: next++ });
          return seen.find((each) => each.accountId === accountId && each.position >= position);
        });
      };
      await arrives(1n);
      if (what === "wiped") await nats.wipe();
      if (what === "without its stream") await deleteStream();
      if (what === "stopped and started") {
        await nats.stop();
        await nats.start();
      }
      expect(await arrives(1_000_000n)).toMatchObject({ kind: "verifications", accountId });
    },
  );

  test("a publisher creates a deleted stream again, without a consumer", async () => {
    const { notices, read } = await connectedPublisher();
    await deleteStream();
    for (let i = 0; i < 20; i++) {
      notices.notify({ kind: "exports", accountId: newAccount(), position: 1n });
    }
    await eventually("all are published", async () => (await read("exports", "published")) === 20);
    expect(await read("exports", "failed")).toBe(0);
  });

  test("frozen: the queue is bounded and published later, the rest is dropped", async () => {
    const { notices, read } = await connectedPublisher();
    nats.freeze();
    for (let i = 0; i < 20_000; i++) {
      notices.notify({ kind: "events", accountId: `acct_many_${i}`, position: 1n });
    }
    const failed = await read("events", "failed");
    nats.thaw();
    expect(failed).toBe(20_000 - 10_000);
    const taken = () => read("events", "published");
    await eventually("the queue is published", async () => (await taken()) === 10_000, 20_000);
  });
});
