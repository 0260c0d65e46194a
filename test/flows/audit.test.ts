// Guarantee: each change by a client or an operator is in the system account's chain exactly once, with who
// made it and without a secret, whatever crashes or is away. Only the operator's key reads that chain, and no
// client writes there. Failed requests are lines of the log. It kills services, so the system is its own.

import { V1 } from "@annals/gateway/src/v1.ts";
import type { ServiceName, Stack } from "@annals/local";
import {
  eventually,
  HttpClient,
  markDelivered,
  newClient,
  newKey,
  ownerOf,
  type TestAccount,
} from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { putArchive } from "../api/archives/archive-rows.ts";
import { printedBy } from "../command/type-line.ts";
import { startWithProvider } from "../system/identity-file.ts";
import { metricOf } from "../system/metric-of.ts";
import { ACCOUNT, CHANGES, type Entry, SERVICE_OF } from "./audit-changes.ts";
import { requestLines } from "./request-lines.ts";

const [SYSTEM, HOLD, READ] = ["acct_system", "annals.hold", "annals.account.read"];
const RATE_LIMIT_PER_MINUTE = 100_000;

let stack: Stack;
let owner: ReturnType<typeof ownerOf>;
let operator: HttpClient;
let operatorKeyId: string;
let account: TestAccount & { readonly client: HttpClient };

beforeAll(async () => {
  stack = await startWithProvider({
    shared: inject("stack"),
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    env: { ledger: { ANNALS_AUDIT_IN_ACCOUNTS: "true" } },
  });
  owner = ownerOf(stack.databaseUrl);
  account = await newClient(stack);
  const added = await keys("add-key", "--account", SYSTEM);
  operator = new HttpClient(stack.baseUrls[0] ?? "", /^key (\S+)$/m.exec(added)?.[1]);
  const [row] = await owner.query("SELECT id FROM keys.api_keys WHERE account_id = $1", [SYSTEM]);
  operatorKeyId = String(row?.["id"]);
});
afterAll(() => Promise.all([owner?.close(), stack?.stop()]));

const processOf = (service: ServiceName) =>
  stack.processes.find((one) => one.service === service) ?? expect.fail(`no ${service}`);

const keys = (...words: string[]) => printedBy(stack, "accounts", ...words);

async function entriesOf(client: HttpClient, filter: string): Promise<Entry[]> {
  const { status, body } = await client.get(`/v1/events?limit=100&order=asc&${filter}`);
  expect(status).toBe(200);
  return body.data;
}

/** What the system chain has about a target, once it has anything. */
const recorded = (id: string, action: string) =>
  eventually(`${action} of ${id} is recorded`, async () => {
    const found = await entriesOf(operator, `target_id=${id}&action=${action}`);
    return found.length > 0 && found;
  });

/** Every entry that waited is handed over. */
const handedOver = () =>
  eventually("nothing waits", async () => {
    const tables = ["keys", "ledger", "exports", "webhooks"].map(
      (schema) => `(SELECT count(*) FROM ${schema}.audit_outbox)`,
    );
    const [row] = await owner.query(`SELECT ${tables.join(" + ")} AS waiting`);
    return row?.["waiting"] === "0";
  });

test("every route that changes something, or gives an export away, is a row of the table", () => {
  const isGiven = (name: string) => /content$|^get-archive-/.test(name);
  const changing = V1.filter(([method, , , name]) => method !== "GET" || isGiven(name));
  const names = changing.map(([, , , name]) => name);
  expect(CHANGES.map(({ route }) => route).toSorted()).toStrictEqual(names.toSorted());
});

describe("changes over HTTP", () => {
  const made = new Map<string, string>();

  beforeAll(async () => {
    made.set(ACCOUNT, account.accountId);
    await putArchive({ ...account, dataDir: stack.dataDir, owner, id: "arc_1" });
    for (const { make, route } of CHANGES) {
      if (route === "replay-events") await markDelivered(stack.databaseUrl, account.accountId);
      const [{ status, text }, id] = await make(account.client, made, stack.databaseUrl);
      if (status >= 300) throw new Error(`${route} got ${status}: ${text}`);
      made.set(route, id);
    }
    await handedOver();
  });

  const expected = () =>
    CHANGES.flatMap(({ action, route }) => (action ? [`${action} ${made.get(route)}`] : []));
  const said = (entries: readonly Entry[]) =>
    entries.map(({ action, target }) => `${action} ${target.id}`).toSorted();

  test.each([
    ["the system account's chain", () => operator],
    ["the account's own", () => account.client],
  ])("are in %s, each exactly once, with the key that made it", async (_, reader) => {
    const all = await entriesOf(reader(), `actor_id=${account.keyId}`);
    const entries = all.filter(({ action }) => action !== HOLD && action !== READ);
    expect(said(entries)).toStrictEqual(expected().toSorted());
    for (const { action, actor, context } of entries) {
      expect(actor).toEqual({ type: "api_key", id: account.keyId });
      expect(context).toEqual({
        account_id: account.accountId,
        entry_id: expect.any(String),
        service: SERVICE_OF[action.split(".")[1] ?? ""],
      });
    }
    expect(JSON.stringify(entries)).not.toMatch(
      /_sk_|_wt_|whsec_|secret(?!_rotated)|(?<!widget_)token/,
    );
    expect(JSON.stringify(entries)).not.toMatch(/"(?:one|two|three)"|private|Lovelace/);
    expect((await reader().get("/v1/verify")).body.data).toMatchObject({ valid: true });
  });

  test("of a hold are in the account's chain alone, with the key that made them", async () => {
    const filter = `action=${HOLD}&actor_id=${account.keyId}`;
    const states = (await entriesOf(account.client, filter)).map(({ metadata }) => metadata.state);
    expect(states).toEqual(["placed", "released"]);
    expect(await entriesOf(operator, `action=${HOLD}`)).toEqual([]);
  });

  test("are stored with the key that made them", async () => {
    const [row] = await owner.query(
      `SELECT
         (SELECT array_agg(DISTINCT created_by || updated_by || revoked_by) FROM keys.api_keys
           WHERE account_id = $1 AND name = 'two') AS keys,
         (SELECT array_agg(DISTINCT created_by || deleted_by) FROM exports.jobs WHERE account_id = $1) AS exports,
         (SELECT array_agg(DISTINCT key_id) FROM ledger.events WHERE account_id = $1 AND action <> $2) AS events`,
      [account.accountId, HOLD],
    );
    const { keyId } = account;
    expect([row?.["keys"], row?.["events"]]).toEqual([[keyId + keyId + keyId], [keyId]]);
    // The row goes when its file is gone.
    expect([null, [keyId + keyId]]).toContainEqual(row?.["exports"]);
  });

  test("are not seen by another account", async () => {
    const [entry] = await entriesOf(operator, "action=annals.key.created");
    const other = await newClient(stack);
    expect((await other.client.get(`/v1/events/${entry?.id}`)).status).toBe(404);
    expect((await other.client.get("/v1/events")).body.data).toEqual([]);
  });
});

test("what an operator does is recorded as the operator's", async () => {
  const created = await keys("create", "--name", "Example Ltd");
  const [, accountId = ""] = /^account (\S+)$/m.exec(created) ?? [];
  await keys("rename", "--account", accountId, "--name", "Sample Ltd");
  await keys("set-plan", "--account", accountId);
  // What a command adds waits for the sweep, or goes with the next change of the service.
  await account.client.post("/v1/api-keys", { name: "next", scopes: ["verify"] });
  await handedOver();
  // Nothing that a service really says is refused.
  expect(await metricOf(processOf("ledger").adminUrl, "annals_audit_refused_total")).toBe(0);
  const entries = await entriesOf(operator, `target_id=${accountId}`);
  expect(entries.map(({ action }) => action)).toEqual([
    "annals.account.created",
    "annals.account.renamed",
    "annals.plan.changed",
  ]);
  for (const { actor } of entries) expect(actor).toEqual({ type: "operator" });
  const [first] = await entriesOf(operator, `target_id=${operatorKeyId}`);
  expect(first).toMatchObject({
    action: "annals.key.created",
    actor: { type: "operator" },
    metadata: { scopes: ["events:read", "verify", "export"] },
  });
});

describe("the system account", () => {
  test("takes nothing from clients: its keys read, and no other kind of key can exist", async () => {
    const refusals = await Promise.all([
      operator.post("/v1/events", { action: "user.login" }),
      operator.post("/v1/api-keys", { name: "more", scopes: ["events:write"] }),
      operator.post("/v1/webhooks", { url: "https://receiver.invalid/", events: ["*"] }),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403]);
    for (const scope of ["events:write", "keys:manage"] as const) {
      await expect(newKey(stack.databaseUrl, SYSTEM, [scope])).rejects.toThrow(
        "api_keys_system_reads",
      );
    }
  });

  test("no client's event looks like one of the service", async () => {
    const single = await account.client.post("/v1/events", { action: "annals.key.created" });
    const batch = { events: [{ action: "a" }, { action: "annals.x" }] };
    const several = await account.client.post("/v1/events/batch", batch);
    const fields = [single, several].map(({ body }) => body.error.details[0].field);
    expect([single.status, several.status]).toEqual([422, 422]);
    expect(fields).toEqual(["action", "events[1].action"]);
    expect(single.body.error.message).toMatch(/^action: must not begin with annals\./);
  });
});

describe("nothing is lost and nothing doubled", () => {
  const create = async (name: string): Promise<string> => {
    const answer = await account.client.post("/v1/api-keys", { name, scopes: ["verify"] });
    expect(answer.status).toBe(201);
    return answer.body.data.id;
  };

  test("while the ledger is away and the service is killed, changes are made and recorded later", async () => {
    const ledger = processOf("ledger");
    await ledger.stop();
    const ids = [await create("while it was away")];
    const service = processOf("keys");
    service.kill("SIGKILL");
    await service.exited();
    await service.waitReady();
    const lag = () => metricOf(service.adminUrl, "annals_audit_lag_seconds");
    await eventually("it lags", async () => (await lag()) > 0);
    // Admissions need no ledger. The gateway connects again to the keys service first.
    const answers = async () => (await account.client.get("/v1/api-keys")).status === 200;
    await eventually("keys answers", answers);
    ids.push(await create("after the crash"));
    ledger.start();
    await ledger.waitReady();
    await handedOver();
    for (const id of ids) expect(await recorded(id, "annals.key.created")).toHaveLength(1);
    await eventually("it lags no more", async () => (await lag()) === 0);
  });

  test("an entry that is stored and cannot be deleted is stored once", async () => {
    const failures = () =>
      metricOf(processOf("keys").adminUrl, "annals_worker_failures_total", 'worker="audit"');
    await handedOver();
    const before = await failures();
    await owner.query("REVOKE DELETE ON keys.audit_outbox FROM annals_keys");
    const id = await create("stored and not deleted");
    await eventually("it is sent again", async () => (await failures()) >= before + 2);
    await owner.query("GRANT DELETE ON keys.audit_outbox TO annals_keys");
    await handedOver();
    expect(await recorded(id, "annals.key.created")).toHaveLength(1);
  });
});

describe("requests that failed", () => {
  const lines = () => requestLines(stack);

  test("are lines with request, key, account and route; others are none", async () => {
    const reading = await newKey(stack.databaseUrl, account.accountId, ["events:read"]);
    const limited = await newKey(stack.databaseUrl, account.accountId);
    await owner.query(
      `INSERT INTO keys.rate_windows (account_id, key_id, started_at, used, granted)
       VALUES ($1, $2, clock_timestamp(), $3, 1)`,
      [limited.accountId, limited.keyId, RATE_LIMIT_PER_MINUTE],
    );
    const [{ client }, known] = [account, { account_id: account.accountId }];
    const path = "/v1/events?actor_id=usr_searched";
    const answers = [
      await client.as(undefined).get(path),
      await client.as(reading.key).post("/v1/api-keys/", { name: "x" }),
      await client.as(reading.key).delete("/v1/api-keys/key_1"),
      await client.as(limited.key).get(path),
      await client.get(path),
      await client.get("/v1/events/evt_none"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 403, 429, 200, 404]);
    const expectedLines = [
      { method: "GET", route: "/v1/events", status: 401 },
      undefined,
      { ...known, method: "DELETE", route: "/v1/api-keys/:id", status: 403, key_id: reading.keyId },
      { ...known, method: "GET", route: "/v1/events", status: 429, key_id: limited.keyId },
    ];
    const ids = answers.map(({ headers }) => headers["x-request-id"]);
    const lineOf = (id: string | undefined) => lines().find((one) => one["request_id"] === id);
    // A line is written after its answer was sent, in their order. A slow request has one, too.
    await eventually("the last failure has its line", () => lineOf(ids[3]));
    for (const [index, id] of ids.entries()) {
      const line = lineOf(id);
      if (expectedLines[index]) expect(line).toMatchObject(expectedLines[index]);
      else expect(line === undefined || Number(line["duration_ms"]) > 1_000).toBe(true);
    }
    expect(JSON.stringify(lines())).not.toContain("usr_searched");
  });

  test("are recorded in bulk when there were some, and a flood of them is few lines", async () => {
    const [before, unknown] = [lines().length, account.key.replace(/.{6}$/, "000000")];
    const anonymous = account.client.as(undefined);
    await Promise.all(Array.from({ length: 300 }, () => anonymous.get("/v1/events")));
    expect((await account.client.as(unknown).get("/v1/events")).status).toBe(401);
    expect(lines().length - before).toBeLessThan(150);
    // What was counted is stored when a process ends, or after a minute.
    await processOf("keys").restart();
    const found = await recorded("keys", "annals.admission.refused");
    const limited = found.flatMap(({ metadata }) => metadata.keys);
    expect(limited).toMatchObject([{ account_id: account.accountId, count: 1 }]);
  });
});
