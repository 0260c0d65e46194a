// Guarantee: an export with the format evidence is a bundle that both verifiers accept with a policy of the
// caller's, whatever is stored and closed meanwhile, and refuse once a byte of any of its files was changed.
// Without a covered event none is made.

import { type HttpClient, newClient } from "@annals/testing";
import { EvidenceFault, verifyEvidence } from "annals-verify";
import { hash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { append, newCovered, untilCovered } from "../../system/covered.ts";
import { ended, exported } from "../../system/exports-client.ts";
import { changed, type Files, relisted, tarOf, withFile } from "../../verifiers/made-bundle.ts";
import { hasPython } from "../../system/programs.ts";
import { reasonOf, verdict } from "../../verifiers/python-evidence.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const EVIDENCE = { format: "evidence" };
/** More than one tile, and a partial one above them. */
const EVENTS = 600;
const BLOCK = 512;

let account: Awaited<ReturnType<typeof newCovered>>;
let policy: Buffer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-bundle-"));
  account = await newCovered(stack, EVENTS);
  policy = await policyOf(account.client);
});

afterAll(() => rm(folder, { recursive: true }));

/** As a customer writes it, from the keys that the log has published. */
async function policyOf(client: HttpClient): Promise<Buffer> {
  const { text } = await client.get("/log/vkey");
  const logs = text
    .trimEnd()
    .split("\n")
    .map((vkey) => `log ${vkey}\n`);
  return Buffer.from(`${logs.join("")}quorum none\n`);
}

async function verified(bytes: Buffer) {
  const path = join(folder, "evidence.tar");
  await writeFile(path, bytes);
  return verifyEvidence(path, { policy });
}

/** What annals-verify says. */
const ownVerdict = (bytes: Buffer) =>
  verified(bytes).then(
    () => "valid",
    (error: unknown) => {
      if (error instanceof EvidenceFault) return error.reason;
      throw error;
    },
  );

const pythonVerdict = (bytes: Buffer) => reasonOf(verdict(bytes, { policy }));

async function bundleOf(client: HttpClient, filter: object = {}) {
  const { content, data } = await exported(client, { ...EVIDENCE, filter });
  return { data, bytes: content.bytes ?? Buffer.alloc(0), headers: content.headers };
}

/** The files of a tar file, with their offsets. */
function filesIn(tar: Buffer): { name: string; at: number; size: number }[] {
  const files = [];
  for (let at = 0; tar[at] !== 0;) {
    const [name = ""] = tar.toString("latin1", at, at + 100).split("\0", 1);
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8);
    files.push({ name, at: at + BLOCK, size });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

describe("a bundle", () => {
  test("is a tar file with its events first and its list last", async () => {
    const { bytes, data, headers } = await bundleOf(account.client);
    expect(data).toMatchObject({ format: "evidence", filter: {}, event_count: EVENTS });
    expect(data.size_bytes).toBe(bytes.length);
    expect(headers["content-type"]).toBe("application/x-tar");
    expect(headers["content-disposition"]).toBe(`attachment; filename="${data.id}.tar"`);
    expect(filesIn(bytes).map(({ name }) => name)).toEqual([
      "events.jsonl",
      "checkpoint",
      "tile/0/000",
      "tile/0/001",
      "tile/0/002.p/88",
      "tile/1/000.p/2",
      "heads.jsonl",
      "policy",
      "bundle.json",
    ]);
    const files = contentsOf(bytes);
    expect(String(files.get("policy"))).toBe(policy.toString());
    expect(JSON.parse(String(files.get("bundle.json")))).toMatchObject({
      v: 1,
      kind: "annals-evidence",
      chain: account.accountId,
      from_sequence: 1,
      to_sequence: EVENTS,
      filter: {},
      created_at: data.created_at,
    });
  });

  test("is accepted, and its digest is that of the whole file", async () => {
    const { bytes, data } = await bundleOf(account.client);
    expect(await verified(bytes)).toMatchObject({
      events: EVENTS,
      size: EVENTS,
      linksUnchecked: 0,
    });
    expect(hash("sha256", bytes)).toBe(data.sha256);
  });

  test.runIf(hasPython)("is accepted by the second verifier", async () => {
    const { bytes } = await bundleOf(account.client);
    expect(pythonVerdict(bytes)).toBe("valid");
  });

  test("with one changed byte in any of its files is refused", async () => {
    const { bytes } = await bundleOf(account.client);
    const files = filesIn(bytes);
    expect(files.length).toBeGreaterThan(8);
    for (const { at, name, size } of files) {
      const copy = Buffer.from(bytes);
      const middle = at + Math.floor(size / 2);
      copy[middle] = (copy[middle] ?? 0) ^ 1;
      expect([name, await ownVerdict(copy)]).toEqual([name, "file_mismatch"]);
      if (hasPython) expect([name, pythonVerdict(copy)]).toEqual([name, "file_mismatch"]);
    }
  });

  test("with another value and a list that says so is refused for what it proves", async () => {
    const { bytes } = await bundleOf(account.client);
    const files = contentsOf(bytes);
    const found = [];
    for (const [name, from, to] of CHANGES) {
      const tar = tarOf(changed(files, name, (text) => text.replace(from, to)));
      found.push([name, await ownVerdict(tar)]);
      if (hasPython) expect([name, pythonVerdict(tar)]).toEqual(found.at(-1));
    }
    const tile = withFile(files, "tile/0/001", Buffer.alloc(8_192));
    found.push(["tile/0/001", await ownVerdict(tarOf(relisted(tile)))]);
    expect(found).toEqual([
      ["events.jsonl", "hash_mismatch"],
      ["checkpoint", "signature_invalid"],
      ["heads.jsonl", "head_mismatch"],
      ["bundle.json", "sequence_gap"],
      ["tile/0/001", "inclusion_mismatch"],
    ]);
  });

  test("ends at the head that it was made with, whatever is covered meanwhile", async () => {
    const { client } = await newCovered(stack, 3);
    const made = await client.post("/v1/exports", EVIDENCE);
    await append(client, 300);
    await untilCovered(client, 303);
    const data = await ended(client, made.body.data.id);
    expect(data.event_count).toBe(3);
    const { bytes } = await client.get(`/v1/exports/${data.id}/content`);
    expect(await verified(bytes ?? Buffer.alloc(0))).toMatchObject({ events: 3, size: 3 });
    const later = await bundleOf(client);
    expect(later.data.id).not.toBe(data.id);
    expect(await verified(later.bytes)).toMatchObject({ events: 303, size: 303 });
    // The range is the same, so it is the same export.
    expect((await bundleOf(client)).data.id).toBe(later.data.id);
  });
});

describe("a filter", () => {
  test("of a range: every event of it is there, and the tiles before it are not", async () => {
    const { bytes } = await bundleOf(account.client, { after_sequence: 400, before_sequence: 500 });
    expect(await verified(bytes)).toMatchObject({
      bundle: { from: 401, to: 499, isFiltered: false },
      events: 99,
      size: EVENTS,
      linksUnchecked: 0,
    });
    const tiles = filesIn(bytes).filter(({ name }) => name.startsWith("tile/0/"));
    expect(tiles.map(({ name }) => name)).toEqual(["tile/0/001", "tile/0/002.p/88"]);
    if (hasPython) expect(pythonVerdict(bytes)).toBe("valid");
  });

  test("of values: the events that match it are there", async () => {
    const { bytes } = await bundleOf(account.client, { action: "a.7", after_sequence: 1 });
    expect(await verified(bytes)).toMatchObject({
      bundle: { from: 2, isFiltered: true },
      events: 1,
    });
    if (hasPython) expect(pythonVerdict(bytes)).toBe("valid");
    const index = String(contentsOf(bytes).get("bundle.json"));
    expect(JSON.parse(index).filter).toEqual({ action: "a.7" });
  });

  test("that no event matches: the export fails", async () => {
    const request = { ...EVIDENCE, filter: { action: "never" } };
    const { body } = await account.client.post("/v1/exports", request);
    const data = await ended(account.client, body.data.id, "failed");
    expect(data).toMatchObject({ event_count: null, sha256: null });
  });

  test("beyond what is covered is refused", async () => {
    const request = { ...EVIDENCE, filter: { after_sequence: EVENTS } };
    const refused = await account.client.post("/v1/exports", request);
    expectRefused(refused, "validation_error", { field: "filter" });
  });
});

test("an account that no epoch covers gets none", async () => {
  const { client } = await newClient(stack);
  const refused = await client.post("/v1/exports", EVIDENCE);
  const message = "format: no epoch of the log covers an event of this account yet";
  expectRefused(refused, "validation_error", { field: "format", message });
});

/** A file, a text in it, and another one of the same length. */
const CHANGES = [
  ["events.jsonl", /"action":"a\.0"/, '"action":"b.0"'],
  ["checkpoint", /\n600\n/, "\n601\n"],
  ["heads.jsonl", /"size":600/, '"size":599'],
  ["bundle.json", /"to_sequence":600/, '"to_sequence":599'],
] as const;

function contentsOf(tar: Buffer): Files {
  return new Map(filesIn(tar).map(({ at, name, size }) => [name, tar.subarray(at, at + size)]));
}
