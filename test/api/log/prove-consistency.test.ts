// GET /v1/log/consistency proves that the account's log has only grown from one size to another, which is
// at most the newest that is served. It names what is wrong with a query (docs/evidence.md).

import { newClient } from "@annals/testing";
import { verifyConsistency } from "@annals/tlog";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { bytesOf, newCovered, rootAt } from "../../system/covered.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const EVENTS = 300;

let log: Awaited<ReturnType<typeof newCovered>>;

const prove = (query: string) => log.client.get(`/v1/log/consistency?${query}`);

beforeAll(async () => {
  log = await newCovered(stack, EVENTS);
});

describe("200", () => {
  test.each([
    [1, 2],
    [7, 300],
    [256, 299],
    [257, 257],
  ])("from %i to %i", async (from, to) => {
    const { body, status } = await prove(`from=${from}&to=${to}`);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      from,
      from_root: rootAt(log, from).toString("hex"),
      to,
      to_root: rootAt(log, to).toString("hex"),
      hashes: expect.any(Array),
    });
    const [older, newer] = [
      { size: from, root: rootAt(log, from) },
      { size: to, root: rootAt(log, to) },
    ];
    verifyConsistency(older, newer, bytesOf(body.data.hashes));
  });

  test("by default to the newest size", async () =>
    expect((await prove("from=42")).body.data).toMatchObject({ from: 42, to: EVENTS }));
});

describe("404", () => {
  test("beyond what is covered", async () => {
    expectRefused(await prove(`from=1&to=${EVENTS + 1}`), "not_found");
    expectRefused(await prove(`from=${EVENTS + 1}`), "not_found");
  });

  test("until an epoch covers the account", async () => {
    const { client } = await newClient(stack);
    expectRefused(await client.get("/v1/log/consistency?from=1"), "not_found");
  });
});

describe("422", () => {
  test.each([
    ["", "from"],
    ["to=3", "from"],
    ["from=0", "from"],
    ["from=0x1", "from"],
    ["from=1&to=0", "to"],
    ["from=8&to=7", "from"],
    ["from=1&size=3", "size"],
  ])("?%s names %s", async (query, field) =>
    expectRefused(await prove(query), "validation_error", { field }),
  );
});
