// GET /v1/role-mappings lists the account's role mappings in pages, newest first (docs/interface.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const PATH = "/v1/role-mappings";
const AT = "2026-01-31T09:30:00.000000Z";

describe("200", () => {
  test("pages, newest first, with the group or the subject", async () => {
    await owner.query(
      `INSERT INTO keys.role_mappings (account_id, id, provider, group_name, subject, role, created_at)
       SELECT $1, 'rmap_' || n, 'okta', CASE WHEN n < 3 THEN 'g' || n END, CASE WHEN n = 3 THEN 's' END, 'viewer', $2
       FROM generate_series(1, 3) AS n`,
      [accountId, AT],
    );
    const first = await client.get(`${PATH}?limit=2`);
    const shared = { provider: "okta", role: "viewer", created_at: AT };
    expect(first.body).toEqual({
      data: [
        { ...shared, id: "rmap_3", group: null, subject: "s" },
        { ...shared, id: "rmap_2", group: "g2", subject: null },
      ],
      has_more: true,
      next_cursor: expect.any(String),
    });
    const last = await client.get(`${PATH}?limit=2&cursor=${first.body.next_cursor}`);
    expect(last.body).toEqual({
      data: [{ ...shared, id: "rmap_1", group: "g1", subject: null }],
      has_more: false,
      next_cursor: null,
    });
  });

  test("those of no other account", async () => {
    const other = await newClient(stack);
    expect((await other.client.get(PATH)).body.data).toEqual([]);
  });
});

describe("422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=x", "cursor"],
    ["provider=okta", "provider"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });
});
