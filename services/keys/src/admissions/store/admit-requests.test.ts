// Guarantees: a window of 60 seconds begins with a key's first request and holds exactly the limit, from any
// number of gateways and in any groups; what is refused costs nothing; an unknown or revoked secret has no
// row; no two groups wait for each other in a circle. All keys of an account share a window of its own,
// which is as exact; what either window refuses counts in neither.

import { keyHash, mintKey, systemClock } from "@annals/contract";
import type { Database, Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migratedDatabase, storeKey, type StoredKey } from "../../testing/database.ts";
import { type AdmissionRow, admitRequests, WINDOWS } from "./admit-requests.ts";
import { deleteApiKey } from "../../store/delete-api-key.ts";

const LIMIT = 100;
const { ofAccount, ofKey } = WINDOWS.requests;
/** Of an account, where a test is about its keys. */
const AMPLE = 1_000_000;

let owner: TestDatabase;
let service: Pool;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
});

/** Admits `count` requests of one key; undefined where the secret is not known. */
async function admit(
  database: Database,
  { secretSha256 }: Pick<StoredKey, "secretSha256">,
  count = 1,
  limit = LIMIT,
  accountLimit = AMPLE,
): Promise<AdmissionRow | undefined> {
  const [row] = await admitAll(database, [secretSha256], [count], limit, accountLimit);
  return row;
}

const admitAll = (
  database: Database,
  secrets: readonly Uint8Array[],
  counts: readonly number[],
  limit = LIMIT,
  accountLimit = AMPLE,
): Promise<AdmissionRow[]> =>
  database.run(admitRequests, [
    ...([secrets, counts, limit, [], [], accountLimit] as const),
    ofKey,
    ofAccount,
    secrets.map(() => "{}"),
    secrets.map(() => "{}"),
  ]);

/** Lets the window of a key have begun so many seconds earlier. */
const age = ({ keyId }: StoredKey, seconds: number) =>
  owner.query(
    `UPDATE keys.rate_windows SET started_at = started_at - make_interval(secs => $2) WHERE key_id = $1`,
    [keyId, seconds],
  );

const windowOf = async ({ keyId }: StoredKey) =>
  (await owner.query("SELECT * FROM keys.rate_windows WHERE key_id = $1", [keyId]))[0];

describe("one key", () => {
  test("the row says whose the key is and what it may do", async () => {
    const key = await storeKey(service, { scopes: ["events:read", "verify"] });
    expect(await admit(service, key)).toEqual({
      ordinal: "1",
      account_id: key.accountId,
      key_id: key.keyId,
      scopes: ["events:read", "verify"],
      plan: null,
      granted: 1,
      used: 1,
      ends_in_s: 60,
      account_limit: AMPLE,
      account_used: 1,
      account_ends_in_s: 60,
      is_of_account: false,
      expires_at: null,
      allowed_ips: null,
      last_used_on: null,
      wanted: 1,
      is_allowed: true,
    });
  });

  test("a group that does not fit is admitted as far as it does", async () => {
    const key = await storeKey(service);
    expect(await admit(service, key, 70)).toMatchObject({ granted: 70, used: 70 });
    expect(await admit(service, key, 70)).toMatchObject({ granted: 30, used: 100 });
    expect(await admit(service, key, 70)).toMatchObject({ granted: 0, used: 100 });
  });

  test("a first group beyond the limit is admitted up to it", async () => {
    const key = await storeKey(service);
    expect(await admit(service, key, 1_000)).toMatchObject({ granted: LIMIT, used: LIMIT });
  });

  test("what is refused neither counts nor moves the window", async () => {
    const key = await storeKey(service);
    await admit(service, key, LIMIT);
    const before = await windowOf(key);
    for (let n = 0; n < 10; n++)
      expect(await admit(service, key, 50)).toMatchObject({ granted: 0 });
    expect(await windowOf(key)).toEqual({ ...before, granted: 0 });
  });

  test("a lowered limit refuses at once and never counts down", async () => {
    const key = await storeKey(service);
    await admit(service, key, 80);
    expect(await admit(service, key, 5, 50)).toMatchObject({ granted: 0, used: 80 });
    expect(await admit(service, key, 50, 100)).toMatchObject({ granted: 20, used: 100 });
  });

  test("a raised limit admits the difference", async () => {
    const key = await storeKey(service);
    await admit(service, key, LIMIT);
    expect(await admit(service, key, 500, 300)).toMatchObject({ granted: 200, used: 300 });
  });
});

describe("the window", () => {
  test("lasts 60 seconds from the first request, whenever the later ones come", async () => {
    const key = await storeKey(service);
    await admit(service, key, 10);
    await age(key, 30);
    expect(await admit(service, key, 10)).toMatchObject({ used: 20, ends_in_s: 30 });
    await age(key, 29);
    expect(await admit(service, key, 80)).toMatchObject({ granted: 80, ends_in_s: 1 });
    expect(await admit(service, key)).toMatchObject({ granted: 0, ends_in_s: 1 });
  });

  test("at 59 seconds it still counts, at 60 another has begun", async () => {
    const key = await storeKey(service);
    await admit(service, key, LIMIT);
    await age(key, 59);
    expect(await admit(service, key)).toMatchObject({ granted: 0, used: LIMIT, ends_in_s: 1 });
    await age(key, 1);
    expect(await admit(service, key, 3)).toMatchObject({ granted: 3, used: 3, ends_in_s: 60 });
  });

  test("is over in the very microsecond in which it is 60 seconds old", async () => {
    const key = await storeKey(service);
    await admit(service, key, LIMIT);
    await owner.query(
      `UPDATE keys.rate_windows SET started_at = clock_timestamp() - interval '60 seconds'
       WHERE key_id = $1`,
      [key.keyId],
    );
    expect(await admit(service, key)).toMatchObject({ granted: 1, used: 1, ends_in_s: 60 });
  });

  test("that is long over is followed by a new one in full, of which a group takes what it needs", async () => {
    const key = await storeKey(service);
    await admit(service, key, LIMIT);
    await age(key, 86_400);
    expect(await admit(service, key, 1_000)).toMatchObject({ granted: LIMIT, used: LIMIT });
    expect(await admit(service, key)).toMatchObject({ granted: 0 });
  });
});

describe("groups of several keys", () => {
  test("each key has its own window, and rows have the ordinals of the parameters", async () => {
    const first = await storeKey(service);
    const second = await storeKey(service, { accountId: first.accountId });
    const unknown = keyHash(mintKey("annals"));
    const secrets = [second.secretSha256, unknown, first.secretSha256];
    const rows = await admitAll(service, secrets, [3, 9, 150]);
    const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
    expect(byOrdinal.get("1")).toMatchObject({ key_id: second.keyId, granted: 3, used: 3 });
    expect(byOrdinal.get("2")).toBeUndefined();
    expect(byOrdinal.get("3")).toMatchObject({ key_id: first.keyId, granted: 100, used: 100 });
  });

  test("no groups, no rows", async () => {
    expect(await admitAll(service, [], [])).toEqual([]);
  });

  test("an unknown or revoked secret has no row and leaves no window", async () => {
    const key = await storeKey(service);
    await service.run(deleteApiKey, [key.accountId, key.keyId, systemClock().nowText(), null]);
    expect(await admit(service, key)).toBeUndefined();
    expect(await admit(service, { secretSha256: keyHash("x") })).toBeUndefined();
    expect(await windowOf(key)).toBeUndefined();
  });
});

describe("at one time", () => {
  test("a second transaction waits for the first and sees what it counted", async () => {
    const key = await storeKey(service);
    await admit(service, key);
    let second: Promise<AdmissionRow | undefined> | undefined;
    await service.transaction(async (transaction) => {
      expect(await admit(transaction, key, 60)).toMatchObject({ granted: 60 });
      second = admit(service, key, 60);
    });
    expect(await second).toMatchObject({ granted: 39, used: LIMIT });
  });

  test("a transaction that is rolled back has counted nothing", async () => {
    const key = await storeKey(service);
    await expect(
      service.transaction(async (transaction) => {
        await admit(transaction, key, 60);
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await admit(service, key, LIMIT)).toMatchObject({ granted: LIMIT });
  });

  test("groups that name the same keys in opposite orders never deadlock, and count exactly", async () => {
    const { owner: own, service: crowded } = await migratedDatabase();
    const { accountId } = await storeKey(crowded);
    // In a table of this size PostgreSQL looks keys up one by one, in the order of the parameters.
    await own.query(
      `INSERT INTO keys.api_keys (account_id, id, name, key_prefix, secret_sha256, scopes, created_at)
       SELECT $1, n::text, '', '', sha256(n::text::bytea), '{verify}', '' FROM generate_series(1, 20000) AS n`,
      [accountId],
    );
    await own.query("ANALYZE keys.api_keys, keys.accounts");
    const keys: StoredKey[] = [];
    for (let n = 0; n < 20; n++) keys.push(await storeKey(crowded, { accountId }));
    const secrets = keys.map(({ secretSha256 }) => secretSha256);
    const orders = [secrets, secrets.toReversed()];
    const ones = secrets.map(() => 1);
    const rounds = Array.from({ length: 200 }, (_, n) =>
      admitAll(crowded, orders[n % 2] ?? [], ones, 1_000),
    );
    const rows = (await Promise.all(rounds)).flat();
    expect(rows).toHaveLength(200 * keys.length);
    expect(rows.every(({ granted }) => granted === 1)).toBe(true);
    for (const { keyId } of keys) {
      const used = rows.filter((row) => row.key_id === keyId).map((row) => row.used);
      expect(used.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    }
  });
});
