// Guarantee: an export is verified offline by two independent verifiers, in both formats, and the line that
// was changed is named (test/verifiers has every way of tampering with it). What is stored never leaves with
// a secret in it. Dead writers and memory are in exports-writers.test.ts.

import { type HttpClient, newClient, type TestAccount } from "@annals/testing";
import { verifyFile } from "annals-verify";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadLongChain } from "../bench/long-chain.ts";
import { ended } from "../system/exports-client.ts";
import { download } from "../system/exports-large.ts";
import { hasPython } from "../system/programs.ts";
import { shared, type SharedSystem } from "../system/shared-systems.ts";

const EVENTS = 3_000;
const PART_EVENTS = 500;
/** The action of every twentieth event of the chain (test/bench/bodies.ts). */
const RARE = { action: "invoice.delete" };

const ROOT = join(import.meta.dirname, "../..");
const ANNALS_VERIFY = join(ROOT, "packages/annals-verify/bin/annals-verify.mjs");
const VERIFY_CHAIN = join(ROOT, "packages/sdk-python/src/annals_sdk/verify.py");
const run = promisify(execFile);

let stack: SharedSystem;
let account: TestAccount;
let client: HttpClient;
let folder: string;

beforeAll(async () => {
  stack = await shared("webhooks");
  folder = await mkdtemp(join(tmpdir(), "annals-exports-"));
  ({ client, ...account } = await newClient(stack));
  await loadLongChain(stack.databaseUrl, account.accountId, EVENTS);
});

afterAll(async () => {
  client.close();
  await rm(folder, { recursive: true });
});

/** Makes an export, downloads it to `file`, and resolves to it. */
async function exported(request: object, file: string) {
  const { status, body } = await client.post("/v1/exports", request);
  expect(status).toBe(201);
  const data = await ended(client, body.data.id);
  expect(await download({ stack, account }, data.id, file)).toBe(data.sha256);
  return data;
}

test("all events with proofs are verified by annals-verify", async () => {
  const file = join(folder, "large.jsonl");
  const { event_count: count, sha256 } = await exported({ include_proofs: true }, file);
  expect(count).toBe(EVENTS);
  const { stdout } = await run(process.execPath, [ANNALS_VERIFY, "--sha256", sha256, file]);
  expect(stdout).toContain(`valid: ${EVENTS} events of "${account.accountId}"`);
  expect(stdout).toContain(`${EVENTS} checked\n`);
});

test("verify.py of the documentation agrees, and annals-verify names the line that was changed", async () => {
  const part = join(folder, "part.jsonl");
  const filter = { after_sequence: EVENTS - PART_EVENTS };
  await exported({ include_proofs: true, filter }, part);
  if (hasPython) {
    const { stdout } = await run("python3", [VERIFY_CHAIN, part]);
    expect(stdout).toBe(`valid: ${PART_EVENTS} events\n`);
  }
  const lines = (await readFile(part, "utf8")).split("\n");
  lines[149] = lines[149]?.replace(/"occurred_at":"2/, '"occurred_at":"1') ?? "";
  await writeFile(part, lines.join("\n"));
  await expect(run(process.execPath, [ANNALS_VERIFY, part])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^invalid: line 150: .*hash_mismatch/),
  });
});

test("CSV with proofs holds the same and verifies", async () => {
  const csv = join(folder, "some.csv");
  await exported({ format: "csv", include_proofs: true, filter: RARE }, csv);
  expect(await verifyFile(csv)).toMatchObject({
    events: EVENTS / 20,
    linksUnchecked: EVENTS / 20,
  });
});

test("no file holds a key", async () => {
  const folders = ["exports", "log"].map((name) => join(stack.dataDir, name));
  const grep = spawn("grep", ["-rlF", account.key, ...folders], { stdio: "ignore" });
  const [code] = await once(grep, "exit");
  expect(code).toBe(1);
});
