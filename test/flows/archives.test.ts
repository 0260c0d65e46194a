// Guarantee: an account with archives loses no event to retention that is not archived before. A month is
// archived once it is over and the log covers it, in pieces that annals-verify accepts. A worker that dies at
// any step leaves what the next one ends, with the same files. A hold keeps archives beyond their days. With
// a real PostgreSQL, a real directory, and a clock that the test sets.

import { expect, onTestFinished, test } from "vitest";
import { type ArchivesWorld, openArchives } from "../system/archives.ts";

const ACCOUNT = "acct_1";
/** Days from the beginning of the test's clock, the tenth of a month, to the next month. */
const NEXT_MONTH = 25;

/** An account with archives, and events in the month that begins. */
async function withEvents(events = 10, piece?: number): Promise<ArchivesWorld> {
  const world = await openArchives(piece);
  await world.append(
    ACCOUNT,
    Array.from({ length: events }, (_, n) => ({ metadata: { n } })),
  );
  await world.setArchive(ACCOUNT);
  return world;
}

const placesOf = async (world: ArchivesWorld) =>
  (await world.pieces(ACCOUNT)).map(({ from, to }) => `${from}-${to}`);

test("a month is archived once it is over and covered, and both files are one valid bundle", async () => {
  const world = await withEvents();
  const replica = world.newReplica();
  await world.cover();
  await replica.passes();
  expect(await placesOf(world)).toEqual([]);
  await world.laterDays(NEXT_MONTH);
  await world.append(ACCOUNT, [{ action: "of.the.next.month" }]);
  await replica.passes();
  expect(await placesOf(world)).toEqual(["1-10"]);
  expect(await world.archivedThrough(ACCOUNT)).toBe(10);
  expect(await world.verified(ACCOUNT)).toEqual([expect.objectContaining({ events: 10 })]);
  expect([...(await world.files()).keys()]).toHaveLength(2);
  expect(await replica.bytes()).toBeGreaterThan(1_000);

  await world.laterDays(NEXT_MONTH + 10);
  await replica.passes();
  // The next month is over, and the log does not cover its event.
  expect(await placesOf(world)).toEqual(["1-10"]);
  expect(await replica.lagS()).toBeGreaterThan(86_400);
  await world.cover();
  await replica.passes();
  await replica.passes();
  expect(await placesOf(world)).toEqual(["1-10", "11-11"]);
  expect(await replica.lagS()).toBe(0);
});

test("a large month is archived in pieces, each of which is valid", async () => {
  const world = await withEvents(10, 4);
  await world.cover();
  await world.laterDays(NEXT_MONTH);
  await world.newReplica().passes();
  expect(await placesOf(world)).toEqual(["1-4", "5-8", "9-10"]);
  const reports = await world.verified(ACCOUNT);
  expect(reports.map(({ events }) => events)).toEqual([4, 4, 2]);
});

test("an account without archives, or whose plan has none, is not archived", async () => {
  const world = await withEvents();
  await world.cover();
  await world.laterDays(NEXT_MONTH);
  world.log.signer.retention = { days: 365, minDays: 2 };
  await world.newReplica().passes();
  expect(await placesOf(world)).toEqual([]);
  await expect(world.setArchive("acct_2")).rejects.toThrow(
    /archive: must be false: the plan has no/,
  );
  // Archives that are ended go on for a week.
  world.log.signer.retention = { days: 365, minDays: 2, archive: true };
  await world.setArchive(ACCOUNT, false);
  await world.laterDays(7);
  await world.newReplica().passes();
  expect(await placesOf(world)).toEqual([]);
});

test("retention waits for the archive, and then deletes what is archived", async () => {
  const world = await withEvents(300);
  await world.cover();
  await world.laterDays(NEXT_MONTH + 30);
  await world.append(ACCOUNT, [{}, {}]);
  await world.cover();
  const retention = world.newRetention();
  await retention.passes();
  expect(await world.lifecycle(ACCOUNT)).toMatchObject({ through: 0, deleted: 0 });
  expect(retention.seen.lagS).toBe(0);
  await world.newReplica().passes();
  await world.laterDays(1);
  await retention.passes();
  expect(await world.lifecycle(ACCOUNT)).toMatchObject({ through: 300, deleted: 300 });
  expect(await world.verified(ACCOUNT)).toEqual([expect.objectContaining({ events: 300 })]);
});

test("a hold keeps archives whose days are over, and their end is audited", async () => {
  const world = await withEvents();
  world.log.signer.retention = { days: 365, minDays: 2, archive: true, archiveDays: 10 };
  await world.cover();
  await world.laterDays(NEXT_MONTH);
  await world.hold(ACCOUNT, 10);
  const replica = world.newReplica();
  await replica.passes();
  await world.laterDays(30);
  await replica.passes();
  expect(await placesOf(world)).toEqual(["1-10"]);
  await world.release();
  await replica.passes();
  expect(await placesOf(world)).toEqual([]);
  expect(await world.files()).toEqual(new Map());
  const [entry] = await world.owner.query<{ event: string }>(
    "SELECT event FROM exports.audit_outbox",
  );
  expect(JSON.parse(entry?.event ?? "{}")).toMatchObject({
    action: "annals.archive.deleted",
    actor: { type: "service", id: "export" },
    target: { type: "archive" },
  });
});

/** Never resolves: its process has died. */
const dead = () => new Promise<never>(() => {});

test("a worker that dies at any step leaves what the next one ends, with the same files", async () => {
  const world = await withEvents();
  await world.cover();
  await world.laterDays(NEXT_MONTH);
  let first: string[] | undefined;
  const sinks: { readonly abort: () => Promise<void> }[] = [];
  onTestFinished(async () => void (await Promise.all(sinks.map((sink) => sink.abort()))));
  for (let step = 0; ; step += 1) {
    let left = step;
    const died = Promise.withResolvers<void>();
    const alive = <Result>(work: () => Promise<Result>): Promise<Result> => {
      left -= 1;
      if (left >= 0) return work();
      died.resolve();
      return dead();
    };
    const dying = world.newReplica((storage) => ({
      ...storage,
      list: (folder) => alive(() => storage.list(folder)),
      remove: (file) => alive(() => storage.remove(file)),
      create: async (file) => {
        const sink = await alive(() => storage.create(file));
        sinks.push(sink);
        return {
          ...sink,
          write: (chunk) => alive(() => sink.write(chunk)),
          finish: (head) => alive(() => sink.finish(head)),
        };
      },
    }));
    const isWhole = await Promise.race([
      dying.passes().then(() => true),
      died.promise.then(() => false),
    ]);
    if (!isWhole) {
      await dying.kill();
      await world.endLeases();
      await world.newReplica().passes();
    }
    expect(await placesOf(world)).toEqual(["1-10"]);
    expect(await world.archivedThrough(ACCOUNT)).toBe(10);
    await world.verified(ACCOUNT);
    const written = (await world.pieces(ACCOUNT)).map((piece) => piece.events_sha256);
    first ??= written;
    expect(written).toEqual(first);
    if (isWhole) break;
    await world.endLeases();
    await world.newReplica().erase();
    // Begins anew.
    await world.owner.query("DELETE FROM exports.archives");
    await world.owner.query("UPDATE ledger.lifecycles SET archived_through = 0");
    await world.clean();
  }
});

test("ConfirmArchive moves forward only, and not beyond what the log covers", async () => {
  const world = await withEvents();
  const confirm = (archivedThrough: number, toSequence: number, accountId = ACCOUNT) =>
    world.client.confirmArchive({
      accountId,
      archivedThrough: BigInt(archivedThrough),
      toSequence: BigInt(toSequence),
    });
  const refused = /to_sequence: must follow archived_through/;
  await expect(confirm(0, 5)).rejects.toThrow(refused);
  await world.cover();
  await confirm(0, 5);
  expect(await world.archivedThrough(ACCOUNT)).toBe(5);
  // Its answer may have been lost.
  await confirm(0, 5);
  for (const [from, to] of [
    [0, 6],
    [5, 11],
    [5, 5],
    [6, 7],
  ] as const)
    await expect(confirm(from, to)).rejects.toThrow(refused);
  await confirm(5, 10);
  await world.append("acct_2", [{}, {}]);
  await world.cover();
  await expect(confirm(0, 1, "acct_2")).rejects.toThrow(refused);
});
