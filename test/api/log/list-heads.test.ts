// GET /v1/log/heads lists the heads of the account in served epochs, oldest first, each with what proves
// it: its path in the epoch's map, the epoch in the head log, and that it is the beginning of the newest
// head (docs/evidence.md).

import { newClient } from "@annals/testing";
import {
  entryHash,
  parseCheckpoint,
  parseEntry,
  parseNote,
  parseVkey,
  verifyConsistency,
  verifyHead,
  verifyInclusion,
  verifyNote,
} from "@annals/tlog";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { append, newCovered, untilCovered } from "../../system/covered.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const SIZES = [2, 5, 9];

let log: Awaited<ReturnType<typeof newCovered>>;

const list = (query = "") => log.client.get(`/v1/log/heads${query}`);
const bytesOf = (hashes: string[]) => hashes.map((hash) => Buffer.from(hash, "hex"));

interface Line {
  readonly epoch: number;
  readonly entry: string;
  readonly head: { readonly chain: string; readonly root: string; readonly size: number };
  readonly path: string[];
  readonly checkpoint: string;
  readonly inclusion: string[];
  readonly consistency: string[];
}

/** Page by page. */
async function allOf(limit: number): Promise<Line[]> {
  const lines: Line[] = [];
  for (;;) {
    const { body } = await list(`?limit=${limit}&after_epoch=${lines.at(-1)?.epoch ?? 0}`);
    expect(body.data.length).toBeGreaterThan(0);
    expect(body.data.length).toBeLessThanOrEqual(limit);
    lines.push(...body.data);
    if (!body.has_more) return lines;
  }
}

beforeAll(async () => {
  log = await newCovered(stack, SIZES[0] ?? 0);
  for (const [at, size] of SIZES.entries()) {
    if (at > 0) await append(log.client, size - (SIZES[at - 1] ?? 0));
    await untilCovered(log.client, size);
  }
});

describe("200", () => {
  test("each head is proved", async () => {
    const lines = await allOf(50);
    const { body } = await log.client.get("/v1/log");
    const vkeys = body.data.vkeys.map(parseVkey);
    const newest = lines.at(-1)?.head;
    for (const line of lines) {
      const head = { ...line.head, root: Buffer.from(line.head.root, "hex") };
      expect(head.chain).toBe(log.accountId);
      const entry = parseEntry(line.entry);
      expect(entry).toMatchObject({ epoch: line.epoch, kind: "heads" });
      if (entry.kind === "heads") verifyHead(entry.heads, head, bytesOf(line.path));
      const note = parseNote(line.checkpoint);
      expect(verifyNote(note, vkeys).signed).toHaveLength(1);
      const { root, size } = parseCheckpoint(note.text);
      const leaf = entryHash(Buffer.from(line.entry));
      verifyInclusion(line.epoch - 1, size, leaf, bytesOf(line.inclusion), root);
      const to = { size: newest?.size ?? 0, root: Buffer.from(newest?.root ?? "", "hex") };
      verifyConsistency(head, to, bytesOf(line.consistency));
    }
    expect([...new Set(lines.map(({ head }) => head.size))]).toEqual(SIZES);
  });

  test("in pages, oldest first, which all have a head", async () => {
    const [whole, single] = [await allOf(50), await allOf(1)];
    expect(single.slice(0, whole.length).map(({ epoch }) => epoch)).toEqual(
      whole.map(({ epoch }) => epoch),
    );
  });

  test("the list after the newest epoch is empty", async () => {
    const { body, status } = await list(`?after_epoch=${Number.MAX_SAFE_INTEGER}`);
    expect(status).toBe(200);
    expect(body).toEqual({ data: [], has_more: false });
  });
});

describe("404", () => {
  test("until an epoch covers the account", async () => {
    const { client } = await newClient(stack);
    expectRefused(await client.get("/v1/log/heads"), "not_found");
  });
});

describe("422", () => {
  test.each([
    ["?limit=0", "limit"],
    ["?limit=51", "limit"],
    ["?after_epoch=-1", "after_epoch"],
    ["?after_epoch=x", "after_epoch"],
    ["?cursor=x", "cursor"],
  ])("%s names %s", async (query, field) =>
    expectRefused(await list(query), "validation_error", { field }),
  );
});
