// Guarantees: a file that may have been read before the last record of an erasure is deleted, and so is an
// export whose filter names the value; a file that was read after it stays. The erasure is confirmed once no
// such file is left. With a real PostgreSQL and a real directory; the ledger is a fake.

import { createLog, createRegistry } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { ListOpenErasuresResponseSchema, type OpenErasure } from "@annals/proto/ledger";
import { clearErasedCopies } from "@annals/rpc";
import { asDatabaseClock } from "@annals/testing";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { directoryStorage } from "../../storage/directory-storage.ts";
import { ACCOUNT, gate, ledger, TestExports } from "../../testing/test-exports.ts";
import { erasedCopies, type ErasedCopiesDeps } from "./erased-copies.ts";
import { sweepExports } from "./export-sweep.ts";

const NEVER = new AbortController().signal;
const clock = asDatabaseClock(systemClock());
let exports: TestExports;

beforeAll(async () => {
  exports = await TestExports.open(inject("stack").databaseUrl);
});
afterEach(() => exports.reset());
afterAll(() => exports.close());

type Given = Partial<Pick<OpenErasure, "actorId" | "lastRecord" | "targetId">>;

/** One erasure of the account, and a pass of the worker over it. */
function erasure(given: Given) {
  const confirmed: unknown[] = [];
  let marked = 0;
  const open: MessageInitShape<typeof ListOpenErasuresResponseSchema> = {
    erasures: [{ accountId: ACCOUNT, id: "era_1", lastRecord: 0n, ...given }],
  };
  const fake = {
    confirmErasure: async (request: unknown) => void confirmed.push(request),
    listOpenErasures: async ({ afterId }: { readonly afterId: string }) =>
      create(ListOpenErasuresResponseSchema, afterId === "" ? open : {}),
  };
  const copies = erasedCopies({
    clock,
    database: exports.pool,
    ledger: fake as unknown as ErasedCopiesDeps["ledger"],
    leaseMs: 15_000,
    sliceMs: 10_000,
    log: createLog({ service: "test", level: "error" }),
    metrics: createMetrics(createRegistry("test")),
    storage: directoryStorage(exports.directory),
    onDeleted: () => void (marked += 1),
  });
  return { confirmed, marked: () => marked, pass: () => clearErasedCopies(copies, NEVER) };
}

async function sweep(): Promise<void> {
  // No lease has ended by the clock of the database.
  await exports.database.query("UPDATE exports.jobs SET due_at = now()");
  await sweepExports({
    clock,
    database: exports.pool,
    storage: directoryStorage(exports.directory),
    swept: { inc: () => {} },
    retentionDays: 0,
  });
}

/** Exports whose head is event 3, written. */
async function written(count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await exports.queue());
  const { worker } = exports.work(ledger());
  for (const id of ids) await exports.reached(id, "completed");
  await worker.stop();
  return ids;
}

const left = async () =>
  (await exports.database.query<{ id: string }>("SELECT id FROM exports.jobs ORDER BY id")).map(
    ({ id }) => id,
  );

test("a file from before the record goes, one from after it stays", async () => {
  const [older = "", newer = ""] = await written(2);
  await exports.database.query("UPDATE exports.jobs SET head_sequence = 4 WHERE id = $1", [newer]);
  const { confirmed, marked, pass } = erasure({ lastRecord: 4n });
  await pass();
  expect(await exports.job(older)).toMatchObject({ deleted_at: expect.any(String) });
  expect([confirmed, marked()]).toEqual([[], 1]);
  // The file is still there.
  await pass();
  expect(confirmed).toEqual([]);
  await sweep();
  expect(await exports.filesOf(older)).toEqual([]);
  await pass();
  expect(confirmed).toEqual([{ accountId: ACCOUNT, copy: 1, id: "era_1" }]);
  expect(await left()).toEqual([newer]);
  expect(await exports.filesOf(newer)).toHaveLength(1);
  const [entry] = await exports.database.query<{ event: string }>(
    "SELECT event FROM exports.audit_outbox ORDER BY number DESC LIMIT 1",
  );
  expect(JSON.parse(entry?.event ?? "{}")).toMatchObject({
    action: "annals.export.deleted",
    actor: { type: "service", id: "export" },
    target: { id: older },
  });
});

test("an export that is being written is not completed, and one that waits stays", async () => {
  const [started, held] = [gate(), gate()];
  const running = await exports.queue();
  const { worker } = exports.work(
    ledger(() => {
      started.resolve();
      return held.promise;
    }),
  );
  await started.promise;
  const { confirmed, pass } = erasure({ lastRecord: 4n });
  await pass();
  expect(confirmed).toEqual([]);
  held.resolve();
  await worker.stop();
  expect(await exports.job(running)).toMatchObject({ status: "failed", file: null });
  await sweep();
  const waiting = await exports.queue();
  await pass();
  expect(confirmed).toHaveLength(1);
  expect(await left()).toEqual([waiting]);
});

test.each<[string, Given, boolean]>([
  ['{"actor_id":"ada"}', { actorId: "ada" }, true],
  ['{"actor_id":"\\u0061da"}', { actorId: "ada" }, true],
  ['{"target_id":"ada"}', { targetId: "ada" }, true],
  ['{"target_id":"ada"}', { actorId: "ada" }, false],
  ['{"actor_id":["bob","ada"]}', { actorId: "ada" }, true],
  ['{"target_id":["ada","bob"]}', { targetId: "ada" }, true],
  ['{"actor_id":["bob","adam"],"action":["ada"]}', { actorId: "ada" }, false],
  ['{"actor_id":"bob","action":"ada"}', { actorId: "ada" }, false],
  ['{"actor_id":"ada"}', {}, false],
  ['{"not":{"actor_id":["bob","ada"]}}', { actorId: "ada" }, true],
  ['{"not":{"target_id":"ada"}}', { actorId: "ada" }, false],
  ['{"fields":{"by":"ada"}}', { actorId: "ada" }, true],
  ['{"not":{"fields":{"by":["bob","ada"]}}}', { targetId: "ada" }, true],
  ['{"text":"user ADA, of"}', { actorId: "ada" }, true],
  ['{"text":"ada"}', { targetId: "ada" }, true],
  ['{"text":"adam, Nada, adaÄ and ada9"}', { actorId: "ada" }, false],
  ['{"fields":{"ada":"bob"},"not":{"fields":{"by":"adam"}}}', { actorId: "ada" }, false],
])("the filter %s, and the erasure of %j", async (filter, given, isGone) => {
  const id = await exports.queue();
  await exports.database.query("UPDATE exports.jobs SET filter_json = $2 WHERE id = $1", [
    id,
    filter,
  ]);
  const { confirmed, pass } = erasure(given);
  await pass();
  expect((await exports.job(id))["deleted_at"] !== null).toBe(isGone);
  expect(confirmed).toHaveLength(isGone ? 0 : 1);
  if (!isGone) return;
  await sweep();
  await pass();
  expect(confirmed).toHaveLength(1);
});

test("a filter that names the value leaves its entry of the outbox, which stays where it is", async () => {
  await written(3);
  const name = (position: number, value: string | readonly string[]) =>
    exports.database.query(
      `UPDATE exports.outbox SET data = jsonb_set(data::jsonb, '{filter}', jsonb_build_object('actor_id', $2::jsonb))::text
       WHERE position = $1`,
      [position, JSON.stringify(value)],
    );
  await name(1, ["bob", "ada"]);
  await name(2, "ada");
  await name(3, "bob");
  await erasure({ actorId: "ada" }).pass();
  const entries = await exports.outbox();
  expect(entries.map(({ position }) => Number(position))).toEqual([1, 2, 3]);
  const filters = entries.map(({ data }) => JSON.parse(data).filter);
  expect(filters).toEqual([{}, {}, { actor_id: "bob" }]);
});
