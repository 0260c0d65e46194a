// An export is written and downloaded in bounded memory, survives the death of its writer, is notified
// exactly once, and is verified offline by two independent verifiers (test/verifiers has every way of
// tampering with it). What is stored never leaves with a secret in it. For 100,000 events and a million the
// memory is measured in test/faults/exports-million.test.ts.

import type { Stack, StackProcess } from "@annals/local";
import { eventually, type HttpClient, newClient, ownerOf, type TestAccount } from "@annals/testing";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { verifyFile } from "annals-verify";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ended } from "../system/exports-client.ts";
import { loadLongChain } from "../bench/long-chain.ts";
import { startConstellation } from "../system/constellation.ts";
import { endLease, inTheMiddle as interrupted } from "../system/exports-interrupted.ts";
import { download, exportAll, MAX_RSS_MB } from "../system/exports-large.ts";
import { hasPython } from "../system/programs.ts";

const EVENTS = 30_000;
/** Enough to be in the middle of for a while. */
const PART_EVENTS = 10_000;
const PART = { after_sequence: EVENTS - PART_EVENTS };
/** The same events by unequal filters: an equal export is answered with the one that is there. */
const partSince = (year: number) => ({ ...PART, occurred_from: `${year}-01-01T00:00:00Z` });
/** The action of every twentieth event of the chain (test/bench/bodies.ts). */
const RARE = { action: "invoice.delete" };
const ENDED_WITHIN_MS = 90_000;

const ROOT = join(import.meta.dirname, "../..");
const ANNALS_VERIFY = join(ROOT, "packages/annals-verify/bin/annals-verify.mjs");
const VERIFY_CHAIN = join(ROOT, "test/verifiers/verify_chain.py");
const run = promisify(execFile);

let stack: Stack;
let account: TestAccount;
let client: HttpClient;
let owner: ReturnType<typeof ownerOf>;
let folder: string;

beforeAll(async () => {
  stack = await startConstellation({
    shared: inject("stack"),
    replicas: { export: 2 },
    rateLimitPerMinute: 1_000_000,
    env: { export: { ANNALS_EXPORT_CONCURRENCY: "1" } },
  });
  folder = await mkdtemp(join(tmpdir(), "annals-exports-"));
  owner = ownerOf(stack.databaseUrl);
  ({ client, ...account } = await newClient(stack));
  await loadLongChain(stack.databaseUrl, account.accountId, EVENTS);
});

afterAll(async () => {
  client.close();
  await owner.close();
  await stack.stop();
  await rm(folder, { recursive: true });
});

const services = (name: string) => stack.processes.filter(({ service }) => service === name);

const taken = (id: string, file: string) => download({ stack, account }, id, file);

const create = async (request: object): Promise<string> => {
  const { status, body } = await client.post("/v1/exports", request);
  expect(status).toBe(201);
  return body.data.id;
};

const inTheMiddle = <T>(id: string, work: (writer: StackProcess) => Promise<T>) =>
  interrupted(stack, account.accountId, id, work);

const outboxOf = (accountId: string) =>
  owner.query<{ position: string; event_name: string; data: string }>(
    "SELECT position, event_name, data FROM exports.outbox WHERE account_id = $1 ORDER BY position",
    [accountId],
  );

describe(`${EVENTS} events with proofs`, () => {
  test("are written and downloaded in bounded memory, and verified by annals-verify", async () => {
    const file = join(folder, "large.jsonl");
    const { data, sha256, held } = await exportAll(
      { stack, account, client },
      file,
      ENDED_WITHIN_MS,
    );
    expect(data).toMatchObject({ event_count: EVENTS, sha256 });
    expect(held.filter(({ mb }) => mb >= MAX_RSS_MB)).toEqual([]);
    const { stdout } = await run(process.execPath, [ANNALS_VERIFY, "--sha256", sha256, file]);
    expect(stdout).toContain(`valid: ${EVENTS} events of "${account.accountId}"`);
    expect(stdout).toContain(`${EVENTS} checked\n`);
  });

  test("verify_chain.py of the documentation agrees, and annals-verify names the line that was changed", async () => {
    const id = await create({ include_proofs: true, filter: { after_sequence: EVENTS - 2_000 } });
    await ended(client, id);
    const part = join(folder, "part.jsonl");
    await taken(id, part);
    if (hasPython) {
      const { stdout } = await run("python3", [VERIFY_CHAIN, part]);
      expect(stdout).toBe("valid: 2000 events\n");
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
    const id = await create({ format: "csv", include_proofs: true, filter: RARE });
    const data = await ended(client, id);
    const csv = join(folder, "some.csv");
    expect(await taken(id, csv)).toBe(data.sha256);
    expect(await verifyFile(csv)).toMatchObject({
      events: EVENTS / 20,
      linksUnchecked: EVENTS / 20,
    });
  });

  test("a client that goes away in the middle leaves nothing behind", async () => {
    const [{ id } = { id: "" }] = (await client.get("/v1/exports?limit=100")).body.data.slice(-1);
    const headers = { authorization: `Bearer ${account.key}` };
    const request = get(`${stack.baseUrls[0]}/v1/exports/${id}/content`, { headers });
    const [response] = await once(request, "response");
    await once(response, "data");
    request.destroy();
    const [exporter] = services("export");
    await eventually("the file is closed", () => hasNoFileOpen(exporter, "exports"));
    expect((await client.get(`/v1/exports/${id}`)).status).toBe(200);
  });
});

/** True where no file of the folder is open; also where the system does not say. */
async function hasNoFileOpen(one: StackProcess | undefined, name: string): Promise<boolean> {
  const open = `/proc/${one?.pid()}/fd`;
  if (!existsSync(open)) return true;
  const { stdout } = await run("ls", ["-l", open]);
  return !stdout.includes(`/${name}/`);
}

describe("a replica that dies while it writes", () => {
  test("kill -9: another takes over, the file is whole, nothing is left of the first, one export.completed", async () => {
    const before = (await outboxOf(account.accountId)).length;
    const id = await create({ include_proofs: true, filter: partSince(2001) });
    await inTheMiddle(id, async (first) => {
      first.kill("SIGKILL");
      await first.exited();
      await endLease(owner, id);
    });
    const data = await ended(client, id, "completed", ENDED_WITHIN_MS);
    const file = join(folder, "taken-over.jsonl");
    expect(await taken(id, file)).toBe(data.sha256);
    expect(await verifyFile(file)).toMatchObject({ events: PART_EVENTS });
    const rows = await owner.query("SELECT lease_token, attempts FROM exports.jobs WHERE id = $1", [
      id,
    ]);
    expect(rows).toEqual([{ lease_token: "2", attempts: 2 }]);
    const left = await readdir(join(stack.dataDir, "exports", account.accountId));
    expect(left.filter((name) => name.startsWith(id))).toEqual([`${id}.2.jsonl`]);
    const entries = (await outboxOf(account.accountId)).slice(before);
    expect(entries.map(({ event_name: name, data: text }) => [name, JSON.parse(text)])).toEqual([
      ["export.completed", data],
    ]);
  });

  test("one that is only stopped for a while finds itself fenced off", async () => {
    const before = (await outboxOf(account.accountId)).length;
    const id = await create({ filter: partSince(2002) });
    const first = await inTheMiddle(id, async (writer) => {
      writer.kill("SIGSTOP");
      await endLease(owner, id);
      return writer;
    });
    const data = await ended(client, id, "completed", ENDED_WITHIN_MS).finally(() =>
      first.kill("SIGCONT"),
    );
    await eventually("the first has let go", async () => {
      const page = await fetch(`${first.adminUrl}/metrics`).then((answer) => answer.text());
      return /annals_export_attempts_total\{[^}]*outcome="lease_lost"[^}]*\} [1-9]/.test(page);
    });
    expect(await taken(id, join(folder, "fenced.jsonl"))).toBe(data.sha256);
    expect(await outboxOf(account.accountId)).toHaveLength(before + 1);
    const left = await readdir(join(stack.dataDir, "exports", account.accountId));
    expect(left.filter((name) => name.startsWith(id))).toEqual([`${id}.2.jsonl`]);
  });

  test("a stop gives the job back at once, and counts no attempt", async () => {
    const id = await create({ filter: partSince(2003) });
    await inTheMiddle(id, (first) => first.restart());
    await ended(client, id, "completed", ENDED_WITHIN_MS);
    const [row] = await owner.query("SELECT attempts FROM exports.jobs WHERE id = $1", [id]);
    expect(row).toEqual({ attempts: 1 });
  });

  test("the ledger dies while the file is written: the export goes on where it was", async () => {
    const id = await create({ include_proofs: true, filter: partSince(2004) });
    await inTheMiddle(id, async () => {
      const [ledger] = services("ledger");
      ledger?.kill("SIGKILL");
      await ledger?.exited();
    });
    await ended(client, id, "completed", ENDED_WITHIN_MS);
    const file = join(folder, "ledger-died.jsonl");
    await taken(id, file);
    expect(await verifyFile(file)).toMatchObject({ events: PART_EVENTS });
  });
});

test("positions of the outbox are gapless, and no file holds a key", async () => {
  const entries = await outboxOf(account.accountId);
  expect(entries.map(({ position }) => Number(position))).toEqual(entries.map((_, at) => at + 1));
  const grep = spawn("grep", [
    "-rlF",
    account.key,
    join(stack.dataDir, "exports"),
    join(stack.dataDir, "log"),
  ]);
  expect(await once(grep, "exit")).toEqual([1, null]);
});
