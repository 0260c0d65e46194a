// Any number of requests with one Idempotency-Key at the same time create one key, webhook, sink or hold
// (docs/interface.md): what a request finds before it has the lock of its account counts for nothing.

import { eventually, HttpClient, newAccount, ownerOf, type TestAccount } from "@annals/testing";
import { afterAll, beforeEach, describe, expect, inject, test } from "vitest";
import { FORMS, objectOf } from "./creation-forms.ts";

const { baseUrl, databaseUrl } = inject("stack");
const owner = ownerOf(databaseUrl);
/** No more: an account has two connections of keys at a time. */
const WAITING = 2;
let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
  // A chain has a head to lock from its first event on.
  await client.post("/v1/events", { action: "a" });
});
afterAll(() => owner.close());

/** The lock of the account under which each service creates. */
const LOCKS: Readonly<Record<string, (accountId: string) => string>> = {
  keys: (id) => `FROM keys.accounts WHERE account_id = '${id}' FOR NO KEY UPDATE`,
  ledger: (id) => `FROM ledger.heads WHERE account_id = '${id}' FOR UPDATE`,
  webhooks: (id) => `pg_advisory_xact_lock(hashtextextended('annals.webhooks ${id}', 0))`,
};

/**
 * Resolves when the lock is held, to what resolves when it is released: when {@link WAITING} others wait, or
 * after half the time that a call has, since the locks of a cluster's workers are not seen.
 */
async function held(lock: string): Promise<() => Promise<unknown>> {
  const blocked = (by: string) =>
    `SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND pg_blocking_pids(pid) && ${by}`;
  // One waiter for a row waits for the holder, and each other for the waiter before it.
  const released = owner.query(`/* held ${lock} */ DO $do$ BEGIN
    PERFORM ${lock};
    FOR n IN 1..250 LOOP
      EXIT WHEN ${WAITING} <= (
        WITH next AS MATERIALIZED (${blocked("ARRAY[pg_backend_pid()]")})
        SELECT count(*) FROM (
          TABLE next UNION ${blocked("(SELECT array_agg(pid) FROM next)")}
        ) AS waiting
      );
      PERFORM pg_sleep(0.02);
    END LOOP;
  END $do$`);
  const isHeld = `SELECT FROM pg_stat_activity WHERE query LIKE '/* held %' || $1 || '%' AND wait_event = 'PgSleep'`;
  await eventually("the lock is held", async () => {
    return (await owner.query(isHeld, [account.accountId])).length > 0;
  });
  return () => released;
}

const count = async (table: string): Promise<number> => {
  const text = `SELECT FROM ${table} WHERE account_id = $1`;
  return (await owner.query(text, [account.accountId])).length;
};

describe.each(FORMS)("POST $path", (form) => {
  const { body, path, rows, table } = form;
  const send = () => client.post(path, body, { headers: { "idempotency-key": "one" } });

  const outcomeOf = async (before: number, asked: readonly ReturnType<typeof send>[]) => {
    const answers = await Promise.all(asked);
    const statuses = new Set(answers.map(({ status }) => status));
    const ids = new Set(answers.map((each) => objectOf(form, each.body)["id"]));
    const fresh = answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined);
    return {
      statuses: [...statuses],
      ids: ids.size,
      fresh: fresh.length,
      rows: (await count(rows)) - before,
    };
  };

  const ONE = { statuses: [201], ids: 1, fresh: 1, rows: 1 };

  test("requests that wait for the lock of the account together create one", async () => {
    const before = await count(rows);
    const lock = form.lock ?? LOCKS[table.split(".")[0] ?? ""] ?? expect.unreachable();
    const released = await held(lock(account.accountId));
    const asked = Array.from({ length: WAITING }, send);
    await released();
    expect(await outcomeOf(before, asked)).toEqual(ONE);
  });

  test("20 at the same time create one", async () => {
    const before = await count(rows);
    expect(await outcomeOf(before, Array.from({ length: 20 }, send))).toEqual(ONE);
  });
});
