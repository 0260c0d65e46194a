// Guarantees: for ten minutes without witnesses, time stamping authority and bucket, appends and epochs go on
// unchanged. What a quorum has seen stays served, and with `quorum none` serving goes on. The ledger says
// since when each anchor is missing, and no longer once it is there. A checkpoint counts as locked only if it
// was served, is this log's, and is locked beyond now.

import { parseCheckpoint, parseNote } from "@annals/tlog";
import { beforeEach, expect, test } from "vitest";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";
import { newWitness } from "../../testing/witnesses.ts";

const ACCOUNT = "acct_1";
const MINUTES = 10;
const UNTIL = "2033-05-11T12:00:00.000000Z";
const WITNESS = newWitness("w1", 11);
const policyOf = (quorum: string) => `witness w1 ${WITNESS.vkey}\nquorum ${quorum}\n`;

let log: TestLog;
let closer: ReturnType<TestLog["newCloser"]>;

beforeEach(async () => {
  log = await TestLog.open();
  closer = log.newCloser();
});

/** A minute in which an event is appended, and its epoch closed. */
async function minute(): Promise<void> {
  await log.grow(ACCOUNT, 1);
  log.later(INTERVAL_S);
  await closer.run();
}

const work = () =>
  log.ledger.client.listAnchorWork({ bucket: "b", isStamped: true, witnesses: [] });

async function served(): Promise<string> {
  const part = { case: "checkpoint", value: {} } as const;
  return Buffer.from((await log.ledger.client.readHeadLog({ part })).content).toString();
}

const servedSize = async () => parseCheckpoint(parseNote(await served()).text).size;

const add = (size: number, anchor: Parameters<typeof log.ledger.client.addAnchor>[0]["anchor"]) =>
  log.ledger.client.addAnchor({ log: 1, size: BigInt(size), ...(anchor && { anchor }) });

const lock = (size: number, more: Partial<ReturnType<typeof lockedOf>> = {}, checkpoint = "") =>
  add(size, { case: "locked", value: { ...lockedOf(checkpoint), ...more } });

const lockedOf = (checkpoint: string) => ({
  bucket: "b",
  checkpoint,
  retainUntil: UNTIL,
  version: "v1",
});

const sign = async (size: number) =>
  add(size, { case: "cosignatures", value: WITNESS.sign((await work()).checkpoint) });

test("without anchors for ten minutes what a quorum has seen stays served, and all go on by themselves", async () => {
  log.ledger.policy.use(policyOf("w1"));
  await minute();
  await sign(1);
  const first = await served();
  await lock(1, {}, first);
  expect(await work()).toMatchObject({ unservedSince: "", unlockedSince: "" });
  const began = log.time;
  for (let at = 0; at < MINUTES; at += 1) await minute();
  expect(await served()).toBe(first);
  expect(await log.checkedEpochs()).toHaveLength(1 + MINUTES);
  // The first epoch that waits was closed a minute after that.
  const since = "2026-05-10T12:02:00.000000Z";
  expect(began).toBe("2026-05-10T12:01:00.000000Z");
  // What is not served waits for no bucket.
  expect(await work()).toMatchObject({ unservedSince: since, unlockedSince: "" });
  await sign(1 + MINUTES);
  expect(await servedSize()).toBe(1 + MINUTES);
  expect((await work()).unservedSince).toBe("");
  expect((await work()).unlockedSince).not.toBe("");
  await lock(1 + MINUTES, {}, await served());
  expect(await work()).toMatchObject({ unservedSince: "", unlockedSince: "" });
});

test.each(["w1", "none"])("with `quorum %s` appends and epochs are the same", async (quorum) => {
  log.ledger.policy.use(policyOf(quorum));
  for (let at = 0; at < MINUTES; at += 1) await minute();
  expect(await log.checkedEpochs()).toHaveLength(MINUTES);
  const { epoch } = await log.ledger.client.getLog({ accountId: ACCOUNT });
  expect(epoch).toBe(BigInt(MINUTES));
});

test("with `quorum none` each epoch is served without any anchor, and the missing ones are named", async () => {
  log.ledger.policy.use(policyOf("none"));
  for (let at = 0; at < MINUTES; at += 1) {
    await minute();
    expect(await servedSize()).toBe(at + 1);
  }
  const { unlockedSince, unservedSince, unstampedSince } = await work();
  expect([unservedSince, unstampedSince]).toEqual(["", "2026-05-10T12:01:00.000000Z"]);
  const [row] = await log.owner.query<{ first: string }>(
    `SELECT to_char(min(quorum_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS first FROM ledger.epochs`,
  );
  expect(unlockedSince).toBe(row?.first);
  await lock(MINUTES - 1, {}, await checkpointOf(MINUTES - 1));
  expect((await work()).unlockedSince > unlockedSince).toBe(true);
  // Another bucket has nothing yet.
  const other = await log.ledger.client.listAnchorWork({ bucket: "other" });
  expect(other.unlockedSince).toBe(unlockedSince);
  await lock(MINUTES, {}, await checkpointOf(MINUTES));
  expect((await work()).unlockedSince).toBe("");
});

async function checkpointOf(size: number): Promise<string> {
  const query = "SELECT checkpoint FROM ledger.epochs WHERE epoch = $1";
  const [row] = await log.owner.query<{ checkpoint: string }>(query, [size]);
  return row?.checkpoint ?? "";
}

test("what is no served checkpoint of the log, or is not locked, is refused", async () => {
  log.ledger.policy.use(policyOf("none"));
  await minute();
  const first = await served();
  log.ledger.policy.use(policyOf("w1"));
  await minute();
  const second = (await work()).checkpoint;
  await expect(lock(2, {}, second)).rejects.toThrow("locked: The epoch is not served.");
  // Nor is it once a later one is.
  await minute();
  log.ledger.policy.use(policyOf("none"));
  await closer.run();
  expect(await servedSize()).toBe(3);
  await expect(lock(2, {}, second)).rejects.toThrow("locked: The epoch is not served.");
  await expect(lock(1, {}, second)).rejects.toThrow(
    "locked: What is locked is another checkpoint.",
  );
  await expect(lock(1, {}, "")).rejects.toThrow("locked: What is locked is another checkpoint.");
  for (const retainUntil of ["", "2033-05-11T12:00:00Z", log.time, "2020-01-01T00:00:00.000000Z"])
    await expect(lock(1, { retainUntil }, first)).rejects.toThrow("locked: It must be locked");
  await expect(lock(1, { bucket: "" }, first)).rejects.toThrow("bucket");
  await expect(lock(1, { bucket: "b".repeat(256) }, first)).rejects.toThrow("locked: The names");
  await expect(lock(4, {}, first)).rejects.toThrow("No epoch");
  expect(await log.owner.query("SELECT name FROM ledger.anchors")).toEqual([]);
  expect((await lock(1, {}, first)).names).toEqual(["b"]);
  await lock(1, { version: "v2" }, first);
  const [row] = await log.owner.query<{ bytes: Buffer }>("SELECT bytes FROM ledger.anchors");
  expect(String(row?.bytes)).toBe(`{"retain_until":"${UNTIL}","version":"v1"}`);
});
