// Guarantee: `annals migrate` prints one line of JSON and nothing else, whatever becomes of the schemas. The
// schemas may be in databases of their own. The line has the version of each before and after, what was
// applied, its role and login, and why a schema failed; the others are migrated nevertheless. Wrong settings
// end it with 2. No password is in what it prints.

import { commandArguments, createDatabase, runProgram, type TestDatabase } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const LOGIN = `annals_migrate_${randomBytes(4).toString("hex")}`;
const PASSWORD = `secret${randomBytes(8).toString("hex")}`;
const filesOf = (service: string) => readdirSync(join(ROOT, "services", service, "migrations"));

let shared: TestDatabase;
let ofLedger: TestDatabase;

beforeAll(async () => {
  shared = await createDatabase(inject("stack").databaseUrl);
  ofLedger = await createDatabase(inject("stack").databaseUrl);
  afterAll(async () => {
    await shared.drop();
    await ofLedger.query(`DROP ROLE IF EXISTS ${LOGIN}`);
    await ofLedger.drop();
  });
});

const serveUrl = () =>
  Object.assign(new URL(ofLedger.url), { username: LOGIN, password: PASSWORD }).href;

/** The line, read, with the exit status. By default of all services. */
async function migrate(
  services: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
) {
  const named = services.flatMap((service) => ["--service", service]);
  const words = [...commandArguments("annals"), "migrate", ...named, ...options];
  const { status, stderr, stdout } = await runProgram(process.execPath, words, {
    ANNALS_DATABASE_URL: shared.url,
    LEDGER_ANNALS_DATABASE_URL: ofLedger.url,
    LEDGER_ANNALS_SERVE_DATABASE_URL: serveUrl(),
    ...environment,
  });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  for (const secret of [PASSWORD, new URL(shared.url).password].filter((each) => each !== ""))
    expect(`${stdout}${stderr}`).not.toContain(secret);
  return { status, stderr, ...JSON.parse(stdout) };
}

const serviceOf = (report: { schemas: { service: string }[] }, service: string) =>
  report.schemas.find((each) => each.service === service);

test("says what was applied and set, and at the next run that nothing was missing", async () => {
  const first = await migrate();
  expect(first).toMatchObject({
    status: 0,
    stderr: "",
    level: "info",
    failed: [],
    msg: "migrated",
  });
  expect(first.duration_ms).toBeGreaterThan(0);
  for (const [service, schema, role] of [
    ["keys", "keys", "annals_keys"],
    ["ledger", "ledger", "annals_ledger"],
    ["export", "exports", "annals_exports"],
    ["webhook-dispatcher", "webhooks", "annals_webhooks"],
  ] as const) {
    const files = filesOf(service);
    expect(serviceOf(first, service)).toStrictEqual({
      service,
      schema,
      before: null,
      after: files.at(-1),
      applied: files,
      roles: [role],
      rights_set: true,
      logins:
        service === "ledger"
          ? [{ name: LOGIN, made: true, password_set: true, granted: role }]
          : [],
      access: "its own logins",
      waited_ms: expect.any(Number),
      duration_ms: expect.any(Number),
    });
  }
  const [{ present }] = (await shared.query<{ present: boolean }>(
    "SELECT to_regnamespace('ledger') IS NOT NULL AS present",
  )) as [{ present: boolean }];
  expect(present).toBe(false);
  const again = await migrate(["ledger"], { ANNALS_LOG_LEVEL: "error" });
  const last = filesOf("ledger").at(-1);
  expect(serviceOf(again, "ledger")).toMatchObject({
    before: last,
    after: last,
    applied: [],
    logins: [{ name: LOGIN, made: false, password_set: true, granted: null }],
  });
});

test("says which schema failed and why, migrates the others, and ends with 1", async () => {
  await shared.query("DROP SCHEMA keys CASCADE");
  await shared.query("DELETE FROM exports.migrations");
  const report = await migrate(["keys", "ledger", "export"]);
  expect(report).toMatchObject({
    status: 1,
    level: "error",
    failed: ["export"],
    msg: "migration failed",
  });
  const { error, schema } = serviceOf(report, "export") as unknown as Record<string, string>;
  expect(schema).toBe("exports");
  expect(error).toMatch(/^exports: 0001_exports\.sql: relation .* already exists \(42P07\)$/);
  expect(serviceOf(report, "keys")).toMatchObject({
    before: null,
    applied: filesOf("keys"),
  });
  expect(serviceOf(report, "ledger")).toMatchObject({ applied: [] });
});

test("ends with 2 for a setting that one service refuses, and says a wait on standard error", async () => {
  const nowhere = "postgresql://127.0.0.1:1/none";
  const wrong = { KEYS_ANNALS_KEY_PREFIX: "NOT", LEDGER_ANNALS_DATABASE_URL: nowhere };
  const report = await migrate(["keys", "ledger"], wrong, ["--wait", "1"]);
  expect(report).toMatchObject({ status: 2, failed: ["keys", "ledger"] });
  expect(serviceOf(report, "keys")).toMatchObject({
    error: expect.stringContaining("ANNALS_KEY_PREFIX"),
  });
  expect(serviceOf(report, "ledger")).toMatchObject({
    error: expect.stringMatching(/^ledger: .*ECONNREFUSED/),
  });
  expect(report.stderr).toContain("waiting for the database");
});
