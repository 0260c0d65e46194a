// Guarantees: every verb of `annals` runs as a process on a real database, and its `--help` ends with 0,
// needs no setting, and has examples that work. The exit status is the one of
// docs/operators/command-line.md. Invalid arguments are refused by name, change nothing, and print nothing on
// standard output. A changed event, a chain that went back and an unhealthy process are found.

import { createLog, createRegistry, Gauge, startAdminServer } from "@annals/chassis";
import { atOnce, keyHash, systemClock } from "@annals/contract";
import { AppendQueue, createMetrics, prepareAppend } from "@annals/ledger/testing";
import { createPool } from "@annals/postgres";
import { createMigratedDatabase, type TestDatabase } from "@annals/testing";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";

const DEPLOY = resolve(import.meta.dirname, "../../deploy");
/** As for the services of a stack: without it each process loads the compiler. */
const COMPILED = resolve(import.meta.dirname, "../../node_modules/.cache/annals/compiled");
/** The ids of the examples. */
const ACCOUNT = "acct_75gtznr6r1q5aecdantb9bkrxd";
const KEY = "key_8m3kq0t2v5x7z9b1d4f6h8jkmn";
const EVENTS = 1_000;
const NOWHERE = "postgresql://127.0.0.1:1/none";

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createMigratedDatabase(inject("stack").databaseUrl);
  afterAll(() => database.drop());
  folder = await mkdtemp(join(tmpdir(), "annals-command-"));
  afterAll(() => rm(folder, { recursive: true }));
  const keyFile = `k1:${randomBytes(32).toString("base64")}\n`;
  await writeFile(join(folder, "webhook-keys"), keyFile, { mode: 0o600 });
  await database.query("INSERT INTO keys.accounts VALUES ($1, 'Example', '2026-01-01')", [ACCOUNT]);
  await database.query(
    `INSERT INTO keys.api_keys (account_id, id, name, key_prefix, secret_sha256, scopes, created_at)
     VALUES ($1, $2, 'first key', 'p...x', $3, '{verify}', '2026-01-01')`,
    [ACCOUNT, KEY, keyHash("some")],
  );
  await storeEvents();
});

/** The chain of the account of the examples. */
async function storeEvents(): Promise<void> {
  const log = createLog({ service: "test", level: "error" }, { write: () => {} });
  const pool = createPool({
    connectionString: database.url,
    role: "annals_ledger",
    applicationName: "annals-command-test",
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    log,
  });
  const metrics = createMetrics(createRegistry("ledger"));
  const clock = systemClock();
  const part = Buffer.from("{}");
  const event = { actor: part, context: part, diff: part, metadata: part, target: part };
  const whole = { ...event, action: "user.login", occurredAt: clock.nowText() };
  const queue = new AppendQueue({
    clock,
    database: pool,
    log,
    metrics,
    notices: { notify: () => {} },
    random: randomBytes,
  });
  const asked = {
    accountId: ACCOUNT,
    receivedAt: clock.nowText(),
    idempotencyKey: "",
    requestSha256: Buffer.alloc(32),
    events: Array.from({ length: EVENTS }, () => whole),
  };
  await queue.submit(atOnce(prepareAppend(asked, randomBytes)));
  await pool.close();
}

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A line as it is typed, in the folder of the test. */
function type(line: string, environment: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const env = {
    PATH: `${DEPLOY}${delimiter}${process.env["PATH"]}`,
    NODE_COMPILE_CACHE: COMPILED,
    ANNALS_DATABASE_URL: database.url,
    ANNALS_WEBHOOK_SECRET_KEY_FILE: join(folder, "webhook-keys"),
    ...environment,
  };
  return new Promise((done) => {
    execFile("/bin/sh", ["-c", line], { env, cwd: folder }, (error, stdout, stderr) =>
      done({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

/** An admin port like that of a service; `fault` is what a check says. */
async function adminPort(service: string, fault?: string, expiry?: number): Promise<string> {
  const registry = createRegistry(service);
  const gauges: [string, number][] = [["annals_index_lag_events", 12]];
  if (expiry) gauges.push(["annals_tls_certificate_expiry_timestamp_seconds", expiry]);
  for (const [name, value] of gauges) {
    new Gauge({ name, help: "A fixture.", registers: [registry] }).set(value);
  }
  const checks = { database: () => Promise.resolve(fault) };
  const server = await startAdminServer({ host: "127.0.0.1", port: 0, registry, checks });
  onTestFinished(() => server.close());
  return `http://127.0.0.1:${server.port}`;
}

/** Where nothing listens any more. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

describe("help", () => {
  test.each([
    ["accounts", 6],
    ["keys", 2],
    ["plans", 2],
    ["verify", 2],
    ["heads", 2],
    ["webhooks rotate-sealing-key", 1],
    ["log-key new", 2],
    ["migrate", 2],
  ])("of %s needs no setting, and its examples work", async (verb, examples) => {
    const help = await type(`annals ${verb} --help`, { ANNALS_DATABASE_URL: "" });
    expect(help).toMatchObject({ status: 0, stderr: "" });
    const lines = help.stdout.split("\n").filter((line) => line.startsWith("  annals "));
    expect(lines).toHaveLength(examples);
    for (const line of lines) expect(await type(line), line).toMatchObject({ status: 0 });
  });

  test("lists every verb; without a verb or with an unknown one it goes to standard error", async () => {
    const help = await type("annals --help");
    expect(help).toMatchObject({ status: 0, stderr: "" });
    for (const verb of [
      "accounts",
      "keys",
      "plans",
      "verify",
      "heads",
      "log-key new",
      "migrate",
      "distribute",
      "status",
    ])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${verb} `, "m"));
    expect(await type("annals")).toEqual({ status: 2, stdout: "", stderr: help.stdout });
    const unknown = await type("annals acounts list");
    expect(unknown).toMatchObject({ status: 2, stdout: "" });
    expect(unknown.stderr).toContain('unknown command "acounts list"');
  });
});

describe("JSON", () => {
  test("accounts, keys and plans print one document each; a new key is in none but the one that made it", async () => {
    const json = async (line: string) => JSON.parse((await type(`annals ${line} --json`)).stdout);
    const account = await json("accounts create --name Tenant --plan unlimited");
    expect(account).toMatchObject({ name: "Tenant", plan: "unlimited", live_keys: 1 });
    const { id, first_key: first } = account;
    expect(first.key).toMatch(/^annals_sk_/);
    const auditor = await json(`accounts add-key --account ${id} --scopes verify,events:read`);
    expect(auditor.scopes).toEqual(["events:read", "verify"]);
    const listed = await json(`keys list --account ${id}`);
    expect(listed).toMatchObject([{ id: auditor.id }, { id: first.id }]);
    const revoked = { account_id: id, id: auditor.id, revoked: true };
    expect(await json(`keys revoke --key ${auditor.id}`)).toEqual(revoked);
    expect(await json("plans show")).toMatchObject([{ name: "unlimited", default: true }]);
    expect(await json(`plans set --account ${id}`)).toMatchObject({ id, plan: null, live_keys: 1 });
    const all = JSON.stringify([listed, await json("accounts list")]);
    expect(all).not.toContain(first.key);
  });
});

describe("invalid arguments", () => {
  test.each([
    ["accounts create --name x --plan gold", '--plan: unknown plan "gold"'],
    ["keys revoke --key key_none", 'No API key has the id "key_none"'],
    ["verify", "--account is required"],
    [`verify --account ${ACCOUNT} --to 1001`, "--to: must be from 1 to 1000, the last event"],
    ["migrate --service ledgers", '--service: unknown service "ledgers"'],
    ["webhooks rotate-sealing-key now", "Usage: annals webhooks rotate-sealing-key"],
    ["log-key new --origin a+b", "--origin: must be"],
    ["log-key new --origin example.com/acct_one", "--origin: must be"],
    ["distribute --shards 0", "--shards: must be a number from 1 to 64000"],
    ["status --url keys:9091", "--url: must be http://host:port"],
    ["status --service keys", "Usage: annals status"],
  ])("%s ends with 2 and names the argument", async (line, message) => {
    const outcome = await type(`annals ${line}`);
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toContain(message);
  });
});

describe("what fails", () => {
  test("a database that does not respond, or of which the login may not work, is one line and 1", async () => {
    const gone = await type("annals accounts list", { ANNALS_DATABASE_URL: NOWHERE });
    expect(gone).toMatchObject({ status: 1, stdout: "" });
    expect(gone.stderr).toMatch(
      /^ANNALS_DATABASE_URL: the database does not respond \(.*ECONNREFUSED.*\)\n$/,
    );
    await database.query(
      "DO $$ BEGIN CREATE ROLE annals_command_test LOGIN PASSWORD 'p'; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    );
    const url = new URL(database.url);
    url.username = "annals_command_test";
    url.password = "p";
    const other = await type("annals verify --account a", { ANNALS_DATABASE_URL: url.href });
    expect(other).toMatchObject({ status: 1, stdout: "" });
    expect(other.stderr).toMatch(/^permission denied.*annals_ledger\n$/);
  });

  test("distribute where the database has no Citus is one line and 1", async () => {
    const { status, stderr } = await type("annals distribute --apply");
    expect(`${status} ${stderr}`).toMatch(/^1 the database has no Citus: .+\n$/);
  });

  test("a missing setting is 2 and named", async () => {
    const outcome = await type("annals keys list --account a", { ANNALS_DATABASE_URL: "" });
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toContain("ANNALS_DATABASE_URL is required");
  });
});

test("verify prints what GET /v1/verify answers, and ends with 3 where an event was changed", async () => {
  const valid = await type(`annals verify --account ${ACCOUNT} --json`);
  expect(JSON.parse(valid.stdout)).toMatchObject({
    valid: true,
    checked: EVENTS,
    from_sequence: 1,
    to_sequence: EVENTS,
    head: { sequence_number: EVENTS },
    first_invalid: null,
  });
  const empty = await type("annals verify --account acct_none");
  expect(empty.status).toBe(0);
  expect(empty.stderr).toContain("acct_none has no event");
  await database.query(
    "UPDATE ledger.events SET action = 'user.logout' WHERE account_id = $1 AND sequence_number = 7",
    [ACCOUNT],
  );
  const invalid = await type(`annals verify --account ${ACCOUNT}`);
  expect(invalid.status).toBe(3);
  expect(JSON.parse(invalid.stdout)).toMatchObject({
    valid: false,
    first_invalid: { sequence_number: 7, reason: "hash_mismatch" },
  });
});

describe("status", () => {
  test("prints a line for each healthy process, as its help says, and ends with 0", async () => {
    const url = await adminPort("keys");
    await mkdir(join(folder, ".annals/run"), { recursive: true });
    await writeFile(join(folder, ".annals/run/admin-urls"), `${url}\n`);
    onTestFinished(() => rm(join(folder, ".annals"), { recursive: true }));
    for (const line of ["annals status", `annals status --url ${url}`]) {
      const outcome = await type(line);
      expect(outcome).toMatchObject({ status: 0, stderr: "" });
      expect(outcome.stdout).toMatch(
        /^keys {2}http:\S+ {2}\S+ +healthy +annals_index_lag_events=12\n$/,
      );
    }
  });

  test("lists problems, and ends with 3", async () => {
    const soon = Date.now() / 1_000 + 13 * 86_400;
    const urls = [
      await adminPort("keys"),
      await adminPort("ledger", "the schema lacks 0009"),
      await adminPort("export", undefined, soon),
      await closedPort(),
    ];
    const outcome = await type(
      `annals status --json ${urls.map((url) => `--url ${url}`).join(" ")}`,
    );
    expect(outcome).toMatchObject({ status: 3, stderr: "" });
    const [keys, ledger, exporter, gone] = JSON.parse(outcome.stdout);
    expect(keys).toMatchObject({ service: "keys", healthy: true, problems: [] });
    expect(ledger).toMatchObject({
      service: "ledger",
      problems: ["database: the schema lacks 0009"],
    });
    expect(exporter).toMatchObject({
      healthy: false,
      problems: [expect.stringMatching(/^\w+ certificate expires 20/)],
    });
    expect(gone).toMatchObject({ healthy: false, problems: ["no response: ECONNREFUSED"] });
  });
});
