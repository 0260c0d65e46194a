// Guarantees: all keys and widget tokens of an account share one window, which holds exactly the account's
// limit from any number of groups at once; what it refuses is not counted in the window of a key either, and
// what a key's window refuses is not counted in it. The limit is that of the account's plan. No two groups
// wait for each other in a circle.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  migratedDatabase,
  storeKey,
  type StoredKey,
  storeWidgetToken,
} from "../../testing/database.ts";
import { admitRequests, WINDOWS } from "./admit-requests.ts";
import { IDENTITIES, PROVIDER_PARAMS } from "../../testing/people.ts";
import { entryParams } from "../../identity/accepted-entries.ts";
import { operatorParams } from "../../identity/operator-params.ts";
import { admitWidgetRequests } from "./admit-widget-requests.ts";

const LIMIT = 10;
const ACCOUNT_LIMIT = 25;

let owner: TestDatabase;
let service: Pool;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
});

type Secret = Pick<StoredKey, "secretSha256">;

interface Limits {
  readonly limit?: number;
  readonly accountLimit?: number;
  readonly plans?: Readonly<Record<string, number>>;
  readonly window?: (typeof WINDOWS)[keyof typeof WINDOWS];
}

/** Rows in the order of what was asked. */
async function admit(
  asked: readonly (readonly [Secret, count: number])[],
  {
    limit = LIMIT,
    accountLimit = ACCOUNT_LIMIT,
    plans = {},
    window = WINDOWS.requests,
  }: Limits = {},
) {
  const rows = await service.run(admitRequests, [
    asked.map(([{ secretSha256 }]) => secretSha256),
    asked.map(([, count]) => count),
    limit,
    Object.keys(plans),
    Object.values(plans),
    accountLimit,
    window.ofKey,
    window.ofAccount,
    asked.map(() => "{}"),
    asked.map(() => "{}"),
  ]);
  return rows.toSorted((a, b) => Number(a.ordinal) - Number(b.ordinal));
}

async function keysOfOneAccount(count: number): Promise<[StoredKey, ...StoredKey[]]> {
  const first = await storeKey(service);
  const keys: [StoredKey, ...StoredKey[]] = [first];
  while (keys.length < count) keys.push(await storeKey(service, { accountId: first.accountId }));
  return keys;
}

const used = async ({ keyId }: StoredKey) =>
  (await owner.query("SELECT used FROM keys.rate_windows WHERE key_id = $1", [keyId]))[0]?.["used"];

const usedByAccount = async ({ accountId }: StoredKey) =>
  (
    await owner.query("SELECT used FROM keys.account_windows WHERE account_id = $1", [accountId])
  )[0]?.["used"];

const ageAccount = ({ accountId }: StoredKey, seconds: number) =>
  owner.query(
    "UPDATE keys.account_windows SET started_at = started_at - make_interval(secs => $2) WHERE account_id = $1",
    [accountId, seconds],
  );

describe("the window of an account", () => {
  test("ends the requests of its keys, which keep what it refused", async () => {
    const [a, b, c] = await keysOfOneAccount(3);
    if (!b || !c) throw new Error("three keys");
    expect(await admit([[a, 10]])).toMatchObject([{ granted: 10, account_used: 10 }]);
    expect(await admit([[b, 10]])).toMatchObject([{ granted: 10, account_used: 20 }]);
    expect(await admit([[c, 8]])).toMatchObject([
      { granted: 5, used: 5, account_used: 25, account_limit: ACCOUNT_LIMIT, is_of_account: true },
    ]);
    expect(await used(c)).toBe(5);
    for (let n = 0; n < 3; n += 1)
      expect(await admit([[c, 5]])).toMatchObject([{ granted: 0, used: 5, is_of_account: true }]);
    expect([await used(c), await usedByAccount(c)]).toEqual([5, ACCOUNT_LIMIT]);
    await ageAccount(c, 60);
    // The key's own window goes on with what it had.
    expect(await admit([[c, 10]])).toMatchObject([
      { granted: 5, used: 10, account_used: 5, is_of_account: false },
    ]);
  });

  test("is not used by what the window of a key refuses", async () => {
    const [a, b] = await keysOfOneAccount(2);
    if (!b) throw new Error("two keys");
    await admit([[a, 50]]);
    expect(await admit([[a, 50]])).toMatchObject([{ granted: 0, is_of_account: false }]);
    expect(await usedByAccount(a)).toBe(LIMIT);
    expect(await admit([[b, 50]])).toMatchObject([{ granted: LIMIT, account_used: 2 * LIMIT }]);
  });

  test("gives a group's keys what is left in the order of the group", async () => {
    const [a, b, c] = await keysOfOneAccount(3);
    if (!b || !c) throw new Error("three keys");
    const group = [
      [c, 10],
      [a, 10],
      [b, 10],
    ] as const;
    const options = { accountLimit: 12 };
    expect(await admit(group, options)).toMatchObject([
      { key_id: c.keyId, granted: 10, is_of_account: false },
      { key_id: a.keyId, granted: 2, used: 2, is_of_account: true },
      { key_id: b.keyId, granted: 0, used: 0, is_of_account: true },
    ]);
    expect(await Promise.all([a, b, c].map(used))).toEqual([2, 0, 10]);
    expect(await usedByAccount(a)).toBe(12);
  });

  test("leaves the window of a key that it refused in whole not begun", async () => {
    const [a, b] = await keysOfOneAccount(2);
    if (!b) throw new Error("two keys");
    await admit([[a, 10]], { accountLimit: 10 });
    expect(await admit([[b, 1]], { accountLimit: 10 })).toMatchObject([{ granted: 0, used: 0 }]);
    await owner.query(
      "UPDATE keys.rate_windows SET started_at = started_at - interval '30 seconds' WHERE key_id = $1",
      [b.keyId],
    );
    await ageAccount(a, 60);
    const [row] = await admit([[b, 1]], { accountLimit: 10 });
    expect(row).toMatchObject({ granted: 1, used: 1, ends_in_s: 60 });
  });

  test("counts widget tokens and keys together, and not a count of 0", async () => {
    const key = await storeKey(service);
    const token = await storeWidgetToken(service, key);
    const admitToken = (count: number) =>
      service.run(admitWidgetRequests, [
        ...([[token.secretSha256], [count], 100, [], [], ACCOUNT_LIMIT] as const),
        ...PROVIDER_PARAMS,
        ...entryParams(IDENTITIES.current.workloads),
        ...operatorParams(IDENTITIES),
      ]);
    await admit([[key, 10]]);
    expect(await admitToken(20)).toMatchObject([{ granted: 15, is_of_account: true }]);
    expect(await admit([[key, 0]])).toMatchObject([{ granted: 0, is_of_account: false }]);
    expect(await usedByAccount(key)).toBe(ACCOUNT_LIMIT);
  });

  test("of intake takes nothing from the other one, and gives back to the key's window of intake", async () => {
    const [a, b] = await keysOfOneAccount(2);
    if (!b) throw new Error("two keys");
    const intake = { limit: 20, accountLimit: 30, window: WINDOWS.intake };
    expect(await admit([[a, 25]], intake)).toMatchObject([{ granted: 20, account_used: 20 }]);
    expect(await admit([[b, 20]], intake)).toMatchObject([
      { key_id: b.keyId, granted: 10, used: 10, account_used: 30, is_of_account: true },
    ]);
    expect(await admit([[b, 1]], intake)).toMatchObject([{ granted: 0, is_of_account: true }]);
    // All of the account's requests besides intake are left.
    expect(await admit([[a, 10]])).toMatchObject([{ granted: 10, used: 10, account_used: 10 }]);
    expect(await admit([[b, 10]])).toMatchObject([{ granted: 10, account_used: 20 }]);
    const windows = await owner.query(
      "SELECT window_name, used FROM keys.account_windows WHERE account_id = $1 ORDER BY 1",
      [a.accountId],
    );
    expect(windows).toEqual([
      { window_name: "", used: 20 },
      { window_name: "intake", used: 30 },
    ]);
  });

  test("has the limit of the account's plan, and the default for any other name", async () => {
    const key = await storeKey(service);
    const other = await storeKey(service);
    const set = "UPDATE keys.accounts SET plan = $2 WHERE account_id = $1";
    await owner.query(set, [key.accountId, "small"]);
    await owner.query(set, [other.accountId, "unknown"]);
    const options = { plans: { large: 100, small: 3 } };
    expect(
      await admit(
        [
          [key, 9],
          [other, 9],
        ],
        options,
      ),
    ).toMatchObject([
      { granted: 3, account_limit: 3 },
      { granted: 9, account_limit: ACCOUNT_LIMIT },
    ]);
  });
});

test("groups in opposite orders, of many keys of several accounts at once: exact, and no deadlock", async () => {
  const accounts = await Promise.all(Array.from({ length: 3 }, () => keysOfOneAccount(4)));
  const group = accounts.flat().map((key) => [key, 1] as const);
  const limits = { limit: 1_000, accountLimit: 150 };
  const rounds = Array.from({ length: 60 }, (_, n) =>
    admit(n % 2 === 0 ? group : group.toReversed(), limits),
  );
  const rows = (await Promise.all(rounds)).flat();
  for (const keys of accounts) {
    const of = rows.filter((row) => row.account_id === keys[0].accountId);
    expect(of.reduce((sum, { granted }) => sum + granted, 0)).toBe(150);
    expect(await usedByAccount(keys[0])).toBe(150);
    const counted = await Promise.all(keys.map(used));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(150);
  }
});
