// Guarantee: once an erasure is completed, no object of the storage has an erased value, whether the events
// were archived before it, after it, or are deleted by retention. The archives stay valid, and say which
// records explain the parts that they lack. What a hold covers stays. A search that finds nothing finds a
// copy that is left on purpose. With a real PostgreSQL, a real directory, and a clock that the test sets.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ArchivesWorld, openArchives } from "../system/archives.ts";

const ACCOUNT = "acct_1";
const ADA = "ada-7f3a";
const NEXT_MONTH = 25;
const BOTH = { exports: true, webhooks: false };

/** Events of two actors, 300 of them, every third of Ada. */
async function withEvents(piece?: number): Promise<ArchivesWorld> {
  const world = await openArchives(piece);
  const events = Array.from({ length: 300 }, (_, n) => ({
    actor: { id: n % 3 === 0 ? ADA : "bob", type: "user" },
    metadata: { 10: "ten", 9: "nine", n, whose: n % 3 === 0 ? `of ${ADA}` : "of bob" },
  }));
  await world.append(ACCOUNT, events);
  await world.setArchive(ACCOUNT);
  await world.cover();
  return world;
}

/** Asks for the erasure of Ada, and erases what is stored. Resolves to its id. */
async function eraseStored(world: ArchivesWorld): Promise<string> {
  const id = await world.erasures.ask(ACCOUNT, { actorId: ADA });
  await world.erasures.newReplica(() => {}, BOTH).pass();
  return id;
}

const statusOf = async (world: ArchivesWorld) => {
  await world.erasures.letTimePass();
  await world.erasures.newReplica(() => {}, BOTH).pass();
  return (await world.erasures.request(ACCOUNT))["status"];
};

/** Passes of the export service until the erasure is confirmed. */
async function clear(world: ArchivesWorld): Promise<void> {
  const replica = world.newReplica();
  for (let pass = 0; pass < 5; pass += 1) {
    await replica.erase().catch(() => {});
    // The evidence of a piece waits until the log covers the record.
    await world.cover();
  }
}

async function archive(world: ArchivesWorld): Promise<void> {
  await world.laterDays(NEXT_MONTH);
  await world.newReplica().passes();
}

/** Deletes the archived events from the ledger. */
async function expire(world: ArchivesWorld): Promise<void> {
  await world.laterDays(40);
  await world.append(ACCOUNT, [{}, {}]);
  await world.cover();
  await world.newRetention().passes();
  expect(await world.lifecycle(ACCOUNT)).toMatchObject({ deleted: 300 });
}

async function expectCleared(world: ArchivesWorld): Promise<void> {
  expect(await statusOf(world)).toBe("completed");
  expect(await world.filesWith(ADA)).toEqual([]);
  expect(await world.filesWith("of bob")).toHaveLength(1);
  // Each erased part has its record.
  const [report] = await world.verified(ACCOUNT);
  expect(report).toMatchObject({ erasedParts: 200, records: 1 });
  // A copy that is left on purpose is found.
  const folder = join(world.folder, "archive", ACCOUNT, "left");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "copy"), `of ${ADA}`);
  expect(await world.filesWith(ADA)).toHaveLength(1);
}

test("erased before it is archived", async () => {
  const world = await withEvents();
  await eraseStored(world);
  await clear(world);
  await archive(world);
  await expectCleared(world);
});

test("archived, then erased", async () => {
  const world = await withEvents();
  await archive(world);
  expect(await world.filesWith(ADA)).toHaveLength(1);
  await eraseStored(world);
  expect(await statusOf(world)).toBe("running");
  await clear(world);
  await expectCleared(world);
});

test("archived, deleted by retention, then erased", async () => {
  const world = await withEvents();
  await archive(world);
  await expire(world);
  await eraseStored(world);
  expect(await statusOf(world)).toBe("running");
  await clear(world);
  await expectCleared(world);
  const { records } = await world.erasures.recordedAndErased(ACCOUNT);
  expect(records.flat()).toEqual(Array.from({ length: 100 }, (_, n) => 3 * n + 1));
});

test("a pass takes one piece of an account whose time is over, and the next pass goes on", async () => {
  const world = await withEvents(100);
  await archive(world);
  await expire(world);
  await eraseStored(world);
  const replica = world.newReplica(undefined, 0);
  const reported: number[] = [];
  for (let pass = 0; pass < 3; pass += 1) {
    await replica.erase();
    const { records } = await world.erasures.recordedAndErased(ACCOUNT);
    reported.push(records.flat().length);
  }
  expect(reported).toEqual([34, 67, 100]);
  await world.cover();
  const files: number[] = [];
  // The end of the report, and then the files.
  for (let pass = 0; pass < 5; pass += 1) {
    await replica.erase();
    files.push((await world.filesWith(ADA)).length);
  }
  expect(files).toEqual([3, 2, 1, 0, 0]);
  expect(await statusOf(world)).toBe("completed");
});

test("what a hold covers stays, and is counted", async () => {
  const world = await withEvents();
  await archive(world);
  await expire(world);
  await world.hold(ACCOUNT, 1);
  await eraseStored(world);
  await clear(world);
  expect(await statusOf(world)).toBe("completed");
  expect(await world.filesWith(ADA)).toHaveLength(1);
  expect(await world.erasures.request(ACCOUNT)).toMatchObject({ held: "100", erased: "0" });
  await world.verified(ACCOUNT);
});

/** The id of the event with a number, while the ledger stores it. */
async function idOf(world: ArchivesWorld, number: number): Promise<string> {
  const [row] = await world.owner.query(
    "SELECT id FROM ledger.events WHERE account_id = $1 AND sequence_number = $2",
    [ACCOUNT, number],
  );
  return String(row?.["id"]);
}

const askFor = (world: ArchivesWorld, eventId: string) =>
  world.client.createErasure({ accountId: ACCOUNT, eventId, parts: ["actor", "metadata"] });

async function eraseWhatIsAsked(world: ArchivesWorld): Promise<void> {
  await world.erasures.letTimePass();
  await world.erasures.newReplica(() => {}, BOTH).pass();
  expect(await statusOf(world)).toBe("running");
  await clear(world);
  expect(await statusOf(world)).toBe("completed");
}

/** Of each event, its number from 0 is in its metadata. */
const filesWithEvent = (world: ArchivesWorld, number: number) =>
  world.filesWith(`"n":${number - 1},"whose"`);

describe("one event, by its id,", () => {
  test.for(["after it is asked for", "before it is asked for"])(
    "that retention deletes %s",
    async (moment) => {
      const world = await withEvents();
      await archive(world);
      const id = await idOf(world, 4);
      if (moment.startsWith("after")) await askFor(world, id);
      await expire(world);
      if (moment.startsWith("before")) await askFor(world, id);
      await eraseWhatIsAsked(world);
      expect(await filesWithEvent(world, 4)).toEqual([]);
      expect(await filesWithEvent(world, 5)).toHaveLength(1);
      expect((await world.erasures.recordedAndErased(ACCOUNT)).records).toEqual([[4]]);
      expect(await world.erasures.request(ACCOUNT)).toMatchObject({ erased: "1", held: "0" });
      const [report] = await world.verified(ACCOUNT);
      expect(report).toMatchObject({ erasedParts: 2, records: 1 });
    },
  );

  test("that another id names: the archive knows the whole id, and nothing is erased", async () => {
    const world = await withEvents();
    await archive(world);
    const id = await idOf(world, 4);
    await expire(world);
    await askFor(world, id.slice(0, -1) + (id.endsWith("0") ? "1" : "0"));
    await eraseWhatIsAsked(world);
    expect(await filesWithEvent(world, 4)).toHaveLength(1);
    expect(await world.erasures.request(ACCOUNT)).toMatchObject({ erased: "0", held: "0" });
  });

  test("that a hold covers is refused, and kept if the hold comes later", async () => {
    const world = await withEvents();
    await archive(world);
    const id = await idOf(world, 4);
    await expire(world);
    await world.hold(ACCOUNT, 4);
    await expect(askFor(world, id)).rejects.toThrow(/event_id: the hold hold_1 covers this event/);
    await world.release();
    await askFor(world, id);
    await world.hold(ACCOUNT, 4);
    await eraseWhatIsAsked(world);
    expect(await filesWithEvent(world, 4)).toHaveLength(1);
    expect(await world.erasures.request(ACCOUNT)).toMatchObject({ erased: "0", held: "1" });
  });

  test("that was never archived, or never was, is refused", async () => {
    const world = await withEvents();
    await world.client.setRetention({ accountId: ACCOUNT, archive: false, days: 30 });
    const [deleted, never] = [await idOf(world, 4), (await idOf(world, 4)).replace(/04/, "zz")];
    await world.laterDays(8);
    await expire(world);
    for (const id of [deleted, never])
      await expect(askFor(world, id)).rejects.toThrow(/event_id: no event has this id/);
  });
});

test("two erasures of one piece, the second of which reads what the first has left", async () => {
  const world = await withEvents();
  await archive(world);
  await eraseStored(world);
  await clear(world);
  await expectCleared(world);
  await expire(world);
  await world.erasures.ask(ACCOUNT, { actorId: "bob" });
  await world.erasures.newReplica(() => {}, BOTH).pass();
  await clear(world);
  expect(await world.filesWith("of bob")).toEqual([]);
  const [report] = await world.verified(ACCOUNT);
  expect(report).toMatchObject({ erasedParts: 600, records: 2 });
});

test("an erasure is not confirmed while the storage keeps the old files", async () => {
  const world = await withEvents();
  await archive(world);
  await eraseStored(world);
  await world.cover();
  const stuck = world.newReplica((storage) => ({
    ...storage,
    remove: () => Promise.reject(new Error("the storage refuses")),
  }));
  await stuck.erase().catch(() => {});
  await world.endLeases();
  await stuck.erase().catch(() => {});
  expect(await world.filesWith(ADA)).toHaveLength(1);
  expect(await statusOf(world)).toBe("running");
  await world.endLeases();
  await clear(world);
  await expectCleared(world);
});
