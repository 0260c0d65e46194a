// Guarantee: on each supported version of PostgreSQL an owner without superuser rights migrates, every
// service starts, events are appended, found, verified, delivered and exported, and the login of `serve`
// follows its URL. An older version is refused with one line, and nothing is made in it.

import { createLog } from "@annals/chassis";
import { createPool, migrate, statement } from "@annals/postgres";
import { eventually, ownerOf } from "@annals/testing";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { exported } from "../system/exports-client.ts";
import { startConstellation } from "../system/constellation.ts";
import { startWebhookSystem } from "../system/webhook-constellation.ts";
import { supportedBuilds, unsupportedBuilds } from "./postgresql-builds.ts";

const SERVICES = ["gateway", "keys", "ledger", "export", "webhook-dispatcher"] as const;
const KEYS = {
  schema: "keys",
  directory: join(import.meta.dirname, "../../services/keys/migrations"),
};
const one = statement<[], { one: number }>("/* test.one */ SELECT 1 AS one", { route: "local" });

/** A server alone, and the URL of its database for each login. */
async function startServer(binaries: string | undefined) {
  const without = [...SERVICES, "nats"] as const;
  const stack = await startConstellation({ without, postgresBinaries: binaries });
  onTestFinished(() => stack.stop());
  const { databaseUrl } = stack;
  const urlOf = (username: string, password: string) =>
    Object.assign(new URL(databaseUrl), { username, password }).href;
  const owner = ownerOf(databaseUrl);
  onTestFinished(owner.close);
  return { databaseUrl, owner, urlOf };
}

const supported = await supportedBuilds();

test.each(supported)("everything works on $name", async ({ binaries }) => {
  const { owner, urlOf } = await startServer(binaries);
  await owner.query("CREATE ROLE annals_owner LOGIN CREATEROLE PASSWORD 'owner'");
  await owner.query("GRANT CREATE ON DATABASE annals TO annals_owner");
  const databaseUrl = urlOf("annals_owner", "owner");
  const system = await startWebhookSystem({}, { databaseUrl });
  onTestFinished(system.stop);
  const client = await system.client();
  const subscriber = await system.subscriber();
  const webhook = { url: subscriber.url(), events: ["*"] };
  expect((await client.post("/v1/webhooks", webhook)).status).toBe(201);
  const event = { action: "thing.done", actor: { id: "u_1", type: "user" } };
  expect((await client.post("/v1/events", event)).status).toBe(201);
  await eventually("it is delivered", () => subscriber.received.length > 0);
  expect((await client.get("/v1/events?actor_id=u_1")).body.data).toHaveLength(1);
  expect((await client.get("/v1/verify")).body.data).toMatchObject({ valid: true, checked: 1 });
  const { content } = await exported(client, { include_proofs: true });
  expect(content.text).toContain("thing.done");

  for (const password of ["first", "second"]) {
    const serveConnectionString = urlOf("keys_login", password);
    const options = { ...KEYS, connectionString: databaseUrl, serveConnectionString };
    const { applied, logins } = await migrate(options);
    expect({ applied, logins }).toMatchObject({ applied: [], logins: [{ password_set: true }] });
    const login = new pg.Client({ connectionString: serveConnectionString });
    await login.connect();
    await login.query("SET ROLE annals_keys");
    await login.end();
  }
});

const unsupported = await unsupportedBuilds();

test.each(unsupported)("$name is refused", async ({ binaries }) => {
  const { databaseUrl, owner } = await startServer(binaries);
  const reason = /^PostgreSQL 14\.\d+\S* is too old: Annals needs PostgreSQL 15 or newer$/;
  await expect(migrate({ ...KEYS, connectionString: databaseUrl })).rejects.toThrow(reason);
  expect(await owner.query("SELECT FROM pg_namespace WHERE nspname = 'keys'")).toStrictEqual([]);
  const pool = createPool({
    connectionString: databaseUrl,
    applicationName: "annals-versions-test",
    maxConnections: 1,
    statementTimeoutMs: 5_000,
    log: createLog({ service: "test", level: "error" }),
  });
  onTestFinished(() => pool.close());
  await expect(pool.run(one, [])).rejects.toMatchObject({
    kind: "unavailable",
    cause: { message: expect.stringMatching(reason) },
  });
});
