// Guarantee: what a claim and its end read grows with the deliveries in it, not with the queue or the
// history, whatever PostgreSQL knows of the table; a scan over queues costs a few blocks each; and a claim
// writes no index. The test counts the blocks that a statement touches: no other load on the machine changes
// them. Bounds are for one queue and one delivery, so that they hold for any number of them.

import { type Statement, statement } from "@annals/postgres";
import { explain, ON_ONE_SERVER, type Plans, type TestDatabase } from "@annals/testing";
import { expect, test } from "vitest";
import { newDatabase } from "../../testing/dispatcher.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { deleteFinished, deleteUnattempted, settleAttempted } from "./clean-up.ts";
import { findDueWebhooks } from "./find-due-webhooks.ts";
import { DATABASE_CLOCK } from "../../store/moment.ts";
import { recordResults } from "./record-results.ts";
import { releaseClaims } from "./release-claims.ts";

const WEBHOOKS = 1_000;
const WAITING_EACH = 10;
const FINISHED_EACH = 100;
/** Of 8 KiB, for each queue of a scan: its webhook, the index from its root, and the row of the first due. */
const BLOCKS_PER_QUEUE = 8;
/** For each delivery that is claimed: found by its webhook, locked, found by its place, changed. */
const BLOCKS_PER_CLAIM = 25;
/** Deliveries of a new webhook that wait, and as many that are finished. */
const NEW_QUEUE = 20_000;

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

interface Begin {
  readonly webhooks: number;
  readonly waitingEach: number;
  readonly finishedEach: number;
}

/** Queues and a history; nothing is due for an hour. */
async function begin({ webhooks: count, waitingEach, finishedEach }: Begin) {
  const database = await newDatabase();
  const webhooks = `SELECT 'acct_' || n % 97 AS account_id, 'wh_' || n AS id FROM generate_series(1, ${count}) AS n`;
  await database.query("ALTER TABLE webhooks.deliveries SET (autovacuum_enabled = false)");
  await database.query(
    `INSERT INTO webhooks.webhooks (account_id, id, url, events, active, created_at, after_events,
       after_verifications, after_exports, after_checkpoints, secret_key_id, secret_sealed)
     SELECT account_id, id, 'https://example.com/', '{*}', true, '', 0, 0, 0, 0, '1', '' FROM (${webhooks}) AS webhook`,
  );
  await database.query(
    `INSERT INTO webhooks.deliveries (account_id, webhook_id, id, payload_id, event, body, bytes, created_at, attempts,
       succeeded, attempted_at, due_at)
     SELECT account_id, webhook.id, 'd', 'p', 'event.created', CASE WHEN round > $1 THEN '{}'::bytea END, 2, now(),
       (round <= $1)::integer, round <= $1, now(), CASE WHEN round > $1 THEN now() + interval '1 hour' END
     FROM generate_series(1, $1::integer + $2::integer) AS round, (${webhooks}) AS webhook`,
    [finishedEach, waitingEach],
  );
  return database;
}

/** What a statement touches, and how it finds deliveries. */
async function explained<Params extends readonly unknown[]>(
  database: TestDatabase,
  given: Statement<Params, unknown>,
  params: Params,
  plans: Plans = "generic",
) {
  const { blocks, nodes, rows } = await explain(database, given, params, plans);
  const scanned = nodes.filter((node) => node["Relation Name"] === "deliveries");
  const paths = [...new Set(scanned.map((node) => node["Index Name"] ?? node["Node Type"]))];
  return { blocks, paths: paths.toSorted(), rows };
}

function explainFind(database: TestDatabase, now: string) {
  return explained(database, findDueWebhooks, [now, "", "", WEBHOOKS]);
}

function explainClaim(
  database: TestDatabase,
  ids: readonly string[],
  now: string,
  since = DATABASE_CLOCK,
) {
  const accounts = ids.map((id) => `acct_${Number(id.slice(3)) % 97}`);
  const distinct = [...new Set(accounts)];
  const slots = ids.map(() => WAITING_EACH);
  return explained(database, claimDeliveries, [
    now,
    distinct,
    accounts,
    ids,
    ids.map(() => since),
    slots,
    15,
    [60],
  ]);
}

test.runIf(ON_ONE_SERVER)(
  "a scan and a claim touch a few blocks for each queue and each delivery",
  async () => {
    const database = await begin({
      webhooks: WEBHOOKS,
      waitingEach: WAITING_EACH,
      finishedEach: FINISHED_EACH,
    });
    await database.query("ANALYZE webhooks.deliveries, webhooks.webhooks");
    for (const now of [DATABASE_CLOCK, inHours(2)]) {
      const { blocks, paths } = await explainFind(database, now);
      expect(blocks).toBeLessThan(BLOCKS_PER_QUEUE * WEBHOOKS);
      expect(paths).toEqual(["deliveries_due"]);
    }
    const claim = await explainClaim(database, ["wh_5", "wh_77"], inHours(2));
    expect(claim.blocks).toBeLessThan(BLOCKS_PER_CLAIM * 2 * WAITING_EACH);
    expect(claim.paths).toEqual(["ModifyTable", "Tid Scan", "deliveries_due"]);
  },
);

test.runIf(ON_ONE_SERVER)(
  "a claim from long queues touches no more, although PostgreSQL has no statistics of the table",
  async () => {
    const database = await begin({ webhooks: 4, waitingEach: 4_000, finishedEach: 0 });
    // As attempts do: the index of the queues grows larger than the primary key, which then looks cheaper.
    for (const hours of [2, 3]) {
      await database.query("UPDATE webhooks.deliveries SET due_at = $1", [inHours(hours)]);
    }
    const ids = ["wh_1", "wh_2", "wh_3", "wh_4"];
    const found = await explainFind(database, inHours(4));
    expect(found.paths).toEqual(["deliveries_due"]);
    const { blocks, paths } = await explainClaim(database, ids, inHours(4), inHours(2.5));
    expect(blocks).toBeLessThan(BLOCKS_PER_CLAIM * WAITING_EACH * ids.length);
    expect(paths).toEqual(["ModifyTable", "Tid Scan", "deliveries_due"]);
  },
);

/**
 * A webhook that is newer than the statistics. Of its deliveries that wait, the first were attempted, the
 * next are claimed, and the others lie in no order. As many are finished.
 */
async function beginWithNewQueue() {
  const database = await begin({ webhooks: 8, waitingEach: WAITING_EACH, finishedEach: 1_000 });
  await database.query("VACUUM ANALYZE webhooks.deliveries, webhooks.webhooks");
  await database.query(
    `INSERT INTO webhooks.webhooks SELECT (jsonb_populate_record(webhook, '{"account_id": "acct_new", "id": "wh_new"}')).*
     FROM webhooks.webhooks AS webhook LIMIT 1`,
  );
  await database.query(
    `INSERT INTO webhooks.deliveries (account_id, webhook_id, id, payload_id, event, bytes, created_at, attempts,
       attempted_at, due_at, leased_until, fence)
     SELECT 'acct_new', 'wh_new', 'd', 'p', 'event.created', 2, now(), (n <= $1)::integer, now() - interval '40 days',
       CASE WHEN n > 0 THEN now() + CASE WHEN n <= 2 * $1 THEN n ELSE 100 + n * 7919 % $2 END * interval '1 ms' END,
       CASE WHEN n BETWEEN $1 + 1 AND 2 * $1 THEN now() + interval '1 day' END, (n BETWEEN $1 + 1 AND 2 * $1)::integer
     FROM generate_series(1 - $2::integer, $2::integer) AS n`,
    [WAITING_EACH, NEW_QUEUE],
  );
  const claimed = await database.query(
    "SELECT due_at::text, number::text FROM webhooks.deliveries WHERE fence = 1 ORDER BY number",
  );
  const textsOf = (name: string) => claimed.map((row) => String(row[name]));
  const each = <Value>(value: Value) => claimed.map(() => value);
  const ids = [each("acct_new"), each("wh_new")] as const;
  const results = [...ids, textsOf("due_at"), textsOf("number"), each("1")] as const;
  const piece = ["acct_new", "wh_new", WAITING_EACH] as const;
  const all = [...piece, String(Number.MAX_SAFE_INTEGER), DATABASE_CLOCK] as const;
  const one = ["acct_new"];
  const touching = <Params extends readonly unknown[]>(
    given: Statement<Params, unknown>,
    ...params: Params
  ) => ({
    name: given.name,
    by: (plans: Plans) => explained(database, given, params, plans),
  });
  return [
    touching(
      claimDeliveries,
      inHours(2),
      one,
      one,
      ["wh_new"],
      [DATABASE_CLOCK],
      [WAITING_EACH],
      15,
      [60],
    ),
    touching(
      recordResults,
      DATABASE_CLOCK,
      [60],
      one,
      ...results,
      each(true),
      each(200),
      0,
      each(""),
      each(null),
    ),
    touching(releaseClaims, DATABASE_CLOCK, one, ...results, each(0)),
    touching(deleteUnattempted, ...all),
    touching(settleAttempted, ...all),
    touching(deleteFinished, ...piece, DATABASE_CLOCK, 30),
  ];
}

test.runIf(ON_ONE_SERVER)(
  "a claim and its end touch no more of a queue that is newer than the statistics, by any plan",
  async () => {
    for (const { name, by } of await beginWithNewQueue())
      for (const plans of ["generic", "custom"] as const) {
        const { blocks, rows } = await by(plans);
        expect(rows, name).toBe(WAITING_EACH);
        expect(blocks, `${name}, ${plans} plan`).toBeLessThan(BLOCKS_PER_CLAIM * WAITING_EACH);
      }
  },
);

test.runIf(ON_ONE_SERVER)("a claim of new deliveries changes no index", async () => {
  const database = await begin({ webhooks: 10, waitingEach: 100, finishedEach: 0 });
  const pool = database.pool();
  const ids = Array.from({ length: 10 }, (_, n) => `wh_${n + 1}`);
  const accounts = ids.map((id) => `acct_${id.slice(3)}`);
  const always = ids.map(() => DATABASE_CLOCK);
  const each = ids.map(() => WAITING_EACH);
  const params = [inHours(2), accounts, accounts, ids, always, each, 15, [60]] as const;
  const rows = await pool.run(claimDeliveries, [...params]);
  expect(rows.length).toBe(10 * WAITING_EACH);
  await pool.run(
    statement("/* test.flush */ SELECT pg_stat_force_next_flush()", { route: "local" }),
    [],
  );
  const [updates] = await pool.run(
    statement<[], { all: string; hot: string }>(
      "/* test.updates */ SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_all_tables WHERE relname = 'deliveries'",
      { route: "local" },
    ),
    [],
  );
  expect(updates).toEqual({ all: `${10 * WAITING_EACH}`, hot: `${10 * WAITING_EACH}` });
});
