// Guarantee: one account cannot harm another by declared fields: not with the most fields, values that are
// all different, more elements than the filter index takes, nor with lists, bars and facets of them. No
// request of another account fails. The index catches up with the events, and finds each value. No setting
// switches the protections off. Without the limit of what an event puts into the index
// declared-fields.test.ts fails, without budgets of counts count-budget.test.ts, and without turns
// search-turns.test.ts.

import { eventually, HttpClient, newAccount } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startTestbed, type Testbed } from "../system/testbed.ts";
import { ATTACK_NAMES, denseBatch, FIELDS, valueOf } from "./hostile-fields-attacks.ts";
import { answered } from "./request-world.ts";
import { aloneFor, attackFrom, type Noticed, type Other, underAttack } from "./under-attack.ts";

const { forMs } = inject("form").fairness;
const ATTACKS = new URL("./hostile-fields-attacks.ts", import.meta.url);
const PLANS = { plans: { all: { max_search_fields: FIELDS } }, default: "all" };
/** More than a fresh segment of the index. */
const EVENTS = 4_500;
const BATCH = 500;
const INDEXED_WITHIN_MS = 300_000;
/** Events of a fresh segment of the filter index. */
const FRESH = 4_096;

let bed: Testbed;
let folder: string;
let attacker: { readonly accountId: string; readonly key: string };
let client: HttpClient;
let other: Other;
let alone: Noticed;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-hostile-"));
  const file = join(folder, "plans.json");
  await writeFile(file, JSON.stringify(PLANS));
  bed = await startTestbed({ replicas: {}, env: { keys: { ANNALS_PLANS_FILE: file } } });
  const { baseUrls, databaseUrl } = bed.stack;
  const baseUrl = baseUrls[0] ?? "";
  attacker = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, attacker.key);
  for (let field = 0; field < FIELDS; field += 1) {
    const declared = { path: `metadata.f${field}`, name: `f${field}`, type: "string" };
    // oxlint-disable-next-line no-await-in-loop -- in order
    await answered(client.post("/v1/search/fields", declared));
  }
  for (let from = 0; from < EVENTS; from += BATCH)
    // oxlint-disable-next-line no-await-in-loop -- in order
    await answered(client.post("/v1/events/batch", denseBatch(from)));
  other = { baseUrl, key: bed.key };
  alone = await aloneFor(other, forMs);
}, 600_000);
afterAll(async () => {
  client?.close();
  await bed?.stop();
  await rm(folder, { recursive: true });
});

test.each(ATTACK_NAMES)("another account notices nothing of %s", async (name) => {
  const { key } = attacker;
  const begin = () => attackFrom(ATTACKS, { name, baseUrl: other.baseUrl, key });
  const noticed = await underAttack(bed, { other, alone, forMs, begin });
  expect(noticed.failed).toHaveLength(0);
});

test("the index gets to the end, and finds a value of each field", async () => {
  await eventually(
    "the index has the events",
    async () => {
      const [row] = await bed.owner.query<{ behind: string }>(
        `SELECT heads.sequence_number - coalesce(max(base) + ${FRESH}, 0) AS behind
         FROM ledger.heads LEFT JOIN ledger.segments USING (account_id)
         WHERE account_id = $1 GROUP BY heads.sequence_number`,
        [attacker.accountId],
      );
      return Number(row?.behind) < FRESH;
    },
    INDEXED_WITHIN_MS,
  );
  for (let field = 0; field < FIELDS; field += 1) {
    const value = valueOf(field, field);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await firstOf(`field.f${field}=${value}`)).toMatchObject({
      metadata: { [`f${field}`]: value },
    });
  }
}, 600_000);

/** The newest match. Events with more values than the index takes are compared, so a page may have none. */
async function firstOf(filter: string): Promise<object | undefined> {
  let after = "";
  do {
    // oxlint-disable-next-line no-await-in-loop -- page after page
    const { body } = await client.get(`/v1/events?limit=1&${filter}${after}`);
    if (body.data.length > 0) return body.data[0];
    after = body.has_more ? `&cursor=${encodeURIComponent(body.next_cursor)}` : "";
  } while (after !== "");
  return undefined;
}
