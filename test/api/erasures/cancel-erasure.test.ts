// DELETE /v1/erasures/{id} cancels an erasure that has not begun: then nothing is erased (docs/lifecycle.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { completed, letTimePass, PATH } from "./erasures-client.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const { accountId, client } = await newClient(stack);
const ask = async (actor: string) =>
  (await client.post(PATH, { actor_id: actor, parts: ["actor"] })).body.data.id as string;

test("204: nothing is erased, also when the delay is over, and again it is 204", async () => {
  const append = async (id: string) =>
    (await client.post("/v1/events", { action: "a.done", actor: { id } })).body.data;
  const [kept, other] = [await append("u_1"), await append("u_2")];
  const id = await ask("u_1");
  expect((await client.delete(`${PATH}/${id}`)).status).toBe(204);
  expect((await client.delete(`${PATH}/${id}`)).status).toBe(204);
  expect((await client.get(`${PATH}/${id}`)).body.data).toMatchObject({
    status: "cancelled",
    actor_id: null,
    ended_at: expect.any(String),
  });
  // One that is executed later shows that the worker has passed.
  const later = await ask("u_2");
  await letTimePass(owner, accountId);
  await completed(owner, client, later);
  expect((await client.get(`/v1/events/${kept.id}`)).body.data).toEqual(kept);
  expect((await client.get(`/v1/events/${other.id}`)).body.data).toMatchObject({ actor: {} });
});

test.each(["running", "completed"])("422: one that is %s", async (status) => {
  const id = await ask("u_3");
  await owner.query(
    `UPDATE ledger.erasures SET status = $2, due_at = 'infinity',
       selector = CASE WHEN $2 = 'running' THEN selector END,
       selector_sha256 = CASE WHEN $2 = 'completed' THEN '\\x00'::bytea END
     WHERE id = $1`,
    [id, status],
  );
  expectRefused(await client.delete(`${PATH}/${id}`), "validation_error", {
    field: "id",
    message: new RegExp(`is ${status}: only a pending erasure`),
  });
});

describe("404", () => {
  test("one of another account, which stays pending", async () => {
    const id = await ask("u_4");
    const other = await newClient(stack);
    expectRefused(await other.client.delete(`${PATH}/${id}`), "not_found");
    expect((await client.get(`${PATH}/${id}`)).body.data.status).toBe("pending");
  });

  test.each(["none", `era_${"0".repeat(26)}`, "%00"])("%s", async (id) => {
    expectRefused(await client.delete(`${PATH}/${id}`), "not_found");
  });
});
