// GET /v1/workloads lists the account's workloads in pages, newest first (docs/interface.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const PATH = "/v1/workloads";
const AT = "2026-01-31T09:30:00.000000Z";

describe("200", () => {
  test("pages, newest first, also of an issuer that the file has no longer", async () => {
    await owner.query(
      `INSERT INTO keys.workloads (account_id, id, name, issuer, subject, claims, scopes, created_at)
       SELECT $1, 'wkl_' || n, 'n' || n, 'gone', 's', '{"ref": "main"}', '{verify}', $2 FROM generate_series(1, 3) AS n`,
      [accountId, AT],
    );
    const shared = { issuer: "gone", subject: "s", claims: { ref: "main" }, scopes: ["verify"] };
    const one = (n: number) => ({
      ...shared,
      id: `wkl_${n}`,
      name: `n${n}`,
      audience: `https://audit.invalid/${accountId}`,
      created_at: AT,
    });
    const first = await client.get(`${PATH}?limit=2`);
    expect(first.body).toEqual({
      data: [one(3), one(2)],
      has_more: true,
      next_cursor: expect.any(String),
    });
    const last = await client.get(`${PATH}?limit=2&cursor=${first.body.next_cursor}`);
    expect(last.body).toEqual({ data: [one(1)], has_more: false, next_cursor: null });
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
    ["issuer=cluster", "issuer"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });
});
