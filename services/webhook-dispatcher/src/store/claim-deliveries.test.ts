// Guarantee: what a claim reads grows with what is due, not with the history, and a scan over queues without
// due deliveries costs a few blocks each. The test counts the blocks that the statement touches under the
// generic plan of every connection: no other load on the machine changes them. Bounds are for one queue and
// one delivery, so that they hold for any number of them.

import { type Pool, statement } from "@annals/postgres";
import { expect, test } from "vitest";
import { newDatabase } from "../testing/dispatcher.ts";
import { claimDeliveries } from "./claim-deliveries.ts";

const WEBHOOKS = 1_000;
const WAITING_EACH = 10;
const FINISHED_EACH = 100;
/** Of 8 KiB, for each queue of a scan: the index from its root, and the row where it is not all-visible. */
const BLOCKS_PER_QUEUE = 5;
/** For each webhook of which something is due: its row. */
const BLOCKS_PER_WEBHOOK = 5;
/** For each delivery that is claimed: found, locked, changed in the table and in each index. */
const BLOCKS_PER_CLAIM = 40;
const SLOTS = 250;

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
       after_verifications, after_exports, secret_key_id, secret_sealed)
     SELECT account_id, id, 'https://example.com/', '{*}', true, '', 0, 0, 0, '1', '' FROM (${webhooks}) AS webhook`,
  );
  await database.query(
    `INSERT INTO webhooks.deliveries (account_id, webhook_id, id, payload_id, event, body, created_at, attempts, succeeded,
       attempted_at, due_at)
     SELECT account_id, webhook.id, 'd', 'p', 'event.created', CASE WHEN round > $1 THEN '{}'::bytea END, now(),
       (round <= $1)::integer, round <= $1, now(), CASE WHEN round > $1 THEN now() + interval '1 hour' END
     FROM generate_series(1, $1::integer + $2::integer) AS round, (${webhooks}) AS webhook`,
    [finishedEach, waitingEach],
  );
  return database;
}

interface Node {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Node[];
}

/** Runs the claim with the generic plan, rolls it back, and resolves to what it touched. */
async function explained(
  pool: Pool,
  scans: number,
  notified: readonly string[],
  now: string,
  since = "NULL",
) {
  const rollback = new Error("rolled back");
  let answer: Node | undefined;
  const ids = `ARRAY[${notified.map((id) => `'${id}'`).join()}]::text[]`;
  const accounts = `ARRAY[${notified.map((id) => `'acct_${Number(id.slice(3)) % 97}'`).join()}]::text[]`;
  await pool
    .transaction(async (transaction) => {
      const one = <Row>(text: string) =>
        transaction.run(statement<[], Row>(text, { customPlan: true }), []);
      await one("/* test.plan */ SET LOCAL plan_cache_mode = force_generic_plan");
      await one(`/* test.prepare */ PREPARE claim AS ${claimDeliveries.text}`);
      const [row] = await one<{ "QUERY PLAN": readonly { Plan: Node }[] }>(
        `/* test.explain */ EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT json) EXECUTE claim
         (${now}, '', '', ${scans}, ${SLOTS}, 15000, 10, '{}', '{}', ${accounts}, ${ids},
          array_fill((${since})::timestamptz, ARRAY[${notified.length}]), 200, '{}', '{}')`,
      );
      await one("/* test.deallocate */ DEALLOCATE claim");
      answer = row?.["QUERY PLAN"][0]?.Plan;
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  if (!answer) throw new Error("there is no plan");
  const nodes = nodesOf(answer);
  const scanned = nodes.filter((node) => node["Relation Name"] === "deliveries");
  return {
    blocks: answer["Shared Hit Blocks"] + answer["Shared Read Blocks"],
    paths: new Set(scanned.map((node) => node["Index Name"] ?? node["Node Type"])),
  };
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

test("a claim touches a few blocks for each queue and each delivery", async () => {
  const database = await begin({
    webhooks: WEBHOOKS,
    waitingEach: WAITING_EACH,
    finishedEach: FINISHED_EACH,
  });
  await database.query("ANALYZE webhooks.deliveries, webhooks.webhooks");
  const pool = database.pool();
  const idle = await explained(pool, WEBHOOKS, [], "now()");
  const later = "now() + interval '2 hours'";
  const two = await explained(pool, 0, ["wh_5", "wh_77"], later);
  const full = await explained(pool, WEBHOOKS, [], later);
  expect(idle.blocks).toBeLessThan(BLOCKS_PER_QUEUE * WEBHOOKS);
  expect(two.blocks).toBeLessThan(BLOCKS_PER_CLAIM * 2 * WAITING_EACH);
  const perWebhook = BLOCKS_PER_QUEUE + BLOCKS_PER_WEBHOOK;
  expect(full.blocks).toBeLessThan(perWebhook * WEBHOOKS + BLOCKS_PER_CLAIM * SLOTS);
  for (const { paths } of [idle, two, full]) {
    expect([...paths].toSorted()).toEqual(["ModifyTable", "deliveries_due", "deliveries_pkey"]);
  }
});

test("a claim from long queues touches no more, although PostgreSQL has no statistics of the table", async () => {
  const database = await begin({ webhooks: 4, waitingEach: 4_000, finishedEach: 0 });
  // As claims do: the index of the queues grows larger than the primary key, which then looks cheaper.
  const inHours = (hours: number) => `now() + interval '${hours} hours'`;
  for (const hours of [2, 3]) {
    await database.query(`UPDATE webhooks.deliveries SET due_at = ${inHours(hours)}`);
  }
  const notified = ["wh_1", "wh_2", "wh_3", "wh_4"];
  const pool = database.pool();
  const { blocks, paths } = await explained(pool, 0, notified, inHours(4), inHours(2.5));
  expect(blocks).toBeLessThan(BLOCKS_PER_CLAIM * WAITING_EACH * notified.length);
  expect([...paths].toSorted()).toEqual(["ModifyTable", "deliveries_due", "deliveries_pkey"]);
});
