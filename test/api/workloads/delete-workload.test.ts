// DELETE /v1/workloads/{id} trusts a workload no longer (docs/interface.md). One of another account is a 404,
// and stays. A further one than 200 is a 403.

import { MAX_WORKLOADS, newId } from "@annals/contract";
import { newClient, ownerOf } from "@annals/testing";
import { afterAll, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const PATH = "/v1/workloads";
const COLLECTOR = { name: "c", issuer: "cluster", subject: "s", scopes: ["events:write"] };

test("204, and it is gone", async () => {
  const { id } = (await client.post(PATH, COLLECTOR)).body.data;
  const answer = await client.delete(`${PATH}/${id}`);
  expect([answer.status, answer.body]).toEqual([204, undefined]);
  expect((await client.get(PATH)).body.data).toEqual([]);
  expectRefused(await client.delete(`${PATH}/${id}`), "not_found");
});

test("404 for one of another account, which stays, and for other ids", async () => {
  const other = await newClient(stack);
  const { id } = (await client.post(PATH, COLLECTOR)).body.data;
  expectRefused(await other.client.delete(`${PATH}/${id}`), "not_found");
  expect((await client.get(PATH)).body.data).toHaveLength(1);
  for (const none of [newId("wkl"), "wkl_none", accountId, "%00"])
    expectRefused(await client.delete(`${PATH}/${none}`), "not_found");
});

test("403 beyond 200 in an account, until one is deleted", async () => {
  const one = await newClient(stack);
  await owner.query(
    `INSERT INTO keys.workloads (account_id, id, name, issuer, subject, claims, scopes, created_at)
     SELECT $1, 'wkl_' || n, 'n', 'cluster', 's', '{}', '{verify}', 't' FROM generate_series(1, $2) AS n`,
    [one.accountId, MAX_WORKLOADS - 1],
  );
  const { id } = (await one.client.post(PATH, COLLECTOR)).body.data;
  expectRefused(await one.client.post(PATH, COLLECTOR), "plan_limit_exceeded");
  await one.client.delete(`${PATH}/${id}`);
  expect((await one.client.post(PATH, COLLECTOR)).status).toBe(201);
});
