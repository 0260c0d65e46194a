// Guarantee: what is not evidence ends. Under constant use every table but those of the chain, and the
// folder of export files, reaches a size and keeps it. Real processes with their own sweeps; a round of use
// is a few requests of each kind, and then every row gets eleven days older.

import { eventually, HttpClient, newAccount, newKey, ownerOf } from "@annals/testing";
import { join } from "node:path";
import { afterEach, expect, inject, test } from "vitest";
import { URL_OF_NOBODY } from "../system/bad-bodies.ts";
import { ended } from "../system/exports-client.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import { report } from "../system/report.ts";
import {
  age,
  type Ending,
  ENDING,
  FILES,
  growing,
  overdue,
  OLDEST_DAYS,
  RETENTION_DAYS,
  ROUND_DAYS,
  hasAuditEntries,
  type Sizes,
  sizes,
} from "./soak-tables.ts";

const { rounds } = inject("form").soak;
/** An outbox entry without a reader is kept for 30 days, so sizes are steady from the fourth round on. */
const STEADY_ROUNDS = 3;
const CONTROL_ROUNDS = STEADY_ROUNDS;
const SERVICES = ["keys", "ledger", "export", "webhook-dispatcher"];
const USES = 3;
const SWEPT_WITHIN_MS = 30_000;
const UNUSED = { url: URL_OF_NOBODY, events: ["*"], active: false };

let system: WebhookSystem | undefined;
afterEach(async () => {
  await system?.stop();
  system = undefined;
});

/** Some of everything. `client` has webhooks, `other` has none. */
async function use(client: HttpClient, other: HttpClient, round: number): Promise<void> {
  for (let n = 0; n < USES; n += 1) {
    const headers = { "idempotency-key": `${round}-${n}` };
    const create = async (as: HttpClient, path: string, body: object) =>
      (await as.post(path, body, { headers })).body.data;
    for (const each of [client, other]) {
      const event = { action: "soak.used", metadata: { round } };
      expect((await each.send("POST", "/v1/events", { body: event, headers })).status).toBe(201);
      expect((await each.get("/v1/verify")).body.data.valid).toBe(true);
      const made = await each.post("/v1/exports", {});
      await ended(each, made.body.data.id);
    }
    const key = await create(client, "/v1/api-keys", { name: "soak", scopes: ["verify"] });
    expect((await client.as(key.key).get("/v1/verify")).status).toBe(200);
    expect((await client.delete(`/v1/api-keys/${key.id}`)).status).toBe(204);
    const webhook = await create(client, "/v1/webhooks", UNUSED);
    expect((await client.delete(`/v1/webhooks/${webhook.id}`)).status).toBe(204);
    const hold = await create(other, "/v1/holds", { from_sequence: 1 });
    expect((await other.delete(`/v1/holds/${hold.id}`)).status).toBe(204);
  }
}

/** Each service answers. */
async function isServed(client: HttpClient): Promise<boolean> {
  for (const path of ["/v1/events", "/v1/exports", "/v1/webhooks", "/v1/api-keys"])
    if ((await client.get(path)).status !== 200) return false;
  return true;
}

/** Resolves to the sizes after each round. `never`: what the settings keep permanently. */
async function soak(
  count: number,
  retention: number,
  never: readonly Ending[] = [],
): Promise<Sizes[]> {
  const days = String(retention);
  system = await startWebhookSystem(
    { ANNALS_WEBHOOK_DELIVERY_RETENTION_DAYS: String(RETENTION_DAYS) },
    {},
    {
      export: { ANNALS_EXPORT_RETENTION_DAYS: days },
      keys: { ANNALS_REVOKED_KEY_RETENTION_DAYS: days },
    },
  );
  const { stack } = system;
  const owner = ownerOf(stack.databaseUrl);
  const subscriber = await system.subscriber();
  const account = await newAccount(stack.databaseUrl);
  const client = new HttpClient(stack.baseUrls[0] ?? "", account.key);
  const { key } = await newKey(stack.databaseUrl, (await newAccount(stack.databaseUrl)).accountId);
  await client.post("/v1/webhooks", { url: subscriber.url(), events: ["*"] });
  const isAudited = async (): Promise<boolean> => !(await hasAuditEntries(owner));
  const found: Sizes[] = [];
  for (let round = 0; round < count; round += 1) {
    const before = subscriber.received.length;
    await use(client, client.as(key), round);
    // An event, a verification by each of two keys, and an export, each time.
    await eventually("all is delivered", () => subscriber.received.length >= before + 4 * USES);
    await eventually("every result is stored", async () => {
      const pending = "SELECT FROM webhooks.deliveries WHERE due_at IS NOT NULL LIMIT 1";
      return (await owner.query(pending)).length === 0;
    });
    // An entry recorded only after the ageing would count as new: a size would depend on when it was.
    await eventually("the round's audit entries are recorded", isAudited);
    await age(owner);
    // A sweep runs when its service starts, and then at its interval.
    const { processOf } = system;
    await Promise.all(SERVICES.map((service) => processOf(service).restart()));
    await eventually("the gateway has found them", () => isServed(client));
    await eventually(
      "nothing is past its time",
      async () => (await overdue(owner, never)).length === 0,
      SWEPT_WITHIN_MS,
    );
    // What the sweeps ended is recorded too, each entry with an idempotency key.
    await eventually("every audit entry is recorded", isAudited, SWEPT_WITHIN_MS);
    found.push(await sizes(owner, join(stack.dataDir, "exports")));
  }
  // What is past its time right after a round is swept: of everything there is some again.
  await use(client, client.as(key), count);
  await owner.close();
  return found;
}

test("under constant use no table and no folder grows", async () => {
  const found = await soak(rounds, RETENTION_DAYS);
  expect(growing(found, STEADY_ROUNDS)).toEqual([]);
  report({ rounds, ...Object.fromEntries(found.at(-1) ?? []) });
});

test("control: where nothing is swept, the test says what grows and what is past its time", async () => {
  const found = await soak(CONTROL_ROUNDS, 0, ["exports", "revokedKeys"]);
  expect(growing(found, STEADY_ROUNDS)).toEqual(
    expect.arrayContaining(["exports.jobs", "keys.api_keys", FILES]),
  );
  // The sweeps end with their services.
  const { processOf, stack } = system ?? expect.unreachable();
  await Promise.all(SERVICES.map((service) => processOf(service).stop()));
  const owner = ownerOf(stack.databaseUrl);
  for (let days = 0; days < OLDEST_DAYS; days += ROUND_DAYS) await age(owner);
  expect(await overdue(owner, [])).toEqual(ENDING);
  await owner.close();
});
