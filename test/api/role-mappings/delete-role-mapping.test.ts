// DELETE /v1/role-mappings/{id} takes back what a role mapping gives (docs/interface.md). One of another
// account is a 404, and stays.

import { newId } from "@annals/contract";
import { newClient, ownerOf } from "@annals/testing";
import { afterAll, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const PATH = "/v1/role-mappings";

async function stored(): Promise<string> {
  const id = newId("rmap");
  await owner.query(
    `INSERT INTO keys.role_mappings (account_id, id, provider, group_name, role, created_at)
     VALUES ($1, $2, 'okta', 'readers', 'viewer', '2026-01-31T09:30:00.000000Z')`,
    [accountId, id],
  );
  return id;
}

test("204, and it is gone", async () => {
  const id = await stored();
  const answer = await client.delete(`${PATH}/${id}`);
  expect([answer.status, answer.body]).toEqual([204, undefined]);
  expect((await client.get(PATH)).body.data).toEqual([]);
  expectRefused(await client.delete(`${PATH}/${id}`), "not_found");
});

test("404 for one of another account, which stays, and for other ids", async () => {
  const other = await newClient(stack);
  const id = await stored();
  expectRefused(await other.client.delete(`${PATH}/${id}`), "not_found");
  expect((await client.get(PATH)).body.data).toHaveLength(1);
  for (const none of [newId("rmap"), "rmap_none", accountId, "%00"])
    expectRefused(await client.delete(`${PATH}/${none}`), "not_found");
});
