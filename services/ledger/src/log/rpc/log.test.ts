// Guarantees: what the log says of an account can be verified with the keys of the log alone: its checkpoint,
// its heads in every epoch, and the head log up to what is served. Nothing is there before the first epoch.

import type { ReadHeadLogRequestSchema } from "@annals/proto/ledger";
import {
  append,
  EMPTY_TREE,
  entryHash,
  HASH_BYTES,
  parseCheckpoint,
  parseEntry,
  parseHeadRecord,
  parseNote,
  rootOf,
  verifyConsistency,
  verifyHead,
  verifyInclusion,
  verifyNote,
} from "@annals/tlog";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import { ORIGIN } from "../../testing/log-signer.ts";
import { appendOf } from "../../testing/test-ledger.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";

const [ACCOUNT, OTHER] = ["acct_1", "acct_2"];
const EPOCHS = 20;
const bytesOf = (bytes: Uint8Array) => Buffer.from(bytes);
const NO_LOG = /No epoch of the log covers this account yet/;

let log: TestLog;
let closer: ReturnType<TestLog["newCloser"]>;

beforeEach(async () => {
  log = await TestLog.open();
  closer = log.newCloser();
});

async function epoch(accountId: string, events: number): Promise<void> {
  await log.grow(accountId, events);
  log.later(INTERVAL_S);
  await closer.run();
}

const checkpointOf = async () =>
  (await log.ledger.client.readCheckpoint({ accountId: ACCOUNT })).checkpoint;

function verified(note: string, account = "") {
  const parsed = parseNote(note);
  verifyNote(parsed, log.signer.keysOf(account));
  return parseCheckpoint(parsed.text);
}

test("there is nothing before the first epoch", async () => {
  await expect(log.ledger.client.getLog({ accountId: ACCOUNT })).rejects.toThrow(NO_LOG);
  await expect(checkpointOf()).rejects.toThrow(NO_LOG);
  const shown = await log.ledger.client.getWidgetLog({ accountId: ACCOUNT });
  expect([shown.logOrigin, shown.covered]).toEqual(["", undefined]);
  const heads = log.ledger.client.listHeads({ accountId: ACCOUNT, limit: 50 });
  await expect(heads).rejects.toThrow(NO_LOG);
  const vkey = { part: { case: "vkey", value: {} } } as const;
  await expect(log.ledger.client.readHeadLog(vkey)).rejects.toThrow("No log");
});

test("what is covered, and what is not yet", async () => {
  await epoch(OTHER, 1);
  expect((await log.ledger.client.getLog({ accountId: ACCOUNT })).covered).toBeUndefined();
  await epoch(ACCOUNT, 3);
  await epoch(OTHER, 1);
  await log.append(ACCOUNT, 2);
  const said = await log.ledger.client.getLog({ accountId: ACCOUNT });
  expect(said).toMatchObject({
    origin: `${ORIGIN}/${ACCOUNT}`,
    logOrigin: ORIGIN,
    size: 5n,
    epoch: 3n,
    covered: { size: 3n, epoch: 2n, time: "2026-05-10T12:02:00.000000Z", witnesses: [] },
  });
  expect(said.vkeys).toHaveLength(1);
  expect(await log.ledger.client.getWidgetLog({ accountId: ACCOUNT })).toMatchObject({
    logOrigin: ORIGIN,
    covered: { size: 3n, epoch: 2n },
  });
});

describe("the account's checkpoint", () => {
  test("is signed once for a head, under the account's name", async () => {
    await epoch(OTHER, 1);
    await epoch(ACCOUNT, 3);
    const note = await checkpointOf();
    const [tree] = await log.owner.query<{ root: Buffer }>(
      `SELECT root FROM ledger.trees WHERE account_id = '${ACCOUNT}'`,
    );
    expect(verified(note, ACCOUNT)).toEqual({
      origin: `${ORIGIN}/${ACCOUNT}`,
      size: 3,
      root: tree?.root,
    });
    // The signer would refuse to sign for a log that it has never seen.
    log.signer.head = { size: 99, root: Buffer.alloc(HASH_BYTES) };
    expect(await checkpointOf()).toBe(note);
  });

  test("gets the signature of a key that joins later", async () => {
    await epoch(ACCOUNT, 3);
    await checkpointOf();
    log.signer.seeds.unshift(Buffer.alloc(32, 5));
    await epoch(OTHER, 1);
    expect(parseNote(await checkpointOf()).signatures).toHaveLength(2);
  });

  test("waits where keys has signed a later head than the log has", async () => {
    await epoch(ACCOUNT, 3);
    log.signer.head = { size: 99, root: Buffer.alloc(HASH_BYTES) };
    await expect(checkpointOf()).rejects.toThrow("cannot be signed now");
  });
});

describe("the heads of an account", () => {
  beforeEach(async () => {
    // Accounts enough that some share a bucket of the map.
    const appends = Array.from({ length: 600 }, (_, at) => appendOf(`acct_${at + 10}`, 1));
    await log.ledger.client.createEvents({ appends });
    for (let at = 0; at < EPOCHS; at += 1) await epoch(at % 3 === 2 ? ACCOUNT : OTHER, 2);
  });

  test("are proved in every epoch", async () => {
    const { heads } = await log.ledger.client.listHeads({ accountId: ACCOUNT, limit: 50 });
    // It has no head in the first two.
    expect(heads.map((head) => Number(head.epoch))).toEqual(
      Array.from({ length: EPOCHS - 2 }, (_, at) => at + 3),
    );
    const { root, size } = verified(await checkpointOf(), ACCOUNT);
    for (const line of heads) {
      const entry = parseEntry(line.entry);
      if (entry.kind !== "heads") throw new Error("another kind");
      const head = parseHeadRecord(line.head);
      verifyHead(entry.heads, head, line.path.map(bytesOf));
      const whole = verified(line.checkpoint);
      const [leaf, proof] = [entryHash(Buffer.from(line.entry)), line.inclusion.map(bytesOf)];
      verifyInclusion(entry.epoch - 1, whole.size, leaf, proof, whole.root);
      verifyConsistency(head, { root, size }, line.consistency.map(bytesOf));
      expect(head.size).toBe(2 * Math.floor(Number(line.epoch) / 3));
    }
  });

  test("come in pages, each of which has one", async () => {
    const read = (afterEpoch: bigint, limit: number) =>
      log.ledger.client.listHeads({ accountId: ACCOUNT, afterEpoch, limit });
    // The two epochs before the first event are no page of their own.
    for (const [after, limit, epochs] of [
      [0n, 2, [3n, 4n]],
      [10n, 4, [11n, 12n, 13n, 14n]],
    ] as const) {
      const { hasMore, heads } = await read(after, limit);
      expect([hasMore, heads.map(({ epoch: each }) => each)]).toEqual([true, epochs]);
    }
    const last = await read(14n, 6);
    expect([last.hasMore, last.heads.length]).toEqual([false, 6]);
    await expect(read(0n, 51)).rejects.toThrow("limit: Must be from 1 to 50.");
  });
});

describe("the head log", () => {
  type Part = NonNullable<MessageInitShape<typeof ReadHeadLogRequestSchema>["part"]>;
  const content = async (part: Part) =>
    Buffer.from((await log.ledger.client.readHeadLog({ part })).content);
  const tile = (value: { level: number; index: bigint; width: number }) =>
    content({ case: "tile", value });

  test("has its checkpoint, its tiles and its entries, and nothing beyond them", async () => {
    await epoch(ACCOUNT, 1);
    await log.ageTo(254);
    for (let at = 255; at <= 258; at += 1) await epoch(ACCOUNT, 1);
    const { origin, root, size } = verified(
      (await content({ case: "checkpoint", value: {} })).toString(),
    );
    expect([origin, size]).toEqual([ORIGIN, 258]);
    const full = await tile({ level: 0, index: 0n, width: 256 });
    const rest = await tile({ level: 0, index: 1n, width: 2 });
    const hashes = Array.from({ length: 258 }, (_, at) => {
      const bytes = Buffer.concat([full, rest]);
      return bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    });
    expect(rootOf(append(EMPTY_TREE, hashes))).toEqual(root);
    const above = await tile({ level: 1, index: 0n, width: 1 });
    expect(above).toEqual(rootOf(append(EMPTY_TREE, hashes.slice(0, 256))));
    const bundle = await content({ case: "entries", value: { index: 1n, width: 2 } });
    const length = bundle.readUInt16BE(0);
    expect(entryHash(bundle.subarray(2, 2 + length))).toEqual(hashes[256]);
    for (const beyond of [
      { level: 0, index: 1n, width: 3 },
      { level: 0, index: 2n, width: 1 },
      { level: 1, index: 0n, width: 2 },
      { level: 64, index: 0n, width: 1 },
      { level: 0, index: 0n, width: 0 },
      { level: 0, index: 0n, width: 257 },
    ])
      await expect(tile(beyond)).rejects.toThrow("No tile");
  });

  test("names its keys, and no other log is there", async () => {
    await epoch(ACCOUNT, 1);
    expect((await content({ case: "vkey", value: {} })).toString()).toMatch(
      /^log\.example\/test\+[0-9a-f]{8}\+\S+\n$/,
    );
    const part = { case: "vkey", value: {} } as const;
    await expect(log.ledger.client.readHeadLog({ part, log: 2 })).rejects.toThrow("No log");
    await expect(log.ledger.client.readHeadLog({ part, log: 40_000 })).rejects.toThrow("No log");
    await expect(log.ledger.client.readHeadLog({})).rejects.toThrow("Ask for one part");
  });
});
