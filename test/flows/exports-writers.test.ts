// Guarantee: an export is written and downloaded in bounded memory, survives the death of its writer and of
// the ledger, and is notified exactly once. Processes are killed, so the system is the file's own. For
// 100,000 events and a million the memory is measured in test/faults/exports-million.test.ts.

import type { Stack, StackProcess } from "@annals/local";
import { eventually, type HttpClient, newClient, ownerOf, type TestAccount } from "@annals/testing";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyFile } from "annals-verify";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ended } from "../system/exports-client.ts";
import { loadLongChain } from "../bench/long-chain.ts";
import { startConstellation } from "../system/constellation.ts";
import { endLease, inTheMiddle as interrupted } from "../system/exports-interrupted.ts";
import { download, exportAll, MAX_RSS_MB } from "../system/exports-large.ts";

const EVENTS = 30_000;
/** Enough to be in the middle of for a while. */
const PART_EVENTS = 10_000;
const PART = { after_sequence: EVENTS - PART_EVENTS };
/** The same events by unequal filters: an equal export is answered with the one that is there. */
const partSince = (year: number) => ({ ...PART, occurred_from: `${year}-01-01T00:00:00Z` });
const ENDED_WITHIN_MS = 90_000;

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

test(`${EVENTS} events with proofs are written and downloaded in bounded memory`, async () => {
  const file = join(folder, "large.jsonl");
  const { data, sha256, held } = await exportAll({ stack, account, client }, file, ENDED_WITHIN_MS);
  expect(data).toMatchObject({ event_count: EVENTS, sha256 });
  expect(held.filter(({ mb }) => mb >= MAX_RSS_MB)).toEqual([]);
  expect(await verifyFile(file)).toMatchObject({ events: EVENTS, linksUnchecked: 0 });
});

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

test("positions of the outbox are gapless", async () => {
  const entries = await outboxOf(account.accountId);
  expect(entries.map(({ position }) => Number(position))).toEqual(entries.map((_, at) => at + 1));
});
