// POST /v1/holds places a hold on a range of events, which the account's chain records without the actor
// (docs/lifecycle.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { client, keyId } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
const PATH = "/v1/holds";
afterAll(() => owner.close());

const records = async () => (await client.get("/v1/events?action=annals.hold&limit=1")).body.data;

describe("201", () => {
  test("of a range and an actor: as it was sent, with the number of its record", async () => {
    const range = { from_sequence: 1, to_sequence: 2, actor_id: "u_private" };
    const { status, body } = await client.post(PATH, range);
    expect(status).toBe(201);
    const [record] = await records();
    const { id } = body.data;
    expect(id).toMatch(/^hold_[0-9a-z]{26}$/);
    expect(body.data).toEqual({
      id,
      ...range,
      owner: "account",
      placed_by: record.sequence_number,
    });
    expect(record).toMatchObject({
      action: "annals.hold",
      actor: { type: "api_key", id: keyId },
      target: { type: "hold", id },
    });
    expect(record.metadata).toEqual({
      hold: id,
      state: "placed",
      from_sequence: 1,
      to_sequence: 2,
      of_one_actor: true,
    });
  });

  test("without an end, of all actors, and of events that are not stored yet", async () => {
    const { status, body } = await client.post(PATH, { from_sequence: 9_007_199_254_740_991 });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      from_sequence: 9_007_199_254_740_991,
      to_sequence: null,
      actor_id: null,
    });
    const [record] = await records();
    expect(record.metadata.of_one_actor).toBe(false);
    expect((await client.get("/v1/verify")).body.data).toMatchObject({ valid: true });
  });

  test("of an actor with an id of 255 characters", async () => {
    const hold = { from_sequence: 1, actor_id: "🦉".repeat(255) };
    const { status, body } = await client.post(PATH, hold);
    expect([status, body.data.actor_id]).toEqual([201, hold.actor_id]);
  });
});

test("403 plan_limit_exceeded: the account has 1,000 active holds", async () => {
  const full = await newClient(stack);
  await owner.query(
    `INSERT INTO ledger.holds (account_id, id, from_sequence, owner, placed_by)
     SELECT $1, 'old_' || n, 1, 'account', 1 FROM generate_series(1, 999) AS n`,
    [full.accountId],
  );
  const last = await full.client.post(PATH, { from_sequence: 1 });
  expect(last.status).toBe(201);
  expectRefused(await full.client.post(PATH, { from_sequence: 1 }), "plan_limit_exceeded", {
    message: /1000 active holds/,
  });
  expect((await full.client.delete(`${PATH}/${last.body.data.id}`)).status).toBe(204);
  expect((await full.client.post(PATH, { from_sequence: 1 })).status).toBe(201);
});

describe("422", () => {
  test.each<[object, string]>([
    [{}, "from_sequence"],
    [{ from_sequence: 0 }, "from_sequence"],
    [{ from_sequence: -1 }, "from_sequence"],
    [{ from_sequence: 1.5 }, "from_sequence"],
    [{ from_sequence: "1" }, "from_sequence"],
    [{ from_sequence: 9_007_199_254_740_992 }, "from_sequence"],
    [{ from_sequence: 2, to_sequence: 1 }, "to_sequence"],
    [{ from_sequence: 1, to_sequence: null }, "to_sequence"],
    [{ from_sequence: 1, actor_id: "" }, "actor_id"],
    [{ from_sequence: 1, actor_id: "a".repeat(256) }, "actor_id"],
    [{ from_sequence: 1, actor_id: null }, "actor_id"],
    [{ from_sequence: 1, owner: "operator" }, "owner"],
  ])("%j", async (body, field) => {
    expectRefused(await client.post(PATH, body), "validation_error", { field });
  });
});
