// GET /v1/log/checkpoint returns the signed checkpoint of the account's own log: its origin names the
// account, its root is that of the hashes which the account was given, and the log's key has signed it
// (docs/evidence.md).

import { HttpClient, newClient } from "@annals/testing";
import {
  accountKey,
  append,
  EMPTY_TREE,
  parseCheckpoint,
  parseNote,
  parseVkey,
  rootOf,
  verifyNote,
} from "@annals/tlog";
import { describe, expect, inject, test } from "vitest";
import { newCovered } from "../../system/covered.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");

describe("200", () => {
  test("signed, over the hashes that the account was given", async () => {
    const { accountId, client, hashes } = await newCovered(stack, 5);
    const { body } = await client.get("/v1/log");
    const { headers, status, text } = await client.get("/v1/log/checkpoint");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(headers["cache-control"]).toBe("no-store");
    const note = parseNote(text);
    const keys = body.data.vkeys.map((vkey: string) => accountKey(parseVkey(vkey), accountId));
    expect(verifyNote(note, keys).signed).toHaveLength(1);
    const leaves = hashes.map((hash) => Buffer.from(hash, "hex"));
    expect(parseCheckpoint(note.text)).toEqual({
      origin: body.data.origin,
      size: 5,
      root: rootOf(append(EMPTY_TREE, leaves)),
    });
    expect((await client.get("/v1/log/checkpoint")).text).toBe(text);
  });
});

describe("404", () => {
  test("until an epoch covers the account", async () => {
    const { client } = await newClient(stack);
    expectRefused(await client.get("/v1/log/checkpoint"), "not_found");
  });
});

describe("422", () => {
  test("names a parameter that it does not have", async () => {
    const { key } = await newClient(stack);
    const client = new HttpClient(stack.baseUrl, key);
    const answer = await client.get("/v1/log/checkpoint?size=1");
    expectRefused(answer, "validation_error", { field: "size" });
  });
});
