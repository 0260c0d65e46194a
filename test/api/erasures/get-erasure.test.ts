// GET /v1/erasures/{id} says how far an erasure is. Once it is completed, every read shows what was erased,
// the chain is valid and names it, and the selector is gone (docs/lifecycle.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { completed, letTimePass, PATH } from "./erasures-client.ts";

const stack = inject("stack");
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const EVENT = {
  action: "a.done",
  actor: { id: "u_1", type: "user", meta: { name: "private" } },
  target: { id: "t_1", type: "thing" },
  metadata: { note: "private" },
};

test("200: completed, after the delay, with what it has erased and what a hold has kept", async () => {
  const { accountId, client, keyId } = await newClient(stack);
  const events = [EVENT, { ...EVENT, actor: { id: "u_2" } }, EVENT, EVENT];
  const { body } = await client.post("/v1/events/batch", { events });
  const [first, , , held] = body.data;
  await client.post("/v1/holds", { from_sequence: 4, to_sequence: 4 });
  const asked = { actor_id: "u_1", parts: ["actor", "metadata"], reference: "case 7" };
  const { id } = (await client.post(PATH, asked)).body.data;
  await client.post("/v1/events", EVENT);
  expect((await client.get(`${PATH}/${id}`)).body.data.status).toBe("pending");
  await letTimePass(owner, accountId);
  expect(await completed(owner, client, id)).toMatchObject({
    status: "completed",
    actor_id: null,
    erased: 2,
    held: 1,
    up_to_sequence: 5,
    begins_at: null,
    ended_at: expect.any(String),
    copies: { exports: expect.any(String), webhooks: expect.any(String) },
    vacuumed_at: null,
  });

  const shown = { ...first, actor: {}, metadata: {}, erased: ["actor", "metadata"] };
  expect((await client.get(`/v1/events/${first.id}`)).body.data).toEqual(shown);
  expect((await client.get(`/v1/events/${held.id}`)).body.data).toEqual(held);
  const byActor = (await client.get("/v1/events?actor_id=u_1&order=asc")).body.data;
  expect(byActor.map((one: { sequence_number: number }) => one.sequence_number)).toEqual([4, 6]);
  const [record] = (await client.get("/v1/events?action=annals.erasure")).body.data;
  expect(record).toMatchObject({
    actor: { type: "api_key", id: keyId },
    target: { type: "erasure", id },
  });
  expect(record.metadata).toEqual({
    erasure: id,
    parts: ["actor", "metadata"],
    reference: "case 7",
    sequence_numbers: "1,3",
  });
  expect((await client.get("/v1/verify")).body.data).toMatchObject({ valid: true });
});

describe("404", () => {
  test("one of another account", async () => {
    const [one, other] = [await newClient(stack), await newClient(stack)];
    const { body } = await one.client.post(PATH, { actor_id: "u_1", parts: ["actor"] });
    expectRefused(await other.client.get(`${PATH}/${body.data.id}`), "not_found");
  });

  test.each(["none", `era_${"0".repeat(26)}`, "%00"])("%s", async (id) => {
    const { client } = await newClient(stack);
    expectRefused(await client.get(`${PATH}/${id}`), "not_found");
  });
});
