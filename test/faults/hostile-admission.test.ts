// Guarantee: whatever an account does with its keys, widget tokens and usage, and however many keys it has,
// no request of another account waits for it to be admitted: admission has connections of its own. And with
// any number of keys and tokens an account makes no more requests in a minute than its plan allows, over any
// number of gateways. The connections of admission are no setting: where it has none of its own, the test
// that has every other connection in use fails. Without pages of lists
// test/api/api-keys/list-api-keys.test.ts does.

import { keyHash, mintKey } from "@annals/contract";
import { eventually, HttpClient, newAccount, ownerOf } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { storeKeys, storeWidgetTokens } from "../system/many.ts";
import { adminApi, adminApiAt } from "../system/admin-api-client.ts";
import { ATTACK_NAMES } from "./hostile-admission-attacks.ts";
import { startTestbed, type Testbed } from "../system/testbed.ts";
import { aloneFor, attackFrom, type Noticed, underAttack } from "./under-attack.ts";

const { forMs } = inject("form").fairness;
const ATTACKS = new URL("./hostile-admission-attacks.ts", import.meta.url);
/** Stored by SQL: far more than an account may make. */
const KEYS = 20_000;
const TOKENS = 2_000;
const REQUESTS_PER_MINUTE = 300;
/** Requests of one account that wait for its share of a slow gateway, and are not refused. */
const AT_ONCE = 50;
const PLANS = {
  plans: { narrow: { requests_per_minute: REQUESTS_PER_MINUTE }, all: {} },
  default: "all",
};
/** Of a keys service: half of them are for admission. */
const CONNECTIONS = 10;
/** What the admin API has at a time. */
const ADMIN_REQUESTS = 8;
const TOKEN = "t".repeat(32);

let bed: Testbed;
let folder: string;
let alone: Noticed;
let attacker: { readonly accountId: string; readonly key: string; readonly keyId: string };
let other: { readonly baseUrl: string; readonly key: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-hostile-"));
  const file = join(folder, "plans.json");
  await writeFile(file, JSON.stringify(PLANS));
  await writeFile(join(folder, "token"), TOKEN);
  bed = await startTestbed({
    replicas: { gateway: 2 },
    without: ["nats", "export", "webhook-dispatcher"],
    env: {
      keys: {
        ANNALS_PLANS_FILE: file,
        ANNALS_DATABASE_POOL_SIZE: String(CONNECTIONS),
        ANNALS_ADMIN_API_TOKEN_FILE: join(folder, "token"),
        ANNALS_ADMIN_API_ADDRESS: "127.0.0.1:0",
      },
    },
  });
  const { databaseUrl, baseUrls } = bed.stack;
  attacker = await newAccount(databaseUrl);
  await storeKeys(attacker.accountId, KEYS, databaseUrl);
  await storeWidgetTokens(attacker, TOKENS, databaseUrl);
  other = { baseUrl: baseUrls[0] ?? "", key: bed.key };
  alone = await aloneFor(other, forMs);
});
afterAll(async () => {
  await bed?.stop();
  await rm(folder, { recursive: true });
});

test.each(ATTACK_NAMES)("%s", async (name) => {
  const begin = () =>
    attackFrom(ATTACKS, { name, baseUrl: bed.stack.baseUrls[1], key: attacker.key });
  const { failed } = await underAttack(bed, { other, alone, forMs, begin });
  expect(failed).toEqual([]);
});

test("with every connection for the rest in use, requests are admitted", async () => {
  const { databaseUrl, baseUrls } = bed.stack;
  const accounts = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => newAccount(databaseUrl)),
  );
  const locks = ownerOf(databaseUrl);
  // A creation of a key waits for the row of its account, and so does a new name.
  const held = locks
    .query(
      `/* held */ WITH held AS (SELECT FROM keys.accounts WHERE account_id = ANY ($1::text[]) FOR UPDATE)
       SELECT pg_sleep(60) FROM (SELECT count(*) FROM held) AS counted`,
      [accounts.map(({ accountId }) => accountId)],
    )
    .catch(() => {});
  await eventually("the rows are locked", async () => {
    const sleeping = await bed.owner.query(
      "SELECT FROM pg_stat_activity WHERE query LIKE '/* held */%' AND wait_event = 'PgSleep'",
    );
    return sleeping.length > 0;
  });
  const creations = accounts.map(({ key }) => {
    const client = new HttpClient(baseUrls[1] ?? "", key);
    return client.post("/v1/api-keys", { name: "waits" }).finally(() => client.close());
  });
  const admin = adminApi(await adminApiAt(bed.stack, TOKEN));
  const renamings = accounts
    .slice(0, ADMIN_REQUESTS)
    .map(({ accountId }) =>
      admin("PATCH", `/admin/v1/accounts/${accountId}`, { body: { name: "waits" } }),
    );
  const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE application_name = 'annals-keys' AND wait_event_type = 'Lock'`;
  try {
    await eventually("all other connections are in use", async () => {
      const [{ count } = { count: 0 }] = await bed.owner.query<{ count: number }>(waiting);
      return count >= CONNECTIONS / 2;
    });
    const client = new HttpClient(other.baseUrl, other.key);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post("/v1/events", { action: "other.account" })),
    );
    client.close();
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  } finally {
    await bed.owner.query(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '/* held */%'",
    );
    await held;
    await locks.close();
    await Promise.allSettled([...creations, ...renamings]);
  }
});

/** The statuses of one request of each of 1,000 keys of an account with the plan, over two gateways. */
async function byManyKeys(plan: keyof (typeof PLANS)["plans"]) {
  const { databaseUrl, baseUrls } = bed.stack;
  const { accountId } = await newAccount(databaseUrl);
  const keys = Array.from({ length: 1_000 }, () => mintKey("annals"));
  await bed.owner.query("UPDATE keys.accounts SET plan = $2 WHERE account_id = $1", [
    accountId,
    plan,
  ]);
  await bed.owner.query(
    `INSERT INTO keys.api_keys (account_id, id, name, key_prefix, secret_sha256, scopes, created_at)
     SELECT $1, 'key_' || n, 'key', 'a...b', secret, '{events:read}', '2026'
     FROM unnest($2::bytea[]) WITH ORDINALITY AS given (secret, n)`,
    [accountId, keys.map((key) => keyHash(key))],
  );
  const clients = baseUrls.map((baseUrl) => new HttpClient(baseUrl));
  const statuses: (number | undefined)[] = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const some = keys.slice(at, at + AT_ONCE);
    // oxlint-disable-next-line no-await-in-loop -- more at once are refused for their share of the gateway
    const answers = await Promise.all(
      some.map(async (key, n) => clients[n % clients.length]?.as(key).get("/v1/events?limit=1")),
    );
    statuses.push(...answers.map((answer) => answer?.status));
  }
  for (const client of clients) client.close();
  return { accountId, statuses };
}

test("by 1,000 keys over two gateways an account makes as many requests as its plan allows", async () => {
  const { accountId, statuses } = await byManyKeys("narrow");
  const admitted = statuses.filter((status) => status !== 429);
  expect(admitted).toHaveLength(REQUESTS_PER_MINUTE);
  const [used] = await bed.owner.query(
    `SELECT (SELECT sum(used)::int FROM keys.rate_windows WHERE account_id = $1) AS by_keys,
       (SELECT used FROM keys.account_windows WHERE account_id = $1) AS by_account`,
    [accountId],
  );
  expect(used).toEqual({ by_keys: REQUESTS_PER_MINUTE, by_account: REQUESTS_PER_MINUTE });
});

test("the control: without the limit of its plan it makes all of them", async () => {
  const { statuses } = await byManyKeys("all");
  expect(statuses.filter((status) => status === 429)).toEqual([]);
});
