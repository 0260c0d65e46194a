// GET /v1/archives lists the account's own archives in pages, newest first (docs/lifecycle.md).

import { newClient, ownerOf } from "@annals/testing";
import { hash } from "node:crypto";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { putArchive } from "./archive-rows.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
const { accountId, client } = await newClient(stack);
const PATH = "/v1/archives";

afterAll(() => owner.close());

const put = (id: string, from: number) =>
  putArchive({ owner, exportDirectory: stack.exportDirectory, accountId, id, from });

describe("200", () => {
  test("pages of archives, newest first, and those of no other account", async () => {
    await put("arc_1", 1);
    await put("arc_2", 2);
    const { events, evidence } = await put("arc_3", 3);
    const first = await client.get(`${PATH}?limit=2`);
    expect(first.status).toBe(200);
    expect(first.body.data[0]).toEqual({
      id: "arc_3",
      month: "2026-01",
      from_sequence: 3,
      to_sequence: 3,
      events: { sha256: hash("sha256", events), size_bytes: events.length },
      evidence: { sha256: hash("sha256", evidence), size_bytes: evidence.length },
      created_at: "2026-02-01T00:00:03.000000Z",
      written_at: "2026-02-01T00:00:03.000000Z",
    });
    expect(first.body).toMatchObject({ data: [{ id: "arc_3" }, { id: "arc_2" }], has_more: true });
    const last = await client.get(`${PATH}?limit=2&cursor=${first.body.next_cursor}`);
    expect(last.body).toMatchObject({ data: [{ id: "arc_1" }], has_more: false });
    const other = await newClient(stack);
    const page = { data: [], has_more: false, next_cursor: null };
    expect((await other.client.get(PATH)).body).toEqual(page);
  });
});

describe("422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=x", "cursor"],
    ["order=asc", "order"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });
});
