// Guarantees: what one account stores outside of its chain is bounded in bytes, and so is what it makes
// others store. Its export files stay within their bound, whatever is asked for at once, and an equal one
// is written once. The system account's chain grows by a bounded number of small entries, and what is
// beyond them is counted. No service records what another one does. Meanwhile another account is served,
// and its export is written. The bounds of the audit and who may record what are no settings: without them
// libs/postgres/src/audit-outbox.test.ts and services/ledger/src/audit/rpc/record-audit-events.test.ts fail.

import { LedgerService } from "@annals/proto/ledger";
import { eventually, HttpClient, newAccount } from "@annals/testing";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ended } from "../system/exports-client.ts";
import { loadLongChain } from "../bench/long-chain.ts";
import { metricOf } from "../system/metric-of.ts";
import { call, endpointsOf, filesOf, stockClient } from "../system/services.ts";
import { report } from "../system/report.ts";
import { processesOf, startTestbed, type Testbed } from "../system/testbed.ts";
import { aloneFor, underAttack } from "./under-attack.ts";

const { forMs } = inject("form").fairness;
const EVENTS = 3_000;
const MAX_BYTES = 10 * 1024 * 1024;
const EXPORTS = 12;
/** Of an account at a time. */
const UNFINISHED = 10;
const TOKENS = 100;
const SETTLED_WITHIN_MS = 60_000;
const SYSTEM = "acct_system";
/** libs/postgres/src/audit-windows.ts */
const ENTRIES_PER_MINUTE = 20;
const ENTRY_BYTES = 1_024;

const PLANS = {
  plans: { bounded: {}, unbounded: { max_export_bytes: Number.MAX_SAFE_INTEGER } },
  default: "bounded",
};

let bed: Testbed;
let plansFolder: string;

beforeAll(async () => {
  plansFolder = await mkdtemp(join(tmpdir(), "annals-hostile-"));
  await writeFile(join(plansFolder, "plans.json"), JSON.stringify(PLANS));
  bed = await startTestbed({
    replicas: {},
    env: {
      keys: { ANNALS_PLANS_FILE: join(plansFolder, "plans.json") },
      export: { ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT: String(MAX_BYTES) },
    },
  });
});
afterAll(async () => {
  await bed?.stop();
  await rm(plansFolder, { recursive: true });
});

async function attacker(events: number) {
  const { baseUrls, databaseUrl } = bed.stack;
  const account = await newAccount(databaseUrl);
  if (events > 0) await loadLongChain(databaseUrl, account.accountId, events);
  return { ...account, client: new HttpClient(baseUrls[0] ?? "", account.key) };
}

async function bytesOnDisk(accountId: string): Promise<number> {
  const folder = join(bed.stack.dataDir, "exports", accountId);
  const sizes = (await readdir(folder).catch(() => [])).map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("a dozen exports of a whole chain stay within the bytes of their account", async () => {
  const { accountId, client } = await attacker(EVENTS);
  const asked = Array.from({ length: EXPORTS }, (_, n) => ({
    include_proofs: true,
    filter: { before_sequence: 1_000_000 + n },
  }));
  const other = { baseUrl: bed.stack.baseUrls[0] ?? "", key: bed.key };
  const ids = new Set<string>();
  let [most, refused] = [0, 0];
  let isOver = false;
  const attack = async (): Promise<void> => {
    for (const body of asked) {
      // Each twice: the second is no export of its own.
      const answers = await Promise.all([1, 2].map(() => client.post("/v1/exports", body)));
      for (const { body: made, status } of answers) {
        if (status === 201) ids.add(made.data.id);
        else refused += 1;
      }
    }
    while (!isOver) most = Math.max(most, await bytesOnDisk(accountId));
  };
  const settled = () =>
    eventually(
      "all exports have ended",
      async () => {
        const { body } = await client.get("/v1/exports?limit=100");
        const states = body.data.map(({ status }: { status: string }) => status);
        return states.every((one: string) => /completed|failed/.test(one)) ? states : undefined;
      },
      SETTLED_WITHIN_MS,
    );
  let attacking: Promise<void> | undefined;
  await underAttack(bed, {
    other,
    alone: await aloneFor(other, forMs),
    forMs,
    begin: () => {
      attacking = attack();
      return () => {};
    },
  });
  const [otherClient] = bed.clients as [HttpClient];
  const made = await otherClient.post("/v1/exports", { include_proofs: true });
  await ended(otherClient, made.body.data.id, "completed", SETTLED_WITHIN_MS);
  const states = await settled();
  isOver = true;
  await attacking;
  report({ exports: ids.size, refused, "most MB": most / 2 ** 20 });
  expect(ids.size).toBeLessThanOrEqual(EXPORTS);
  expect(most).toBeLessThanOrEqual(MAX_BYTES);
  expect(states).toContain("completed");
  expect(states).toContain("failed");

  // Up to its bound, exactly: the next one is refused, and an equal one is still answered.
  const { data } = (await client.get("/v1/usage")).body;
  const { limit, used } = data.export_bytes;
  expect([limit, used <= limit]).toEqual([MAX_BYTES, true]);
  const [kept] = (await client.get("/v1/exports?limit=100")).body.data.filter(
    ({ status }: { status: string }) => status === "completed",
  );
  const fill = `UPDATE exports.jobs SET size_bytes = size_bytes + $2 WHERE id = $1`;
  await bed.owner.query(fill, [kept.id, MAX_BYTES - used]);
  const beyond = await client.post("/v1/exports", { format: "csv" });
  expect([beyond.status, beyond.body.error?.type]).toEqual([403, "plan_limit_exceeded"]);
  const equal = { include_proofs: true, filter: kept.filter };
  expect((await client.post("/v1/exports", equal)).body.data.id).toBe(kept.id);
  await bed.owner.query(fill, [kept.id, used - MAX_BYTES]);
  await client.delete(`/v1/exports/${kept.id}`);
  await eventually("there is room again", async () => {
    return (await client.post("/v1/exports", { format: "csv" })).status === 201;
  });
  client.close();
});

test("the control: with more bytes than that, its exports take more", async () => {
  const { accountId, client } = await attacker(EVENTS);
  const unbounded = "UPDATE keys.accounts SET plan = 'unbounded' WHERE account_id = $1";
  await bed.owner.query(unbounded, [accountId]);
  const asked = Array.from({ length: UNFINISHED }, (_, n) =>
    client.post("/v1/exports", {
      include_proofs: true,
      filter: { before_sequence: 1_000_000 + n },
    }),
  );
  expect((await Promise.all(asked)).map(({ status }) => status)).toContain(201);
  const bytes = await eventually(
    "the files have more bytes than that",
    async () => {
      const most = await bytesOnDisk(accountId);
      return most > MAX_BYTES ? most : undefined;
    },
    SETTLED_WITHIN_MS,
  );
  report({ "MB without the bound": bytes / 2 ** 20 });
  client.close();
});

interface Stored {
  readonly action: string;
  readonly bytes: number;
  readonly text: string;
}

/** What the system account's chain has about an account. */
async function entriesOf(accountId: string): Promise<Stored[]> {
  const rows = await bed.owner.query(
    `SELECT action, metadata AS text, octet_length(action) + octet_length(actor) + octet_length(target)
       + octet_length(context) + octet_length(diff) + octet_length(metadata) AS bytes
     FROM ledger.events
     WHERE account_id = $1 AND context::json ->> 'account_id' = $2`,
    [SYSTEM, accountId],
  );
  return rows as unknown as Stored[];
}

test("widget tokens with all that they may have make few small entries, and a count of the others", async () => {
  const { accountId, client } = await attacker(0);
  const wide = (n: number, length = 250) => String.fromCodePoint(0x1f600 + n).repeat(length);
  const created = Array.from({ length: TOKENS }, (_, n) => ({
    filter: { action: wide(1), actor_id: wide(2), actor_type: wide(3), target_id: wide(4) },
    origins: Array.from(
      { length: 20 },
      (__, at) => `https://o${n}-${at}.${"a".repeat(60)}.invalid`,
    ),
    viewer: { id: wide(5), name: "Ada Lovelace" },
  }));
  const statuses: number[] = [];
  for (const body of created) statuses.push((await client.post("/v1/widget-tokens", body)).status);
  expect(new Set(statuses)).toEqual(new Set([201]));
  // As if the minutes were over.
  await bed.owner.query(
    "UPDATE keys.audit_windows SET minute = '2020-01-01T00:0' || right(minute, 1) WHERE account_id = $1",
    [accountId],
  );
  const entries = await eventually("what was counted is recorded", async () => {
    const found = await entriesOf(accountId);
    return found.some(({ action }) => action === "annals.audit.counted") ? found : undefined;
  });
  const counted = entries.filter(({ action }) => action === "annals.audit.counted");
  const further = counted.map(
    ({ text }) => JSON.parse(text).further["annals.widget_token.created"],
  );
  const single = entries.length - counted.length;
  report({
    entries: entries.length,
    "bytes of all": entries.reduce((sum, { bytes }) => sum + bytes, 0),
  });
  // It may have taken more than a minute.
  expect(single).toBeLessThanOrEqual(ENTRIES_PER_MINUTE * (1 + counted.length));
  expect(single + further.reduce((sum: number, n: number) => sum + n, 0)).toBe(TOKENS);
  for (const { bytes, text } of entries) {
    expect(bytes).toBeLessThanOrEqual(ENTRY_BYTES);
    expect(text).not.toMatch(/Ada|\u{1f601}|invalid/u);
  }
  client.close();
});

describe("with the certificate of a service that was taken over", () => {
  const now = () => new Date().toISOString().replace("Z", "000Z");
  const forgedFor =
    (accountId: string) =>
    (action: string, actor: object, occurred_at = now()) => ({
      id: randomUUID(),
      accountId,
      event: JSON.stringify({ action, actor, target: { type: "x", id: "x" }, occurred_at }),
    });
  const key = { type: "api_key", id: "key_forged" };
  const operator = { type: "operator" };

  test.each(["export", "webhook-dispatcher"] as const)("%s", async (service) => {
    const endpoint = endpointsOf(bed.stack).find(({ process }) => process.service === "ledger");
    if (!endpoint) throw new Error("no ledger");
    const { accountId, client: unused } = await attacker(0);
    unused.close();
    const forged = forgedFor(accountId);
    const own = service === "export" ? "annals.export.created" : "annals.webhook.created";
    const entries = [
      forged("annals.account.created", operator),
      forged("annals.key.revoked", key),
      forged(service === "export" ? "annals.webhook.deleted" : "annals.export.deleted", key),
      forged(own, operator),
      forged(own, { type: "service", id: "keys" }),
      forged(own, key, "2020-01-01T00:00:00.000000Z"),
      forged("user.login", key),
      forged(own, key),
    ];
    const refused = () =>
      metricOf(
        processesOf(bed.stack, "ledger")[0]?.adminUrl,
        "annals_audit_refused_total",
        `caller="${service}"`,
      );
    const before = await refused();
    const client = stockClient(endpoint, filesOf(bed.stack, service));
    const { recordAuditEvents } = LedgerService.method;
    const { storedIds } = await call(client, recordAuditEvents, { entries });
    client.close();
    expect(storedIds).toEqual([entries.at(-1)?.id]);
    expect((await refused()) - before).toBe(entries.length - 1);
    expect((await entriesOf(accountId)).map(({ action }) => action)).toEqual([own]);
  });
});
