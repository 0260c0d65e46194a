// Guarantee: with helm/annals/nats-users.conf on a real nats-server, each service can do its work, create
// a stream that is missing included, and nothing else: no user purges, deletes or empties the stream,
// publishes what it does not make, or hears what is for another. No client connects without a password.

import { createLog } from "@annals/chassis";
import { eventually } from "@annals/testing";
import { connect, type NatsConnection } from "nats";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connectMessaging } from "./connection.ts";
import { consumeNotices } from "./consume.ts";
import { DISPATCHER, noticeLag } from "./lag.ts";
import { NoticePublisher } from "./publish.ts";
import { encodeNotices, type Notice, STREAM, subjectOf } from "./subjects.ts";
import { newMetrics, TestNats } from "./testing/nats.ts";

const USERS = ["ledger", "export", "webhook-dispatcher"] as const;
type User = (typeof USERS)[number];

const warnings: string[] = [];
const log = createLog(
  { service: "test", level: "warn" },
  { write: (line: string) => void warnings.push(line) },
);
const closing: (() => Promise<void>)[] = [];

let nats: TestNats;
beforeAll(async () => {
  nats = await TestNats.start();
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => nats.remove());

async function as(user: User) {
  const made = await connectMessaging({ url: nats.urlOf(user), name: "test", log });
  closing.push(() => made.close());
  await made.connected(AbortSignal.timeout(10_000));
  return made;
}

/** A bare connection of the same login. */
async function raw(user: User | "operator"): Promise<NatsConnection> {
  const url = user === "operator" ? nats.url : nats.urlOf(user);
  const { host, username, password } = new URL(url);
  const made = await connect({
    servers: host,
    user: username,
    pass: password,
    inboxPrefix: `_INBOX.${user}`,
  });
  closing.push(() => made.close());
  return made;
}

describe("each service does its work:", () => {
  test("ledger and export publish, the dispatcher consumes, and nothing is refused", async () => {
    await nats.wipe();
    // The stream exists before the others come: the ledger creates it.
    const ledger = await as("ledger");
    const { metrics, read } = newMetrics();
    const [events, exports] = [ledger, await as("export")].map(
      (on) => new NoticePublisher(on, { log, metrics }),
    );
    const seen: Notice[] = [];
    const consumer = consumeNotices(await as("webhook-dispatcher"), {
      durable: DISPATCHER,
      log,
      onNotice: (notice) => void seen.push(notice),
    });
    closing.push(() => consumer.stop());
    events?.notify({ kind: "events", accountId: "acct_1", position: 1n });
    events?.notify({ kind: "verifications", accountId: "acct_1", position: 2n });
    exports?.notify({ kind: "exports", accountId: "acct_1", position: 3n });
    await eventually("all arrive", () => seen.length === 3);
    expect(await read("exports", "failed")).toBe(0);
    expect(await noticeLag(ledger, DISPATCHER)).toEqual({ pending: 0, oldestSeconds: 0 });

    await consumer.stop();
    // A request for messages that is open when its consumer stops may still take one.
    let position = 4n;
    await eventually("one waits, and the ledger sees since when", async () => {
      events?.notify({ kind: "events", accountId: "acct_1", position: (position += 1n) });
      return ((await noticeLag(ledger, DISPATCHER))?.pending ?? 0) > 0;
    });
    expect(warnings).toEqual([]);
  });

  test.each(USERS)("%s creates a stream that is missing", async (user) => {
    await (await (await raw("operator")).jetstreamManager()).streams.delete(STREAM);
    await as(user);
    const { config } = await (
      await (await raw("operator")).jetstreamManager()
    ).streams.info(STREAM);
    expect(config.subjects).toEqual(["annals.notices.*"]);
  });
});

const NOTICE = encodeNotices([{ kind: "events", accountId: "acct_1", position: 1n }]);
const OTHERS: Readonly<Record<User, readonly string[]>> = {
  ledger: [subjectOf("exports"), `$JS.API.STREAM.UPDATE.${STREAM}`],
  export: [subjectOf("events"), subjectOf("verifications"), `$JS.API.STREAM.UPDATE.${STREAM}`],
  "webhook-dispatcher": [subjectOf("events"), subjectOf("verifications"), subjectOf("exports")],
};

describe.each(USERS)("%s is refused", (user) => {
  test.each([
    `$JS.API.STREAM.PURGE.${STREAM}`,
    `$JS.API.STREAM.DELETE.${STREAM}`,
    `$JS.API.STREAM.MSG.DELETE.${STREAM}`,
    `$JS.API.CONSUMER.DELETE.${STREAM}.webhook-dispatcher`,
    "$JS.API.STREAM.CREATE.OTHER",
    "$JS.API.STREAM.LIST",
    `$JS.API.CONSUMER.CREATE.${STREAM}.other.annals.notices.*`,
    `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.other`,
    "$SYS.REQ.SERVER.PING",
    "anything",
    ...OTHERS[user],
  ])("to publish %s", async (subject) => {
    await as(user);
    const bare = await raw(user);
    await expect(bare.request(subject, NOTICE, { timeout: 5_000 })).rejects.toMatchObject({
      code: "PERMISSIONS_VIOLATION",
    });
  });

  test.each([
    ">",
    "annals.notices.>",
    "$JS.>",
    "_INBOX.>",
    ...USERS.filter((each) => each !== user).map((each) => `_INBOX.${each}.>`),
  ])("to subscribe to %s", async (subject) => {
    const bare = await raw(user);
    const answer = Promise.withResolvers<unknown>();
    bare.subscribe(subject, { callback: (error, message) => answer.resolve(error ?? message) });
    // The server refuses before it answers these.
    await bare.flush();
    await bare.flush();
    answer.resolve("subscribed");
    expect(await answer.promise).toMatchObject({ code: "PERMISSIONS_VIOLATION" });
  });
});

test.each([
  ["no login", {}],
  ["another's password", { user: "ledger", pass: "pwrong" }],
  ["a user that is none", { user: "gateway", pass: "pwrong" }],
])("no client connects with %s", async (_, login) => {
  const { host } = new URL(nats.url);
  await expect(connect({ servers: host, ...login })).rejects.toMatchObject({
    code: "AUTHORIZATION_VIOLATION",
  });
});
