// Guarantee: in a bucket that keeps versions, no version of any object has an erased value once the erasure
// is completed, and none is left of an archive that has ended. A version that another program has stored
// under the name of a file goes with it. With a real PostgreSQL, and a real S3 server, which Go builds if it
// is not there; without it, the run says so.

import { s3Storage } from "@annals/export/src/storage/s3-storage.ts";
import { freePort } from "@annals/local";
import { findS3Server, S3Server } from "@annals/testing";
import { zstdDecompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { type ArchivesWorld, openArchives } from "../system/archives.ts";
import { leaveOut } from "../system/needs.ts";

const found = await findS3Server().catch((error: Error) => error);
/** Empty if the server cannot be built. Nothing is skipped then, because nothing of the product needs Go. */
const PROGRAMS = typeof found === "string" ? [found] : [];
const ACCOUNT = "acct_1";
const ADA = "ada-7f3a";
const BUCKET = "archives";
const NEXT_MONTH = 25;
const BOTH = { exports: true, webhooks: false };

if (typeof found !== "string") leaveOut("programs built with Go", found.message);

test("the server is there, or it is said why not", () => {
  expect(typeof found === "string" ? found : found.message).not.toBe("");
});

async function openBucket(program: string): Promise<S3Server> {
  const server = await S3Server.start(program, await freePort());
  onTestFinished(() => server.close());
  await server.createBucket(BUCKET);
  await server.enableVersions(BUCKET);
  return server;
}

function replicaIn({ credentials, endpoint, region }: S3Server, world: ArchivesWorld) {
  const storage = s3Storage({ bucket: BUCKET, credentials, endpoint, region, prefix: "" });
  onTestFinished(() => storage.close());
  return world.newReplica(() => storage);
}

/** The names of all versions that have a text. */
async function versionsWith(server: S3Server, text: string): Promise<string[]> {
  const names: string[] = [];
  for (const { Key = "", VersionId } of await server.versions(BUCKET)) {
    const bytes = await server.read(BUCKET, Key, VersionId);
    const isCompressed = bytes?.readUInt32LE(0) === 0xfd2fb528;
    if (bytes && (isCompressed ? zstdDecompressSync(bytes) : bytes).includes(text)) names.push(Key);
  }
  return names;
}

test.each(PROGRAMS)(
  "no version has an erased value, or is left of an archive that has ended",
  async (program) => {
    const server = await openBucket(program);
    const world = await openArchives();
    const replica = replicaIn(server, world);
    const plan = { days: 365, minDays: 2, archive: true };
    world.log.signer.retention = plan;
    await world.append(
      ACCOUNT,
      Array.from({ length: 20 }, (_, n) => ({ actor: { id: n % 2 === 0 ? ADA : "bob" } })),
    );
    await world.setArchive(ACCOUNT);
    await world.cover();
    await world.laterDays(NEXT_MONTH);
    await replica.passes();
    const [events = ""] = await versionsWith(server, ADA);
    expect(events).toContain("events.1.jsonl.zst");
    // A copy by another program is a version of its own.
    await server.put(BUCKET, events, (await server.read(BUCKET, events)) ?? Buffer.of());
    expect(await versionsWith(server, ADA)).toEqual([events, events]);

    await world.erasures.ask(ACCOUNT, { actorId: ADA });
    const ledger = world.erasures.newReplica(() => {}, BOTH);
    await ledger.pass();
    for (let pass = 0; pass < 4; pass += 1) {
      await world.cover();
      await replica.erase().catch(() => {});
    }
    await world.erasures.letTimePass();
    await ledger.pass();
    expect(await world.erasures.request(ACCOUNT)).toMatchObject({ status: "completed" });
    expect(await versionsWith(server, ADA)).toEqual([]);
    expect(await versionsWith(server, "bob")).toHaveLength(1);

    world.log.signer.retention = { ...plan, archiveDays: 10 };
    await world.laterDays(30);
    await replica.passes();
    expect(await server.versions(BUCKET)).toEqual([]);
  },
);
