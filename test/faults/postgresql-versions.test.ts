// Guarantee: on each supported version of PostgreSQL an owner without superuser rights migrates, with roles
// of another prefix than the default, every service starts, events are appended, found, verified, delivered
// and exported, and the login of `serve` follows its URL. Another owner gets roles of its own, and not these.
// A logical dump is restored into an empty server as docs/operators/backup.md says. An older version is
// refused with one line, and nothing is made in it.

import { createLog } from "@annals/chassis";
import { createPool, migrate, statement } from "@annals/postgres";
import { eventually, HttpClient, newAccount, ownerOf } from "@annals/testing";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { exported } from "../system/exports-client.ts";
import { startConstellation } from "../system/constellation.ts";
import { startWebhookSystem } from "../system/webhook-constellation.ts";
import { runVerb } from "../system/operator.ts";
import { supportedBuilds, unsupportedBuilds } from "./postgresql-builds.ts";

const SERVICES = ["gateway", "keys", "ledger", "export", "webhook-dispatcher"] as const;
const KEYS = {
  schema: "keys",
  directory: join(import.meta.dirname, "../../services/keys/migrations"),
};
/** A prefix other than the default: code that names a role by itself fails. */
const PREFIX = "staging";
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
  await owner.query("ALTER DATABASE annals OWNER TO annals_owner");
  const databaseUrl = urlOf("annals_owner", "owner");
  const every = { ANNALS_DATABASE_ROLE_PREFIX: PREFIX };
  const system = await startWebhookSystem({}, { databaseUrl }, { every });
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
    const connectionString = databaseUrl;
    const options = { ...KEYS, connectionString, rolePrefix: PREFIX, serveConnectionString };
    const { applied, logins } = await migrate(options);
    expect({ applied, logins }).toMatchObject({ applied: [], logins: [{ password_set: true }] });
    const login = new pg.Client({ connectionString: serveConnectionString });
    await login.connect();
    await login.query(`SET ROLE ${PREFIX}_keys`);
    await login.end();
  }

  await owner.query("CREATE ROLE other_owner LOGIN CREATEROLE PASSWORD 'owner'");
  await owner.query("CREATE DATABASE other OWNER other_owner");
  const ofOther = Object.assign(new URL(urlOf("other_owner", "owner")), { pathname: "/other" });
  const other = { ...KEYS, connectionString: ofOther.href };
  await expect(migrate({ ...other, rolePrefix: PREFIX })).rejects.toThrow("another installation");
  const { access, roles } = await migrate({ ...other, rolePrefix: "other" });
  expect({ access, roles }).toStrictEqual({ access: "its own logins", roles: ["other_keys"] });
});

/** Of npm's builds none has the programs of a dump. */
const withDump = supported.flatMap(({ name, binaries = "" }) =>
  existsSync(join(binaries, "pg_dump")) ? [{ name, binaries }] : [],
);

test.each(withDump)("a logical dump of $name is restored", async ({ binaries }) => {
  const folder = await mkdtemp(join(tmpdir(), "annals-dump-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [file, heads] = [join(folder, "annals.dump"), join(folder, "heads.jsonl")];
  // The key of the log stays.
  const dataDir = join(folder, "data");
  const run = (program: string, ...words: string[]) =>
    promisify(execFile)(join(binaries, program), ["--no-owner", "--no-privileges", ...words]);

  const source = await startServer(binaries);
  const before = await startWebhookSystem({}, { databaseUrl: source.databaseUrl, dataDir });
  onTestFinished(before.stop);
  const { key } = await newAccount(source.databaseUrl);
  const clientOf = (baseUrl = "") => new HttpClient(baseUrl, key);
  const append = async (client: HttpClient) =>
    expect((await client.post("/v1/events", { action: "thing.done" })).status).toBe(201);
  const verified = async (client: HttpClient) => (await client.get("/v1/verify")).body.data;
  for (let n = 0; n < 3; n += 1) await append(clientOf(before.stack.baseUrls[0]));
  // Audit entries are still stored meanwhile.
  await writeFile(heads, (await runVerb(before.stack, "ledger", "heads")).stdout);
  await run("pg_dump", "--format=custom", `--file=${file}`, source.databaseUrl);
  await before.stop();

  const { databaseUrl } = await startServer(binaries);
  await run("pg_restore", "--exit-on-error", `--dbname=${databaseUrl}`, file);
  const after = await startWebhookSystem({}, { databaseUrl, dataDir });
  onTestFinished(after.stop);
  const client = clientOf(after.stack.baseUrls[0]);
  expect(await verified(client)).toMatchObject({ valid: true, checked: 3 });
  const checked = await runVerb(after.stack, "ledger", "check-heads", "--file", heads);
  expect(checked).toMatchObject({ status: 0 });
  await append(client);
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
