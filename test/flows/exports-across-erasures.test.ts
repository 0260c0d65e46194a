// Guarantee: an export that was asked for before an erasure, and is written after it, verifies with both
// verifiers, whatever its format and its range. An erased part without a record is still refused. That a
// bundle waits while the log is away is in evidence-exports.test.ts.

import { type HttpClient, newClient, ownerOf } from "@annals/testing";
import { verifyEvidence } from "annals-verify";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { untilCovered } from "../system/covered.ts";
import { eraseEvent } from "../system/erase-events.ts";
import { ended } from "../system/exports-client.ts";
import { verdict as verdictOf, verify } from "../verifiers/made-export.ts";
import { hasPython } from "../system/programs.ts";
import { python, reasonOf, verdict, VERIFY } from "../verifiers/python-evidence.ts";

const EVENTS = ["a", "b", "c"].map((action) => ({ action, actor: { id: "u_7" } }));
const PARTS = ["actor", "metadata"];
const ENDED_WITHIN_MS = 60_000;

const stack = inject("stack");
let owner: ReturnType<typeof ownerOf>;
let folder: string;
let policy: Buffer;
let client: HttpClient;
let accountId: string;

beforeAll(async () => {
  owner = ownerOf(stack.databaseUrl);
  folder = await mkdtemp(join(tmpdir(), "annals-across-"));
});

beforeEach(async () => {
  ({ accountId, client } = await newClient(stack));
  await client.post("/v1/events/batch", { events: EVENTS });
  return () => client.close();
});

afterAll(async () => {
  await owner.close();
  await rm(folder, { recursive: true });
});

const erase = () => eraseEvent(stack.databaseUrl, { accountId, parts: PARTS, sequenceNumber: 2 });

/** Changes the row as a superuser may: the chain has no record. */
const eraseUnrecorded = () =>
  owner.query(
    `UPDATE ledger.events SET actor = '{}', actor_id = NULL, erased = 1,
       salts = decode(repeat('00', 16), 'hex') || substring(salts, 17)
     WHERE account_id = $1 AND sequence_number = 2`,
    [accountId],
  );

/** Makes the exports of the account jobs that no replica has begun. */
const requeue = () =>
  owner.query(
    `UPDATE exports.jobs SET status = 'pending', due_at = now(), completed_at = NULL, event_count = NULL,
       sha256 = NULL, size_bytes = NULL, file = NULL, attempts = 0 WHERE account_id = $1`,
    [accountId],
  );

/** Asks for exports, then lets `between` happen, and resolves to the files that are written after it. */
async function writtenAfter(between: () => Promise<unknown>, requests: readonly object[]) {
  const ids: string[] = [];
  for (const request of requests) {
    const made = await client.post("/v1/exports", request);
    expect(made.status).toBe(201);
    ids.push(made.body.data.id);
    await ended(client, made.body.data.id);
  }
  await between();
  await requeue();
  const files: Buffer[] = [];
  for (const id of ids) {
    await ended(client, id, "completed", ENDED_WITHIN_MS);
    const { bytes = Buffer.alloc(0) } = await client.get(`/v1/exports/${id}/content`);
    files.push(bytes);
  }
  return files;
}

async function saidByPython(lines: Buffer): Promise<string> {
  const path = join(folder, "export.jsonl");
  await writeFile(path, lines);
  return python(VERIFY, [path]).text;
}

describe("lines and CSV", () => {
  const requests = ["jsonl", "csv"].map((format) => ({ format, include_proofs: true }));

  test("the manifest has the record as the head, so the range ends before it", async () => {
    const [lines = Buffer.alloc(0), csv] = await writtenAfter(erase, requests);
    for (const file of [lines, csv])
      expect(await verify(String(file))).toMatchObject({
        events: 3,
        erasedParts: 2,
        erasuresUnchecked: 2,
        manifest: { head: { sequenceNumber: 4 }, range: { from: 1, to: 3 } },
      });
    if (!hasPython) return;
    expect(await saidByPython(lines)).toBe(
      "valid: 3 events, 2 erased parts, of which 2 have their record elsewhere",
    );
  });

  test("an erased part without a record is refused", async () => {
    const [lines = Buffer.alloc(0), csv] = await writtenAfter(eraseUnrecorded, requests);
    for (const file of [lines, csv])
      expect(await verdictOf(String(file))).toMatch("sequence number 2: erasure_unrecorded");
    if (hasPython) expect(await saidByPython(lines)).toMatch("2: erasure_unrecorded in actor");
  });
});

describe("bundles of evidence", () => {
  beforeEach(async () => {
    await untilCovered(client, EVENTS.length);
    const { text } = await client.get("/log/vkey");
    const logs = text.trimEnd().split("\n");
    policy = Buffer.from(`${logs.map((vkey) => `log ${vkey}\n`).join("")}quorum none\n`);
  });

  async function verified(bytes: Buffer) {
    const path = join(folder, "evidence.tar");
    await writeFile(path, bytes);
    if (hasPython) expect(reasonOf(verdict(bytes, { policy }))).toBe("valid");
    return verifyEvidence(path, { policy });
  }

  test.each([
    [{}, { events: 4, erasedParts: 2 }, { from: 1, to: 4, isFiltered: true }],
    [{ before_sequence: 3 }, { events: 3, erasedParts: 2 }, { from: 1, to: 4, isFiltered: true }],
    [{ action: "b" }, { events: 2, erasedParts: 2 }, { from: 1, to: 4, isFiltered: true }],
    [{ after_sequence: 2 }, { events: 1, erasedParts: 0 }, { from: 3, to: 3, isFiltered: false }],
  ])(
    "the filter %j: with the record, if it names one of its events",
    async (filter, counts, range) => {
      const [file = Buffer.alloc(0)] = await writtenAfter(erase, [{ format: "evidence", filter }]);
      expect(await verified(file)).toMatchObject({ ...counts, bundle: range });
    },
  );

  test("an erased part without a record is refused", async () => {
    const [file = Buffer.alloc(0)] = await writtenAfter(eraseUnrecorded, [{ format: "evidence" }]);
    const path = join(folder, "evidence.tar");
    await writeFile(path, file);
    const refused = { reason: "erasure_unrecorded" };
    await expect(verifyEvidence(path, { policy })).rejects.toMatchObject(refused);
    if (hasPython) expect(reasonOf(verdict(file, { policy }))).toBe(refused.reason);
  });
});
