// A bundle of evidence is written in bounded memory, and survives the death of its writer and of the ledger
// while epochs go on: annals-verify accepts it with a policy of the caller's, and it is notified once. Of a
// whole chain and after kill -9, evidence.py does, too. One that was asked for before an erasure waits until
// the log covers the record.

import type { Stack } from "@annals/local";
import { eventually, type HttpClient, newClient, ownerOf, type TestAccount } from "@annals/testing";
import { verifyEvidence } from "annals-verify";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { loadLongChain } from "../bench/long-chain.ts";
import { startConstellation } from "../system/constellation.ts";
import { append, untilCovered } from "../system/covered.ts";
import { eraseEvent } from "../system/erase-events.ts";
import { ended } from "../system/exports-client.ts";
import { endLease, inTheMiddle } from "../system/exports-interrupted.ts";
import { download, MAX_RSS_MB } from "../system/exports-large.ts";
import { peaks } from "../system/process-memory.ts";
import { hasPython } from "../system/programs.ts";
import { reasonOf, verdict } from "../verifiers/python-evidence.ts";

const EVENTS = 20_000;
/** Enough to be in the middle of for a while. */
const PART_EVENTS = 5_000;
/** Unequal filters: an equal export is answered with the one that is there. */
const without = (events: number) => ({ after_sequence: EVENTS - PART_EVENTS + events });
const ENDED_WITHIN_MS = 90_000;

let stack: Stack;
let account: TestAccount;
let client: HttpClient;
let owner: ReturnType<typeof ownerOf>;
let folder: string;
let policy: Buffer;

beforeAll(async () => {
  stack = await startConstellation({
    shared: inject("stack"),
    replicas: { export: 2 },
    rateLimitPerMinute: 1_000_000,
    env: { export: { ANNALS_EXPORT_CONCURRENCY: "1" }, ledger: { ANNALS_LOG_EPOCH_S: "1" } },
  });
  folder = await mkdtemp(join(tmpdir(), "annals-bundles-"));
  owner = ownerOf(stack.databaseUrl);
  ({ client, ...account } = await newClient(stack));
  await loadLongChain(stack.databaseUrl, account.accountId, EVENTS);
  await untilCovered(client, EVENTS);
  const vkey = (await client.get("/log/vkey")).text.trimEnd();
  policy = Buffer.from(`log ${vkey}\nquorum none\n`);
});

afterAll(async () => {
  client.close();
  await owner.close();
  await stack.stop();
  await rm(folder, { recursive: true });
});

async function create(filter: object = {}): Promise<string> {
  const { status, body } = await client.post("/v1/exports", { format: "evidence", filter });
  expect(status).toBe(201);
  return body.data.id;
}

/** The report of annals-verify on a bundle. */
async function verified(id: string, data: { readonly sha256: string }) {
  const file = join(folder, `${id}.tar`);
  expect(await download({ stack, account }, id, file)).toBe(data.sha256);
  return verifyEvidence(file, { policy });
}

async function expectValidInPython(id: string): Promise<void> {
  const bundle = await readFile(join(folder, `${id}.tar`));
  if (hasPython) expect(reasonOf(verdict(bundle, { policy }))).toBe("valid");
}

const written = (id: string) => ended(client, id, "completed", ENDED_WITHIN_MS);

test("memory is bounded, and all is proved", async () => {
  const watched = stack.processes.filter(({ service }) => ["ledger", "export"].includes(service));
  const { result, most } = await peaks(watched, async () => {
    const id = await create();
    return { id, data: await written(id) };
  });
  expect(most.filter((mb) => mb >= MAX_RSS_MB)).toEqual([]);
  expect(await verified(result.id, result.data)).toMatchObject({ events: EVENTS, size: EVENTS });
  await expectValidInPython(result.id);
});

describe("a writer that dies", () => {
  test("kill -9: another one writes the bundle from the beginning, with the head that it was made with", async () => {
    const id = await create(without(1));
    await inTheMiddle(stack, account.accountId, id, async (first) => {
      first.kill("SIGKILL");
      await first.exited();
      await endLease(owner, id);
    });
    await append(client, 10);
    await untilCovered(client, EVENTS + 10);
    const data = await written(id);
    expect(await verified(id, data)).toMatchObject({ events: PART_EVENTS - 1, size: EVENTS });
    await expectValidInPython(id);
    const left = await readdir(join(stack.dataDir, "exports", account.accountId));
    expect(left.filter((name) => name.startsWith(id))).toEqual([`${id}.2.tar`]);
    const entries = await owner.query("SELECT data FROM exports.outbox WHERE data LIKE $1", [
      `%${id}%`,
    ]);
    expect(entries.map(({ data: text }) => JSON.parse(String(text)))).toEqual([data]);
  });

  test("a stop gives the job back at once, and counts no attempt", async () => {
    const id = await create(without(2));
    await inTheMiddle(stack, account.accountId, id, (first) => first.restart());
    expect(await verified(id, await written(id))).toMatchObject({ events: PART_EVENTS + 10 - 2 });
    const [row] = await owner.query("SELECT attempts FROM exports.jobs WHERE id = $1", [id]);
    expect(row).toEqual({ attempts: 1 });
  });

  test("the ledger dies while the bundle is written: it goes on where it was", async () => {
    const id = await create(without(3));
    await inTheMiddle(stack, account.accountId, id, async () => {
      const ledger = stack.processes.find(({ service }) => service === "ledger");
      ledger?.kill("SIGKILL");
      await ledger?.exited();
    });
    expect(await verified(id, await written(id))).toMatchObject({ events: PART_EVENTS + 10 - 3 });
    const [row] = await owner.query("SELECT attempts FROM exports.jobs WHERE id = $1", [id]);
    expect(row).toEqual({ attempts: 1 });
  });
});

test("the log is away: a bundle of an event that was erased meanwhile waits until it covers the record", async () => {
  const { client: asker, ...asking } = await newClient(stack);
  const { accountId } = asking;
  await append(asker, 3);
  await untilCovered(asker, 3);
  const signers = stack.processes.filter(({ service }) => service === "keys");
  const attempted = async () => {
    const [job] = await owner.query<{ attempts: number; status: string }>(
      "SELECT attempts, status FROM exports.jobs WHERE account_id = $1",
      [accountId],
    );
    return job !== undefined && job.attempts > 1 && job.status === "pending";
  };
  const made = await asker.post("/v1/exports", { format: "evidence" });
  const { id } = await ended(asker, made.body.data.id);
  for (const signer of signers) signer.kill("SIGSTOP");
  await eraseEvent(stack.databaseUrl, {
    accountId,
    parts: ["actor", "metadata"],
    sequenceNumber: 2,
  });
  // The export is pending again, and no replica has begun it.
  await owner.query(
    `UPDATE exports.jobs SET status = 'pending', due_at = now(), completed_at = NULL, event_count = NULL,
       sha256 = NULL, size_bytes = NULL, file = NULL, attempts = 0 WHERE account_id = $1`,
    [accountId],
  );
  await eventually("two attempts have ended", attempted);
  for (const signer of signers) signer.kill("SIGCONT");
  await ended(asker, id, "completed", ENDED_WITHIN_MS);
  const file = join(folder, `${id}.tar`);
  await download({ stack, account: asking }, id, file);
  expect(await verifyEvidence(file, { policy })).toMatchObject({ events: 4, erasedParts: 2 });
  await expectValidInPython(id);
  asker.close();
});
