// Guarantee: a hold that is placed while an archive that it covers is in a list keeps the archive, at
// whatever moment of its end that is, and however long a worker pauses. A hold that is placed later finds it
// in no list. A worker that dies at any step leaves what the next one ends. An erasure waits for the end.
// With a real PostgreSQL, a real directory, and a clock that the test sets.

import { expect, test } from "vitest";
import { type ArchivesWorld, openArchives } from "../system/archives.ts";

const ACCOUNT = "acct_1";
/** Days from the beginning of the test's clock, the tenth of a month, to the next month. */
const NEXT_MONTH = 25;
const ARCHIVE_DAYS = 10;
const ADA = "ada-7f3a";

type Client = ArchivesWorld["client"];
type Answer = Awaited<ReturnType<Client["listLifecycles"]>>;

/** An account with one archive, whose time is over. */
async function withOldArchive(): Promise<ArchivesWorld> {
  const world = await openArchives();
  world.log.signer.retention = {
    days: 365,
    minDays: 2,
    archive: true,
    archiveDays: ARCHIVE_DAYS,
  };
  await world.append(
    ACCOUNT,
    Array.from({ length: 10 }, (_, n) => ({ actor: { id: ADA }, metadata: { n } })),
  );
  await world.setArchive(ACCOUNT);
  await world.cover();
  await world.laterDays(NEXT_MONTH);
  await world.newReplica().passes();
  await world.laterDays(30);
  return world;
}

const listed = async (world: ArchivesWorld) => (await world.pieces(ACCOUNT)).length;
const stored = async (world: ArchivesWorld) => (await world.files()).size;

async function expectKept(world: ArchivesWorld): Promise<void> {
  await world.endLeases();
  await world.newReplica().passes();
  expect(await listed(world)).toBe(1);
  expect(await world.verified(ACCOUNT)).toEqual([expect.objectContaining({ events: 10 })]);
}

async function expectGone(world: ArchivesWorld): Promise<void> {
  await world.endLeases();
  await world.newReplica().passes();
  expect(await world.owner.query("SELECT id FROM exports.archives")).toEqual([]);
  expect(await stored(world)).toBe(0);
  const entries = await world.owner.query("SELECT event FROM exports.audit_outbox");
  expect(entries).toHaveLength(1);
}

/** A replica that gets each answer of the ledger after `then` has run, of the list or of one account. */
function replicaOf(
  world: ArchivesWorld,
  then: (about: "all" | "one", answer: Answer) => Promise<unknown>,
) {
  const client: Client = {
    ...world.client,
    listLifecycles: async (request, options) => {
      const answer = await world.client.listLifecycles(request, options);
      await then(request.accountId === undefined ? "all" : "one", answer);
      return answer;
    },
  };
  return world.newReplica(undefined, undefined, client);
}

test("a hold that is placed after the accounts were listed keeps the archive", async () => {
  const world = await withOldArchive();
  let listedThen = 0;
  await replicaOf(world, async (about) => {
    if (about === "one") return;
    await world.hold(ACCOUNT, 10);
    listedThen = await listed(world);
  }).pass();
  expect(listedThen).toBe(1);
  await expectKept(world);
});

test("a hold that is placed after the ledger was asked finds the archive in no list", async () => {
  const world = await withOldArchive();
  let listedThen = -1;
  await replicaOf(world, async (about) => {
    if (about === "all") return;
    await world.hold(ACCOUNT, 10);
    listedThen = await listed(world);
  }).pass();
  expect(listedThen).toBe(0);
  await expectGone(world);
});

test("a worker that was paused with an old answer deletes nothing that another one has kept", async () => {
  const world = await withOldArchive();
  const [asked, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const paused = replicaOf(world, async (about) => {
    if (about === "all") return;
    asked.resolve();
    await resumed.promise;
  });
  const pass = paused.pass().then(
    () => "ended",
    (error: Error) => error.message,
  );
  await asked.promise;
  expect(await listed(world)).toBe(0);
  await world.hold(ACCOUNT, 1);
  await expectKept(world);
  resumed.resolve();
  expect(await pass).toMatch("another replica holds the archive");
  await expectKept(world);
});

test("an archive that is not over any longer is in the lists again", async () => {
  const world = await withOldArchive();
  const alone = replicaOf(world, async (about) => {
    if (about === "one") throw new Error("the ledger is away");
  });
  await expect(alone.pass()).rejects.toThrow("away");
  expect(await listed(world)).toBe(0);
  world.log.signer.retention = { days: 365, minDays: 2, archive: true };
  await expectKept(world);
});

test("a worker that dies while it deletes the files has ended the archive, whatever is held then", async () => {
  const world = await withOldArchive();
  let removed = 0;
  const dying = world.newReplica((storage) => ({
    ...storage,
    remove: async (file) => {
      removed += 1;
      if (removed > 1) throw new Error("killed");
      await storage.remove(file);
    },
  }));
  await expect(dying.pass()).rejects.toThrow("killed");
  expect(await stored(world)).toBe(1);
  expect(await listed(world)).toBe(0);
  await world.hold(ACCOUNT, 1);
  await expectGone(world);
});

test("an erasure waits until an archive that ends is deleted, or is in the lists and has lost the value", async () => {
  const world = await withOldArchive();
  const both = { exports: true, webhooks: false };
  const replica = world.newReplica();
  await world.owner.query("UPDATE exports.archives SET status = 'ended'");
  await world.erasures.ask(ACCOUNT, { actorId: ADA });
  await world.erasures.newReplica(() => {}, both).pass();
  const status = async () => {
    await world.cover();
    await replica.erase();
    await world.erasures.letTimePass();
    await world.erasures.newReplica(() => {}, both).pass();
    return (await world.erasures.request(ACCOUNT))["status"];
  };
  for (let pass = 0; pass < 3; pass += 1) expect(await status()).toBe("running");
  await world.owner.query("UPDATE exports.archives SET status = 'ending'");
  for (let pass = 0; pass < 3; pass += 1) expect(await status()).toBe("running");
  await world.hold(ACCOUNT, 10);
  await expectKept(world);
  expect(await world.filesWith(ADA)).toHaveLength(1);
  for (let pass = 0; pass < 3; pass += 1) await status();
  expect(await status()).toBe("completed");
  expect(await world.filesWith(ADA)).toEqual([]);
});
