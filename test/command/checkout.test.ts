// Guarantee: in a checkout, deploy/annals and annals-verify run the sources, from any folder, with the
// programs of the services that they start, and have the exit status of what they run. Most tests run bundles
// of both.

import { createDatabase, runProgram } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { chainOf, exportOf } from "../verifiers/made-export.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ANNALS = join(ROOT, "deploy/annals");
const VERIFY = join(ROOT, "packages/annals-verify/bin/annals-verify.mjs");

/** Ends each process that has the path of a bundle, or of a file that the compiler has written. */
const REFUSE = "if(process.argv[1].includes('/dist/'))process.exit(99)";
/** Ends the process that annals-verify starts, which has the path of the source. */
const KILL = "if(process.argv[1].endsWith('.ts'))process.kill(process.pid,'SIGKILL')";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-checkout-"));
});
afterAll(() => rm(folder, { recursive: true }));

function run(
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  script = REFUSE,
) {
  const options = { NODE_OPTIONS: `--import="data:text/javascript,${script}"` };
  return runProgram(program, words, { ...options, ...environment }, folder);
}

test("annals migrates each schema, and runs commands of services and its own", async () => {
  const database = await createDatabase(inject("stack").databaseUrl);
  const environment = { ANNALS_DATABASE_URL: database.url };
  const migrated = await run(ANNALS, ["migrate"], environment);
  expect(migrated).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(migrated.stdout)).toMatchObject({ failed: [], schemas: { length: 4 } });
  const listed = await run(ANNALS, ["accounts", "list", "--json"], environment);
  expect(listed).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: "acct_system" }]);
  expect(await run(ANNALS, ["plans", "sow"], environment)).toMatchObject({ status: 2, stdout: "" });
  const key = await run(ANNALS, ["log-key", "new"]);
  expect(key).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# /) });
  await database.drop();
});

test("annals-verify has the status of the process that it starts, and 2 where a signal ended that", async () => {
  const text = exportOf(chainOf("acct_1", [{ n: 1 }]));
  await writeFile(join(folder, "valid"), text);
  await writeFile(
    join(folder, "changed"),
    text.replace('"metadata":{"n":1}', '"metadata":{"n":2}'),
  );
  const verify = (file: string, script?: string) =>
    run(process.execPath, [VERIFY, file], {}, script);
  expect(await verify("valid")).toMatchObject({ status: 0, stderr: "" });
  expect(await verify("changed")).toMatchObject({ status: 1, stdout: "" });
  expect(await verify("absent")).toMatchObject({ status: 2, stdout: "" });
  // It has checked nothing.
  expect(await verify("valid", KILL)).toMatchObject({ status: 2, stdout: "" });
});
