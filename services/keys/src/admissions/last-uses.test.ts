// Guarantees: the day of the last use of a key is written once a day, never an earlier one, and never by the
// request itself; what is not written is written after a later use; memory is bounded.

import { type Clock, formatMicros } from "@annals/contract";
import { beforeEach, expect, test } from "vitest";
import { migratedDatabase, storeKey, type StoredKey } from "../testing/database.ts";
import { recordLastUses } from "./store/record-last-uses.ts";
import { LastUses } from "./last-uses.ts";

const MICROS_PER_DAY = 86_400_000_000;
const START = Date.UTC(2026, 0, 31, 23, 59, 59) * 1_000;

let opened: Awaited<ReturnType<typeof migratedDatabase>>;
let days = 0;

const nowMicros = () => START + days * MICROS_PER_DAY;
const clock: Clock = { nowMicros, nowText: () => formatMicros(nowMicros()) };

beforeEach(async () => {
  opened = await migratedDatabase();
  days = 0;
});

const dayOf = async ({ keyId }: StoredKey) =>
  (await opened.owner.query("SELECT last_used_on FROM keys.api_keys WHERE id = $1", [keyId]))[0]?.[
    "last_used_on"
  ];

/** How often the row was written. */
const versionOf = async ({ keyId }: StoredKey) =>
  (await opened.owner.query("SELECT xmin FROM keys.api_keys WHERE id = $1", [keyId]))[0]?.["xmin"];

test("once a day, when it is written", async () => {
  const uses = new LastUses({ clock, database: opened.service });
  const key = await storeKey(opened.service);
  const other = await storeKey(opened.service);
  uses.note(key.accountId, key.keyId, null);
  uses.note(key.accountId, key.keyId, null);
  expect(await dayOf(key)).toBeNull();
  await uses.write();
  expect([await dayOf(key), await dayOf(other)]).toEqual(["2026-01-31", null]);
  const version = await versionOf(key);
  uses.note(key.accountId, key.keyId, "2026-01-31");
  // Another replica has not seen it yet.
  uses.note(key.accountId, key.keyId, null);
  await uses.write();
  expect(await versionOf(key)).toBe(version);
  days = 1;
  uses.note(key.accountId, key.keyId, "2026-01-31");
  await uses.write();
  expect(await dayOf(key)).toBe("2026-02-01");
  days = 0;
  uses.note(key.accountId, key.keyId, null);
  await uses.write();
  expect(await dayOf(key)).toBe("2026-02-01");
});

test("a failed write loses it until the next use, and the worker fails", async () => {
  const broken = new LastUses({
    clock,
    database: { run: () => Promise.reject(new Error("away")) },
  });
  const key = await storeKey(opened.service);
  broken.note(key.accountId, key.keyId, null);
  await expect(broken.write()).rejects.toThrow("away");
  await broken.write();
  expect(await dayOf(key)).toBeNull();
});

test("by several replicas at once, in any order, without a deadlock; a row that is locked is left out", async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => storeKey(opened.service)));
  const replicas = Array.from({ length: 4 }, (_, n) => {
    const uses = new LastUses({ clock, database: opened.service });
    const order = n % 2 === 0 ? keys : keys.toReversed();
    for (const { accountId, keyId } of order) uses.note(accountId, keyId, null);
    return uses;
  });
  await Promise.all(replicas.map((uses) => uses.write()));
  expect(await Promise.all(keys.map(dayOf))).toEqual(keys.map(() => "2026-01-31"));
  const [{ accountId, keyId } = { accountId: "", keyId: "" }] = keys;
  await opened.service.transaction(async (transaction) => {
    await transaction.run(recordLastUses, [[accountId], [keyId], ["2026-02-01"]]);
    const other = await opened.service.run(recordLastUses, [[accountId], [keyId], ["2026-02-02"]]);
    expect(other).toEqual([]);
  });
});

test("of at most 10,000 keys in a turn", async () => {
  const written: number[] = [];
  const run = async (_: unknown, [ids]: readonly (readonly string[])[]) => {
    written.push(ids?.length ?? 0);
    return [];
  };
  const uses = new LastUses({ clock, database: { run: run as never } });
  for (let n = 0; n < 10_500; n += 1) uses.note("acct_1", `key_${n}`, null);
  await uses.write();
  expect(written).toEqual(Array.from({ length: 20 }, () => 500));
});
