// Guarantees: the head log that is served is kept in a bucket under object lock, complete for each
// checkpoint, as tlog-tiles has it, and nothing of it can be deleted. One replica uploads in an interval. A
// checkpoint is stored only after its files, whenever an upload ends. A bucket without object lock is
// refused. With a real PostgreSQL and S3 server (versitygw, which Go builds); without Go the test says so.

import {
  DeleteObjectCommand,
  GetObjectRetentionCommand,
  PutObjectCommand,
  PutObjectRetentionCommand,
} from "@aws-sdk/client-s3";
import { eventually, findS3Server } from "@annals/testing";
import {
  checkpointText,
  HASH_BYTES,
  noteSigner,
  noteText,
  parseCheckpoint,
  parseNote,
  parseTilePath,
  readNodes,
  rootFromNodes,
  tilePath,
  tilesOf,
  verifyNote,
} from "@annals/tlog";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LockedBucket } from "../locked-bucket.ts";
import { BUCKET, BucketReplicas, INTERVAL_S, LOCK_DAYS } from "../../testing/bucket-replicas.ts";

const MS_PER_DAY = 86_400_000;
/** After a failure the bucket is tried again within this time. */
const MAX_BACKOFF_S = 600;

const built = await findS3Server().catch((error: Error) => error);
const PROGRAMS = built instanceof Error ? [] : [built];
if (built instanceof Error)
  // oxlint-disable-next-line no-console -- nothing of the product needs Go, so its lack fails nothing
  console.warn(`not tested, since the S3 server cannot be built: ${built.message}`);

let system: BucketReplicas;

const versions = () => system.s3.versions(BUCKET);
const pathsIn = async () => (await versions()).map(({ Key = "" }) => Key);
const countOf = async (path: string) => (await pathsIn()).filter((key) => key === path).length;

/** Expects that the bucket's newest checkpoint is right for its files, and resolves to its size. */
async function verifiedSize(path = "checkpoint"): Promise<number> {
  const note = parseNote(String(await system.s3.read(BUCKET, path)));
  verifyNote(note, [system.log.key]);
  const { root, size } = parseCheckpoint(note.text);
  const files = new Map<string, Buffer>();
  for (const key of new Set(await pathsIn()))
    files.set(key, (await system.s3.read(BUCKET, key)) ?? Buffer.alloc(0));
  const readTile = (tile: Parameters<typeof tilePath>[0]) => {
    const bytes = files.get(tilePath(tile));
    const { index, width } = tile;
    expect(tile.level !== 0 || files.has(tilePath({ level: "entries", index, width }))).toBe(true);
    if (bytes === undefined) throw new Error(`${tilePath(tile)} is not there`);
    return bytes;
  };
  for (const tile of tilesOf(size)) expect(readTile(tile)).toHaveLength(tile.width * HASH_BYTES);
  expect(rootFromNodes(size, readNodes(size, readTile))).toEqual(root);
  return size;
}

/** Adds one more epoch, an interval later. */
async function grow(count: number): Promise<void> {
  await system.later(INTERVAL_S);
  system.log.grow(count);
}

test("the server is there, or it is said why not", () => {
  expect(built instanceof Error ? built.message : built).not.toBe("");
});

describe.each(PROGRAMS)("the log in a bucket", (program) => {
  beforeEach(async () => {
    system = await BucketReplicas.open(program);
  });
  afterEach(() => system.close());

  test("the served log is kept complete, with its cosignatures, and each hour's checkpoint stays", async () => {
    system.log.grow(300);
    system.log.cosignedAt = 1_778_414_405;
    const one = system.replica();
    await system.locked(one);
    expect(await verifiedSize()).toBe(300);
    const first = await system.s3.read(BUCKET, "checkpoints/300");
    expect(String(first)).toBe(system.log.checkpoint());
    expect(system.log.locked.get(300)).toMatchObject({ bucket: BUCKET, checkpoint: String(first) });
    await grow(230);
    await system.locked(one);
    expect(await verifiedSize()).toBe(530);
    expect(await verifiedSize("checkpoints/300")).toBe(300);
    expect((await pathsIn()).toSorted()).toEqual([
      "checkpoint",
      "checkpoint",
      "checkpoints/300",
      "checkpoints/530",
      "tile/0/000",
      "tile/0/001",
      "tile/0/001.p/44",
      "tile/0/002.p/18",
      "tile/1/000.p/1",
      "tile/1/000.p/2",
      "tile/entries/000",
      "tile/entries/001",
      "tile/entries/001.p/44",
      "tile/entries/002.p/18",
    ]);
    for (const path of await pathsIn())
      if (path.startsWith("tile/")) expect(tilePath(parseTilePath(path))).toBe(path);
    expect((await system.rows())[0]?.wait).toBeGreaterThan(INTERVAL_S - 60);
    expect(await one.lag()).toBe(0);
  });

  test("every version is locked in compliance mode, and can be neither deleted nor unlocked", async () => {
    system.log.grow(3);
    await system.locked(system.replica());
    const { client } = system.s3;
    const all = await versions();
    expect(all).toHaveLength(4);
    const least = Date.now() + (LOCK_DAYS - 1) * MS_PER_DAY;
    for (const { Key, VersionId } of all) {
      const object = { Bucket: BUCKET, Key, VersionId };
      const { Retention } = await client.send(new GetObjectRetentionCommand(object));
      expect(Retention?.Mode).toBe("COMPLIANCE");
      expect(Number(Retention?.RetainUntilDate)).toBeGreaterThan(least);
      const bypass = { ...object, BypassGovernanceRetention: true };
      await expect(client.send(new DeleteObjectCommand(bypass))).rejects.toThrow("object lock");
      const shorter = {
        Mode: "COMPLIANCE",
        RetainUntilDate: new Date(Date.now() + 60_000),
      } as const;
      const unlock = new PutObjectRetentionCommand({ ...bypass, Retention: shorter });
      await expect(client.send(unlock)).rejects.toThrow("object lock");
    }
    expect(await verifiedSize()).toBe(3);
  });

  test("one of all replicas uploads in an interval", async () => {
    const replicas = [system.replica(), system.replica(), system.replica()];
    system.log.grow(1);
    await system.locked(...replicas);
    await grow(1);
    await system.locked(...replicas);
    // Not before the interval is over.
    system.log.grow(1);
    const until = system.log.listed + 3 * replicas.length;
    await eventually("more work", () => {
      for (const { wake } of replicas) wake();
      return system.log.listed >= until;
    });
    expect((await system.rows())[0]?.wait).toBeGreaterThan(INTERVAL_S - 60);
    expect(await countOf("checkpoint")).toBe(2);
  });

  test("an upload that ends before its checkpoint stores none, and goes on with what is there", async () => {
    let isEnding = true;
    const around = (bucket: LockedBucket): LockedBucket => ({
      name: bucket.name,
      lockDays: bucket.lockDays,
      check: (signal) => bucket.check(signal),
      read: (path, signal) => bucket.read(path, signal),
      replace: (file, signal) => bucket.replace(file, signal),
      close: () => bucket.close(),
      keep: (file, signal) => {
        if (isEnding && file.path.startsWith("checkpoints/")) throw new Error("the process ends");
        return bucket.keep(file, signal);
      },
    });
    system.log.grow(257);
    const one = system.replica({ around });
    expect(await system.failure(one)).toBe("the process ends");
    expect((await pathsIn()).filter((path) => path.startsWith("checkpoint"))).toEqual([]);
    const before = await pathsIn();
    expect(before).toContain("tile/entries/001.p/1");
    isEnding = false;
    await system.later(60);
    await system.locked(one);
    expect(await verifiedSize()).toBe(257);
    expect((await pathsIn()).filter((path) => path.startsWith("tile/"))).toEqual(before);
  });

  test("a checkpoint that was stored but not reported is reported again, with its first cosignatures", async () => {
    system.log.grow(2);
    const told = system.log.client.addAnchor;
    const broken = {
      ...system.log.client,
      addAnchor: () => Promise.reject(new Error("no ledger")),
    };
    Object.assign(system.log.client, broken);
    const one = system.replica();
    expect(await system.failure(one)).toBe("no ledger");
    const kept = system.log.checkpoint();
    Object.assign(system.log.client, { addAnchor: told });
    system.log.cosignedAt = 1_778_414_405;
    await system.later(60);
    await system.locked(one);
    expect(system.log.locked.get(2)?.checkpoint).toBe(kept);
    expect(String(await system.s3.read(BUCKET, "checkpoint"))).toBe(system.log.checkpoint());
  });

  test("a bucket without object lock is refused at the start, and is late", async () => {
    await system.s3.createBucket("plain");
    await system.later(1);
    system.log.grow(1);
    const one = system.replica({ name: "plain" });
    expect(await system.failure(one)).toBe("the bucket has no object lock");
    expect(system.lines[0]).toMatchObject({
      bucket: "plain",
      reason: "the bucket has no object lock",
    });
    expect(await system.s3.versions("plain")).toEqual([]);
    expect(system.log.locked.size).toBe(0);
    await system.later(2 * INTERVAL_S);
    await eventually("a lag", async () => {
      one.wake();
      return Number(await one.lag()) >= INTERVAL_S;
    });
  });

  test("a bucket that does not exist says so", async () => {
    system.log.grow(1);
    expect(await system.failure(system.replica({ name: "absent" }))).toMatch(/does not exist/);
  });

  test("what is in the bucket and differs from the log is reported, and no checkpoint vouches for it", async () => {
    const Body = Buffer.alloc(32, 7);
    await system.s3.client.send(
      new PutObjectCommand({ Bucket: BUCKET, Key: "tile/0/000.p/1", Body }),
    );
    system.log.grow(1);
    const one = system.replica();
    expect(await system.failure(one)).toBe("the bucket has another tile/0/000.p/1");
    expect(await countOf("checkpoint")).toBe(0);
  });

  test("a file without a lock gets one", async () => {
    system.log.grow(1);
    const { content } = await system.log.client.readHeadLog({
      part: { case: "tile", value: { level: 0, index: 0n, width: 1 } },
    });
    const object = { Bucket: BUCKET, Key: "tile/0/000.p/1" };
    await system.s3.client.send(new PutObjectCommand({ ...object, Body: content }));
    await system.locked(system.replica());
    const { Retention } = await system.s3.client.send(new GetObjectRetentionCommand(object));
    expect(Retention?.Mode).toBe("COMPLIANCE");
  });

  test("a bucket that has more of the log than there is, is reported, and the ledger gets its checkpoint", async () => {
    system.log.grow(3);
    await system.locked(system.replica());
    const Body = (await system.s3.read(BUCKET, "checkpoint")) ?? expect.fail("no checkpoint");
    await system.close();
    system = await BucketReplicas.open(program);
    await system.s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "checkpoint", Body }));
    system.log.grow(2);
    expect(await system.failure(system.replica())).toBe(
      "the bucket has 3 entries of the log, which has 2",
    );
    expect(system.log.seen).toEqual([Body.toString()]);
  });

  test("a checkpoint in the bucket that the log has not signed counts for nothing", async () => {
    const text = checkpointText({ origin: system.log.key.name, size: 300, root: Buffer.alloc(32) });
    const stranger = noteSigner(system.log.key.name, Buffer.alloc(32, 9));
    const Body = noteText({ text, signatures: [stranger.sign(text)] });
    await system.s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: "checkpoint", Body }));
    system.log.grow(301);
    await system.locked(system.replica());
    expect(await verifiedSize()).toBe(301);
  });

  test("a bucket that is down is late, and catches up by itself", async () => {
    system.log.grow(1);
    const one = system.replica();
    await system.locked(one);
    await system.s3.pause();
    await grow(1);
    expect(await system.failure(one)).toMatch(/ECONNREFUSED/);
    for (let minute = 0; minute < 10; minute += 1) {
      await system.later(60);
      system.log.grow(1);
    }
    // An hour counts from when the first of these epochs was served.
    await system.later(INTERVAL_S);
    await eventually("ten minutes", async () => {
      one.wake();
      return Number(await one.lag()) >= 600;
    });
    await system.s3.resume();
    await system.later(MAX_BACKOFF_S);
    await system.locked(one);
    expect(await verifiedSize()).toBe(12);
    await eventually("no lag", async () => (await one.lag()) === 0);
    expect((await system.rows())[0]).toMatchObject({ failing: false, size: "0" });
  });
});
