// Guarantee: a key, a signing secret, and what logs in people and workloads, are in the answer that created
// them and nowhere else: not in another answer, not in a log, not in a trace, not in a notice that NATS
// keeps, not in the database. All of these are looked through, so the system is the file's own.

import { eventually, ownerOf } from "@annals/testing";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { PERSON } from "@annals/keys/src/testing/identity-provider.ts";
import { type Logins, startLogins } from "../system/logins.ts";
import { shared } from "../system/shared-systems.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";

/** Of keys, and of webhooks. */
const CREATES = inject("form").secrets.creates;
const AT_A_TIME = 10;
/** Spans are sent every five seconds. */
const TRACED_MS = 30_000;
const TRACED = ["gateway", "keys", "ledger", "webhook-dispatcher"];

/** Their keys seal and sign. They are in no answer, and in no other place. */
const KEY_FILES = ["admission-secret", "webhook-secret-key"];
/** Characters of a part of a secret at least. */
const SECRET_LENGTH = 20;

/** Spans of the requests that have what logs in people and workloads. */
const LOGIN_SPANS = [
  "GET /auth/callback/:provider",
  "finish-login",
  "create-access-token",
  "keys.admit-access-requests",
  "end-session",
  "register-workload-token",
];

let system: WebhookSystem;
let logins: Logins;
let collector: Server;
const traces: Buffer[] = [];
beforeAll(async () => {
  collector = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => traces.push(chunk));
    request.on("end", () => response.end());
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo;
  logins = await startLogins();
  system = await startWebhookSystem(
    { ANNALS_WEBHOOK_RETRY_DELAYS_S: "1" },
    { shared: inject("stack") },
    {
      every: {
        ANNALS_LOG_LEVEL: "debug",
        ANNALS_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      },
      ...logins.env,
    },
  );
});
afterAll(async () => {
  await system.stop();
  await logins.close();
  collector.close();
});

test(`after ${2 * CREATES} creates and two logins no secret is anywhere`, async () => {
  const client = await system.client();
  const subscriber = await system.subscriber();
  subscriber.answer = (response, _, count) =>
    void response.writeHead(count % 2 === 0 ? 204 : 500).end();
  const secrets: string[] = [];
  const create = async (path: string, body: object): Promise<void> => {
    const answer = await client.post(path, body);
    expect(answer.status).toBe(201);
    secrets.push(answer.body.data.key ?? answer.body.data.secret);
  };
  for (let i = 0; i < CREATES; i += AT_A_TIME) {
    await Promise.all(
      Array.from({ length: AT_A_TIME }, () => [
        create("/v1/api-keys", { name: "one of many" }),
        create("/v1/webhooks", {
          url: subscriber.url(),
          events: ["event.created"],
          active: i === 0,
        }),
      ]).flat(),
    );
  }
  // They are used: events, deliveries that fail and that do not, refusals.
  await Promise.all(
    secrets.slice(0, 20).map((key) => client.as(key).post("/v1/events", { action: "a" })),
  );
  await subscriber.waitFor(10);
  const { body } = await client.get("/v1/webhooks");
  const [{ id }] = body.data;
  await client.patch(`/v1/webhooks/${id}`, { url: "https://127.0.0.1/x", active: true });
  await client.patch(`/v1/webhooks/${id}`, { url: "http://no" });
  await client.delete(`/v1/webhooks/${id}`);

  const [baseUrl = ""] = system.stack.baseUrls;
  const ofLogins = await logins.use(baseUrl, client.accountId, client);

  const answers = [
    "/v1/people",
    "/v1/workloads",
    "/v1/webhooks",
    "/v1/api-keys",
    `/v1/webhooks/${body.data[1].id}/deliveries`,
    "/v1/events",
  ];
  const places = new Map<string, string>();
  for (const path of answers) places.set(path, (await client.get(path)).text);
  for (const file of filesUnder(system.stack.dataDir)) {
    places.set(file, readFileSync(file, "latin1"));
  }
  const postgresLog = join((await shared("one")).dataDir, "log/postgres-1.log");
  places.set(postgresLog, readFileSync(postgresLog, "latin1"));
  const traced = () => Buffer.concat(traces).toString("latin1");
  await eventually(
    "traces of every service and request",
    () =>
      TRACED.every((name) => traced().includes(`annals-${name}`)) &&
      LOGIN_SPANS.every((name) => traced().includes(name)),
    TRACED_MS,
  );
  places.set("traces", traced());
  for (const [table, text] of await dump(system.stack.databaseUrl)) places.set(table, text);
  expect([...places.keys()].filter((name) => name.endsWith(".log")).length).toBeGreaterThanOrEqual(
    5,
  );
  expect(places.get("webhooks.webhooks")).toContain("wh_");
  // The notices were looked through: they name the account.
  const notices = [...places].filter(([name]) =>
    name.startsWith(join(system.stack.dataDir, "nats")),
  );
  expect(notices.some(([, text]) => text.includes(client.accountId))).toBe(true);

  const forms = secrets.flatMap((secret) => {
    const raw = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return [
      secret.replace(/^(whsec_|annals_sk_)/, ""),
      Buffer.from(secret).toString("hex"),
      ...(secret.startsWith("whsec_") ? [raw.toString("hex")] : []),
    ];
  });
  forms.push(...ofLogins.flatMap(formsOf));
  const keyFiles = KEY_FILES.map((name) => join(system.stack.dataDir, name));
  for (const file of keyFiles) forms.push(places.get(file)?.trim().split(":")[1] ?? "");
  for (const [name, text] of places) {
    if (keyFiles.includes(name)) continue;
    const found = forms.filter((form) => text.includes(form));
    expect([name, found.length]).toEqual([name, 0]);
    // Who a person is may be in the database, and in what a manager lists.
    if (name !== "traces" && !name.endsWith(".log")) continue;
    expect([name, text.includes(PERSON.email), text.includes(PERSON.name)]).toEqual([
      name,
      false,
      false,
    ]);
  }
});

/**
 * A cookie or a JWT is its last two parts: the first of a JWT says nothing. The id of a key, which is the
 * first part of a sealed login, is no secret.
 */
function formsOf(secret: string): string[] {
  return secret
    .split(".")
    .slice(-2)
    .filter((part) => part.length >= SECRET_LENGTH)
    .flatMap((part) => [
      part,
      Buffer.from(part).toString("hex"),
      Buffer.from(part, "base64url").toString("hex"),
    ]);
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Every row of every table as text. */
async function dump(databaseUrl: string): Promise<[string, string][]> {
  const owner = ownerOf(databaseUrl);
  const tables = await owner.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts: [string, string][] = [];
  for (const { name } of tables) {
    const rows = await owner.query<{ row: string }>(`SELECT one::text AS row FROM ${name} AS one`);
    texts.push([name, rows.map(({ row }) => row).join("\n")]);
  }
  await owner.close();
  return texts;
}
