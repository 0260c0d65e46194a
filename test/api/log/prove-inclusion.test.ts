// GET /v1/log/inclusion proves an event in the account's log, at the newest size that is served or an
// earlier one, as JSON or as the text of c2sp.org/tlog-proof with the signed checkpoint. It names what is
// wrong with a query (docs/evidence.md).

import { newClient } from "@annals/testing";
import {
  accountKey,
  parseCheckpoint,
  parseProofText,
  parseVkey,
  verifyInclusion,
  verifyNote,
} from "@annals/tlog";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { append, bytesOf, newCovered, rootAt, untilCovered } from "../../system/covered.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const EVENTS = 300;

let log: Awaited<ReturnType<typeof newCovered>>;

const prove = (query: string, accept = "application/json") =>
  log.client.get(`/v1/log/inclusion?${query}`, { headers: { accept } });

/** The size at which a text proves an event. */
async function sizeProved(of: typeof log, sequence: number, text: string): Promise<number> {
  const proof = parseProofText(text);
  const { body } = await of.client.get("/v1/log");
  const keys = body.data.vkeys.map((key: string) => accountKey(parseVkey(key), of.accountId));
  expect(verifyNote(proof.checkpoint, keys).signed).toHaveLength(1);
  const { root, size } = parseCheckpoint(proof.checkpoint.text);
  const index = sequence - 1;
  expect(proof.index).toBe(index);
  verifyInclusion(index, size, bytesOf(of.hashes)[index] ?? Buffer.alloc(0), proof.hashes, root);
  return size;
}

beforeAll(async () => {
  log = await newCovered(stack, EVENTS);
});

describe("200", () => {
  test.each([
    [1, 1],
    [7, 299],
    [257, 300],
  ])("event %i in the tree of %i", async (sequence, size) => {
    const { body, status } = await prove(`sequence_number=${sequence}&size=${size}`);
    expect(status).toBe(200);
    const { hashes, root } = body.data;
    expect(body.data).toMatchObject({ sequence_number: sequence, index: sequence - 1, size });
    expect(body.data.hash).toBe(log.hashes[sequence - 1]);
    expect(root).toBe(rootAt(log, size).toString("hex"));
    const leaf = Buffer.from(body.data.hash, "hex");
    verifyInclusion(sequence - 1, size, leaf, bytesOf(hashes), rootAt(log, size));
  });

  test("by default at the newest size, with its checkpoint; a size of no epoch has none", async () => {
    const { body } = await prove("sequence_number=42");
    const { text } = await log.client.get("/v1/log/checkpoint");
    expect(body.data).toMatchObject({ size: EVENTS, checkpoint: text });
    const earlier = await prove("sequence_number=42&size=299");
    expect(earlier.body.data.checkpoint).toBeNull();
  });

  test("as a text that stands alone", async () => {
    const { headers, status, text } = await prove("sequence_number=42", "text/plain");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(await sizeProved(log, 42, text)).toBe(EVENTS);
  });

  test("at the size of an earlier epoch, with the checkpoint of that size", async () => {
    const account = await newCovered(stack, 3);
    const before = await account.client.get("/v1/log/checkpoint");
    account.hashes.push(...(await append(account.client, 2)));
    await untilCovered(account.client, 5);
    const path = "/v1/log/inclusion?sequence_number=2&size=3";
    const { body } = await account.client.get(path);
    expect(body.data).toMatchObject({ size: 3, checkpoint: before.text });
    const { text } = await account.client.get(path, { headers: { accept: "text/plain" } });
    expect(await sizeProved(account, 2, text)).toBe(3);
  });

  test.each(["*/*", "application/json, text/plain, */*", "text/plain;q=0.5, application/json"])(
    "as JSON for %s",
    async (accept) => {
      const { headers } = await prove("sequence_number=42", accept);
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    },
  );
});

describe("404", () => {
  test("beyond what is covered", async () => {
    expectRefused(await prove(`sequence_number=${EVENTS + 1}`), "not_found");
    expectRefused(await prove(`sequence_number=1&size=${EVENTS + 1}`), "not_found");
  });

  test("a text for a size that no served epoch has", async () =>
    expectRefused(await prove("sequence_number=1&size=299", "text/plain"), "not_found"));

  test("until an epoch covers the account", async () => {
    const { client } = await newClient(stack);
    expectRefused(await client.get("/v1/log/inclusion?sequence_number=1"), "not_found");
  });
});

describe("422", () => {
  test.each([
    ["", "sequence_number"],
    ["size=3", "sequence_number"],
    ["sequence_number=0", "sequence_number"],
    ["sequence_number=x", "sequence_number"],
    ["sequence_number=1e1", "sequence_number"],
    ["sequence_number=9007199254740992", "sequence_number"],
    ["sequence_number=8&size=7", "sequence_number"],
    ["sequence_number=1&size=0", "size"],
    ["sequence_number=1&size=-1", "size"],
    ["sequence_number=1&index=0", "index"],
  ])("?%s names %s", async (query, field) =>
    expectRefused(await prove(query), "validation_error", { field }),
  );
});
