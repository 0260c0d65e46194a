// Guarantee: the outbox of the Go SDK records what is committed once, and what is rolled back never. The
// tests are in Go (go-outbox), over a database of their own. Without Go or its driver of PostgreSQL, which
// comes from the Go module proxy, they are recorded as left out.

import { createDatabase } from "@annals/testing";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import { GO_ENV, hasGo } from "../system/go.ts";
import { leaveOut } from "../system/needs.ts";

const SOURCES = join(import.meta.dirname, "go-outbox");

const run = promisify(execFile);

async function go(words: readonly string[], databaseUrl = ""): Promise<string> {
  const env = { ...GO_ENV, DATABASE_URL: databaseUrl };
  return run("go", words, { cwd: SOURCES, env }).then(
    () => "",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}` || "failed",
  );
}

test.runIf(hasGo)("the tests of the outbox in Go", async () => {
  const missing = await go(["mod", "download"]);
  if (missing !== "") return leaveOut("programs built with Go", missing);
  const database = await createDatabase(inject("stack").databaseUrl);
  const url = new URL(database.url);
  const role = url.pathname.slice(1);
  // The driver takes no password that is hashed as seldom as that of the tests.
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  await database.query(`ALTER DATABASE ${role} OWNER TO ${role}`);
  onTestFinished(async () => {
    await database.query(`REASSIGN OWNED BY ${role} TO CURRENT_USER`);
    await database.query(`DROP ROLE ${role}`);
    await database.drop();
  });
  expect(await go(["vet", "./..."])).toBe("");
  url.username = role;
  url.password = role;
  // Other drivers have it by default.
  url.searchParams.set("sslmode", "disable");
  expect(await go(["test", "-count=1", "./..."], String(url))).toBe("");
});
