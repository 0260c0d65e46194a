// Guarantees: every verb of `annals` runs as a process on a real database (its first example), and its
// `--help` ends with 0, needs no setting, and has examples that work. The exit status is the one of
// docs/operators/command-line.md. Invalid arguments are refused by name, change nothing, and print nothing on
// standard output. A changed event and a chain that went back are found.

import { keyHash } from "@annals/contract";
import { PROGRAM as EXPORT } from "@annals/export/src/program.ts";
import { PROGRAM as KEYS } from "@annals/keys/src/program.ts";
import { PROGRAM as LEDGER } from "@annals/ledger/testing/program";
import { createMigratedDatabase, type TestDatabase } from "@annals/testing";
import { PROGRAM as DISPATCHER } from "@annals/webhook-dispatcher/src/program.ts";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { storeEvents } from "./store-events.ts";
import { storeMapping, storePerson, storeWorkload } from "./store-person.ts";
import { runAnnals, typeLine } from "./type-line.ts";

/** The ids of the examples. */
const ACCOUNT = "acct_75gtznr6r1q5aecdantb9bkrxd";
const KEY = "key_8m3kq0t2v5x7z9b1d4f6h8jkmn";
const EVENTS = 1_000;
/** Of the examples that change a chain. */
const ERASURE = "era_4h7k0n3q6s9v2x5z8b1d4f7h0k";
const [HELD, HOLD] = ["acct_2r8w4y6b1e3g5j7m9p0s2v4x6z", "hold_3k5m7p9r1t3v5x7z9b1d3f5h7j"];
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
  await storePerson(database, folder);
  await Promise.all([storeMapping(database, ACCOUNT), storeWorkload(database, ACCOUNT)]);
  await storeEvents(database.url, ACCOUNT, EVENTS);
  await storeEvents(database.url, HELD, 1);
  await database.query(
    `INSERT INTO webhooks.sinks (account_id, id, operator, leave_out, include_proof, active, created_at, cursor,
       checkpoint_from, refusals)
     VALUES ($1, 'sink_1', 'siem', '{}', false, true, '2026-01-31', 7, 8,
       '{"rejected":{"sequence_number":17,"id":"evt_17","status":400,"reason":"no"}}')`,
    [HELD],
  );
  await database.query(
    `INSERT INTO ledger.holds (account_id, id, from_sequence, owner, placed_by)
     VALUES ($1, $2, 1, 'account', 1)`,
    [HELD, HOLD],
  );
  await database.query(
    `INSERT INTO ledger.erasures (account_id, id, selector, parts, actor, up_to_sequence, status, due_at, begins_at,
       created_at)
     VALUES ($1, $2, '{"actor_id":"u"}', 1, '{"type":"operator"}', 1, 'pending', now() + interval '1 day', now() + interval '1 day',
       '2026-01-31')`,
    [HELD, ERASURE],
  );
});

const settings = () => ({
  ANNALS_DATABASE_URL: database.url,
  ANNALS_IDENTITY_FILE: join(folder, "identity.json"),
  ANNALS_WEBHOOK_SECRET_KEY_FILE: join(folder, "webhook-keys"),
});

/** A line as it is typed, in the folder of the test. */
function type(line: string, environment: Readonly<Record<string, string>> = {}) {
  return typeLine(line, folder, { ...settings(), ...environment });
}

/** A line of `annals`, in this process. It has no words in quotes. */
const run = (line: string, environment: Readonly<Record<string, string>> = {}) =>
  runAnnals(line.split(" ").slice(1), { ...settings(), ...environment });

/** Needs a shell, the folder of the test, or programs of services. */
const TYPED = /[>'"]|--file|^annals migrate/;

/** The operator's commands of the services, as their own programs list them. */
const VERBS = [KEYS, LEDGER, EXPORT, DISPATCHER].flatMap(({ commands }) =>
  commands.operator.map(({ name }) => name.split(" ")[0] ?? ""),
);

describe("help", () => {
  test.each([
    ["accounts", 6],
    ["keys", 2],
    ["people", 7],
    ["plans", 2],
    ["workloads", 2],
    ["verify", 2],
    ["heads", 2],
    ["erasures", 6],
    ["holds", 3],
    ["retention", 3],
    ["sinks", 4],
    ["webhooks rotate-sealing-key", 1],
    ["log-key new", 2],
    ["migrate", 2],
  ])("of %s needs no setting, and its examples work", async (verb, examples) => {
    const help = await run(`annals ${verb} --help`, { ANNALS_DATABASE_URL: "" });
    expect(help).toMatchObject({ status: 0, stderr: "" });
    const lines = [...help.stdout.matchAll(/^ {2}(annals .*)/gm)].map(([, line = ""]) => line);
    let done = 0;
    for (const line of lines) {
      const how = done === 0 || TYPED.test(line) ? type : run;
      expect(await how(line), line).toMatchObject({ status: 0 });
      done += 1;
    }
    expect(done).toBe(examples);
  });

  test("lists every verb; without a verb or with an unknown one it goes to standard error", async () => {
    const help = await type("annals --help");
    expect(help).toMatchObject({ status: 0, stderr: "" });
    for (const verb of new Set([...VERBS, "log-key new", "migrate", "status"]))
      expect(help.stdout).toMatch(new RegExp(`^ {2}${verb} `, "m"));
    expect(await type("annals")).toEqual({ status: 2, stdout: "", stderr: help.stdout });
    const unknown = await run("annals acounts list");
    expect(unknown).toMatchObject({ status: 2, stdout: "" });
    expect(unknown.stderr).toContain('unknown command "acounts list"');
  });
});

describe("JSON", () => {
  test("accounts, keys and plans print one document each; a new key is in none but the one that made it", async () => {
    const json = async (line: string) => JSON.parse((await run(`annals ${line} --json`)).stdout);
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

test("the operator's sinks are shown, and a replay sets one back and is recorded", async () => {
  const shown = async () => JSON.parse((await run("annals sinks show --name siem --json")).stdout);
  expect(await shown()).toMatchObject({ account_id: HELD, name: "siem", status: "active" });
  await database.query("UPDATE webhooks.sinks SET cursor = 7, fence = 4, attempts = 2");
  expect(await shown()).toMatchObject({ cursor: 7, status: "failing", last_error: null });
  const later = await run(`annals sinks replay --account ${HELD} --name siem --from 9`);
  expect(later).toMatchObject({ status: 2, stdout: "" });
  const replay = await run(`annals sinks replay --account ${HELD} --name siem --from 8`);
  expect(replay).toMatchObject({ status: 0, stderr: "" });
  const [row] = await database.query("SELECT cursor, checkpoint_from, fence FROM webhooks.sinks");
  expect(row).toEqual({ cursor: "7", checkpoint_from: "8", fence: "5" });
  const entries = await database.query<{ account_id: string; event: string }>(
    "SELECT account_id, event FROM webhooks.audit_outbox ORDER BY number DESC LIMIT 1",
  );
  expect(entries[0]?.account_id).toBe("acct_system");
  expect(JSON.parse(entries[0]?.event ?? "")).toMatchObject({
    action: "annals.sink.replayed",
    actor: { type: "operator" },
    metadata: { account_id: HELD, from_sequence_number: "8", name: "siem" },
  });
});

test("the event that the receiver of the operator's sink refuses is skipped, and recorded", async () => {
  const skip = (number: number) =>
    run(`annals sinks skip --account ${HELD} --name siem --number ${number}`);
  expect(await skip(8)).toMatchObject({ status: 2, stdout: "" });
  await database.query(
    `UPDATE webhooks.sinks SET cursor = 7,
     refusals = '{"rejected":{"sequence_number":8,"id":"evt_8","status":400,"reason":"no"}}'`,
  );
  const shown = JSON.parse((await run("annals sinks show --name siem --json")).stdout);
  expect(shown).toMatchObject({ rejected: { sequence_number: 8, reason: "no" } });
  expect(await skip(9)).toMatchObject({ status: 2, stdout: "" });
  expect(await skip(8)).toMatchObject({ status: 0, stderr: "" });
  const [row] = await database.query("SELECT cursor, lost, refusals FROM webhooks.sinks");
  expect(row).toMatchObject({ cursor: "8", refusals: null });
  const [entry] = await database.query<{ account_id: string; event: string }>(
    "SELECT account_id, event FROM webhooks.audit_outbox ORDER BY number DESC LIMIT 1",
  );
  expect(entry?.account_id).toBe("acct_system");
  expect(JSON.parse(entry?.event ?? "")).toMatchObject({
    action: "annals.sink.skipped",
    actor: { type: "operator" },
    metadata: { account_id: HELD, event_id: "evt_8", sequence_number: "8", status: 400 },
  });
});

describe("invalid arguments", () => {
  test.each([
    ["verify", "--account is required"],
    [`verify --account ${ACCOUNT} --to 1001`, "--to: must be from 1 to 1000, the last event"],
    ["holds place --account acct_none --from 1", "--account: acct_none has no event"],
    [`holds place --account ${ACCOUNT} --from 0`, "--from: must be a sequence number"],
    [`holds place --account ${ACCOUNT} --from 2 --to 1`, "--to: must not be less than --from"],
    [
      `holds release --account ${ACCOUNT} --hold hold_none`,
      'No active hold has the id "hold_none"',
    ],
    [`erasures request --account ${ACCOUNT} --parts actor`, "exactly one of actor_id"],
    ["erasures request --account acct_none --event e --parts actor", "acct_none has no event"],
    [`erasures show --account ${ACCOUNT} --erasure era_0`, 'No erasure has the id "era_0"'],
    [`erasures cancel --account ${ACCOUNT} --erasure era_0`, 'No erasure has the id "era_0"'],
    ["erasures reapply --file none.jsonl", "none.jsonl: ENOENT"],
    ["sinks replay --account acct_none --name siem --from 1", "has not received the event 1"],
    ["sinks skip --account acct_none --name siem --number 1", "has no sink of the operator siem"],
    ["sinks replay --account acct_none --name siem --from 0", "--from: must be a sequence number"],
    ["webhooks rotate-sealing-key now", "Usage: annals webhooks rotate-sealing-key"],
    ["accounts create --name x --plan gold", '--plan: unknown plan "gold"'],
    ["retention set --account acct_none --days 0", "--days: must be"],
    ["migrate --service ledgers", '--service: unknown service "ledgers"'],
    ["log-key new --origin a+b", "--origin: must be"],
    ["log-key new --origin example.com/acct_one", "--origin: must be"],
    ["status --url keys:9091", "--url: must be http://host:port"],
    ["status --service keys", "Usage: annals status"],
  ])("%s ends with 2 and names the argument", async (line, message) => {
    const outcome = await run(`annals ${line}`);
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toContain(message);
  });

  test.each([
    ["keys revoke --key key_none", 'No API key has the id "key_none"'],
    ["distribute --shards 0", "--shards: must be a number from 1 to 64000"],
  ])("annals %s does so as a process", async (line, message) => {
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
    const other = await run("annals verify --account a", { ANNALS_DATABASE_URL: url.href });
    expect(other).toMatchObject({ status: 1, stdout: "" });
    expect(other.stderr).toMatch(
      /^permission denied.*annals_ledger \(ANNALS_DATABASE_ROLE_PREFIX begins its name\)\n$/,
    );
  });

  test("distribute where the database has no Citus is one line and 1", async () => {
    const { status, stderr } = await type("annals distribute --apply");
    expect(`${status} ${stderr}`).toMatch(/^1 the database has no Citus: .+\n$/);
  });

  test("a missing setting is 2 and named", async () => {
    const outcome = await run("annals keys list --account a", { ANNALS_DATABASE_URL: "" });
    expect(outcome).toMatchObject({ status: 2, stdout: "" });
    expect(outcome.stderr).toContain("ANNALS_DATABASE_URL is required");
  });
});

test("verify prints what GET /v1/verify answers, and ends with 3 where an event was changed", async () => {
  const valid = await run(`annals verify --account ${ACCOUNT} --json`);
  expect(JSON.parse(valid.stdout)).toMatchObject({
    valid: true,
    checked: EVENTS,
    from_sequence: 1,
    to_sequence: EVENTS,
    head: { sequence_number: EVENTS },
    first_invalid: null,
  });
  const empty = await run("annals verify --account acct_none");
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
