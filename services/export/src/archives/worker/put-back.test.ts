// Guarantees: exports of one account that are written at the same time never all fail because each has
// reserved room that another needs. One that finds the room reserved is put back, which is no failed
// attempt, and leaves nothing. It fails only where what is kept leaves it no room. From then on the account's
// exports are written one at a time. With a real PostgreSQL and a real directory.

import { eventually } from "@annals/testing";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { directoryStorage } from "../../storage/directory-storage.ts";
import type { Storage } from "../../storage/storage.ts";
import { gate, ledger, type StreamEvents, TestExports } from "../../testing/test-exports.ts";

const { databaseUrl } = inject("stack");
const PAGE_BYTES = 256 * 1024;
/** Of a file: as many as the fake ledger streams. */
const PAGES = 3;
/** More than a manifest. */
const SPARE_BYTES = 64 * 1024;
let exports: TestExports;

beforeAll(async () => {
  exports = await TestExports.open(databaseUrl);
});
afterEach(() => exports.reset());
afterAll(() => exports.close());

/**
 * Two exports, each of which has a page written, and has reserved another, before either goes on. `atEnd`
 * holds the one that has written its last page.
 */
function writtenTogether(atEnd?: () => Promise<unknown>): StreamEvents {
  const met = gate();
  let [streams, pages] = [0, 0];
  return async function* (request, options) {
    streams += 1;
    const isFirst = streams <= 2;
    for await (const answer of ledger()(request, options)) {
      yield { ...answer, text: Buffer.alloc(PAGE_BYTES, "x") };
      if (!isFirst) continue;
      pages += 1;
      if (pages === 2) met.resolve();
      await met.promise;
    }
    if (isFirst) await atEnd?.();
  };
}

/** What an attempt has left is deleted once no export is running: until then it takes room. */
function deletesLate(): Storage {
  const storage = directoryStorage(exports.directory);
  const running = async () =>
    (await exports.database.query("SELECT id FROM exports.jobs WHERE status = 'running'")).map(
      ({ id }) => String(id),
    );
  const keepOnly: Storage["keepOnly"] = async (stem, kept) => {
    const isBeforeItsAttempt = (await running()).some((id) => stem.endsWith(`/${id}.`));
    if (!isBeforeItsAttempt)
      await eventually("all have stopped", async () => (await running()).length === 0);
    await storage.keepOnly(stem, kept);
  };
  return { ...storage, keepOnly };
}

async function bothEnded(
  maxBytesPerAccount: number,
  { atEnd, storage }: { atEnd?: () => Promise<unknown>; storage?: Storage } = {},
) {
  const ids = [await exports.queue(), await exports.queue()];
  const streamEvents = writtenTogether(atEnd);
  for (let n = 0; n < 2; n += 1)
    exports.work(streamEvents, { maxBytesPerAccount, ...(storage && { storage }) });
  return eventually("both have ended", async () => {
    const jobs = await Promise.all(ids.map((id) => exports.job(id)));
    const states = jobs.map(({ status }) => String(status)).toSorted();
    return states.every((status) => /completed|failed/.test(status)) ? { jobs, states } : undefined;
  });
}

test("where both fit, both are completed, though one has reserved what the other needs", async () => {
  const text = "SELECT id FROM exports.jobs WHERE waits_for_room";
  const isPutBack = async () => (await exports.database.query(text)).length === 1;
  const { jobs, states } = await bothEnded(2 * PAGES * PAGE_BYTES + SPARE_BYTES, {
    atEnd: () => eventually("the other is put back", isPutBack),
  });
  expect(states).toEqual(["completed", "completed"]);
  const putBack = jobs.filter(({ waits_for_room: waits }) => waits);
  expect(putBack).toMatchObject([{ attempts: 1, lease_token: "2" }]);
});

test("where each has reserved what the other needs, one is completed, the other fails by what is kept", async () => {
  // Both reserve two pages for the first: nothing is left, and each needs a third.
  const { jobs, states } = await bothEnded(4 * PAGE_BYTES, { storage: deletesLate() });
  expect(states).toEqual(["completed", "failed"]);
  expect(jobs).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  await eventually("the failed one has left nothing", async () => {
    const left = "SELECT FROM exports.jobs WHERE status = 'failed' AND reserved_bytes > 0";
    return (await exports.database.query(left)).length === 0;
  });
});

test("while one waits for room, one of the account is written at a time, and those of others beside it", async () => {
  const held = gate();
  const first = await exports.queue();
  exports.work(ledger(() => held.promise));
  await exports.reached(first, "running");
  const waiting = await exports.queue();
  const next = await exports.queue();
  const puttingBack = "UPDATE exports.jobs SET waits_for_room = true WHERE id = $1";
  await exports.database.query(puttingBack, [waiting]);
  exports.work(ledger());
  for (const account of ["acct_2", "acct_3", "acct_4"])
    await exports.reached(await exports.queue(account), "completed");
  for (const id of [waiting, next])
    expect(await exports.job(id)).toMatchObject({ status: "pending", taken_at: null });
  held.resolve();
  for (const id of [first, waiting, next]) await exports.reached(id, "completed");
});

test("one that finds its room taken again by what was left behind has failed an attempt", async () => {
  const left = await exports.queue();
  await exports.database.query(
    `UPDATE exports.jobs SET reserved_bytes = $2, due_at = now() + interval '1 hour' WHERE id = $1`,
    [left, PAGE_BYTES],
  );
  const id = await exports.queue();
  exports.work(writtenTogether(), { maxBytesPerAccount: PAGE_BYTES, maxAttempts: 1 });
  await exports.reached(id, "failed");
  expect(await exports.job(id)).toMatchObject({ attempts: 1, lease_token: "2" });
});
