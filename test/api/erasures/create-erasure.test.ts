// POST /v1/erasures asks for the erasure of parts of stored events, within its limits, and refuses what it
// cannot erase with the member at fault (docs/lifecycle.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { PATH } from "./erasures-client.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const DAY_MS = 86_400_000;
const PARTS = ["actor"];
const append = async (by = client) =>
  (await by.post("/v1/events", { action: "a.done", actor: { id: "u_1" } })).body.data;

describe("201", () => {
  test("pending, of the events that are stored, and it begins in 24 hours", async () => {
    const event = await append();
    const asked = { actor_id: "u_1", parts: ["metadata", "actor"], reference: "case 7" };
    const { body, status } = await client.post(PATH, asked);
    expect(status).toBe(201);
    const { begins_at: beginsAt, created_at: createdAt, id } = body.data;
    expect(id).toMatch(/^era_[0-9a-z]{26}$/);
    expect(body.data).toEqual({
      id,
      status: "pending",
      actor_id: "u_1",
      target_id: null,
      event_id: null,
      parts: ["actor", "metadata"],
      reference: "case 7",
      up_to_sequence: event.sequence_number,
      erased: 0,
      held: 0,
      created_at: createdAt,
      begins_at: beginsAt,
      ended_at: null,
      copies: { exports: null, webhooks: null },
      vacuumed_at: null,
    });
    const delayMs = Date.parse(beginsAt) - Date.parse(createdAt);
    expect(Math.abs(delayMs - DAY_MS)).toBeLessThan(60_000);
  });

  test("by target, by event, and with texts of 255 characters", async () => {
    const { id } = await append();
    const longest = "🦉".repeat(255);
    const asked = [
      { target_id: longest, parts: ["actor", "context", "diff", "metadata", "target"] },
      { event_id: id, parts: PARTS, reference: "x".repeat(255) },
    ];
    for (const one of asked) {
      const { body, status } = await client.post(PATH, one);
      expect([status, body.data]).toMatchObject([201, one]);
    }
  });

  test("of an account without events", async () => {
    const other = await newClient(stack);
    const { body, status } = await other.client.post(PATH, { actor_id: "u_1", parts: PARTS });
    expect([status, body.data.up_to_sequence]).toEqual([201, 0]);
  });
});

describe("422", () => {
  test.each([
    ["no selector", "actor_id", { parts: PARTS }],
    ["two selectors", "actor_id", { actor_id: "u", target_id: "t", parts: PARTS }],
    ["no parts", "parts", { actor_id: "u" }],
    ["an empty list of parts", "parts", { actor_id: "u", parts: [] }],
    ["an unknown part", "parts[0]", { actor_id: "u", parts: ["action"] }],
    ["an empty selector", "actor_id", { actor_id: "", parts: PARTS }],
    ["a long selector", "target_id", { target_id: "x".repeat(256), parts: PARTS }],
    ["a long reference", "reference", { actor_id: "u", parts: PARTS, reference: "x".repeat(256) }],
    ["an unknown member", "days", { actor_id: "u", parts: PARTS, days: 1 }],
    ["an event that does not exist", "event_id", { event_id: "evt_1", parts: PARTS }],
  ])("%s", async (_, field, body) => {
    expectRefused(await client.post(PATH, body), "validation_error", { field });
  });

  test("an event of another account", async () => {
    const other = await newClient(stack);
    const { id } = await append(other.client);
    const answer = await client.post(PATH, { event_id: id, parts: PARTS });
    expectRefused(answer, "validation_error", {
      field: "event_id",
      message: /no event has this id/,
    });
  });

  test("an event that a hold covers, which the message names, until the hold is released", async () => {
    const event = await append();
    const range = { from_sequence: event.sequence_number, to_sequence: event.sequence_number };
    const { id: hold } = (await client.post("/v1/holds", range)).body.data;
    const asked = { event_id: event.id, parts: PARTS };
    expectRefused(await client.post(PATH, asked), "validation_error", {
      field: "event_id",
      message: new RegExp(`the hold ${hold} covers this event`),
    });
    await client.delete(`/v1/holds/${hold}`);
    expect((await client.post(PATH, asked)).status).toBe(201);
  });

  test("a record", async () => {
    const other = await newClient(stack);
    await other.client.post("/v1/holds", { from_sequence: 1_000 });
    const [record] = (await other.client.get("/v1/events?action=annals.hold")).body.data;
    const answer = await other.client.post(PATH, { event_id: record.id, parts: PARTS });
    expectRefused(answer, "validation_error", { field: "event_id", message: /records/ });
  });
});

test("403: the eleventh that has not ended, until one is cancelled; two at once make ten", async () => {
  const other = await newClient(stack);
  const ask = () => other.client.post(PATH, { actor_id: "u_1", parts: PARTS });
  const answers = await Promise.all(Array.from({ length: 12 }, ask));
  const created = answers.filter(({ status }) => status === 201);
  expect(created).toHaveLength(10);
  for (const answer of answers.filter(({ status }) => status !== 201))
    expectRefused(answer, "plan_limit_exceeded", { message: /10 erasures/ });
  await other.client.delete(`${PATH}/${created[0]?.body.data.id}`);
  expect((await ask()).status).toBe(201);
});

test("the selector of an erasure that has ended is stored nowhere", async () => {
  const value = `u_private_${accountId}`;
  const { body } = await client.post(PATH, { actor_id: value, parts: PARTS });
  const rows = () =>
    owner.query("SELECT erasures::text AS row FROM ledger.erasures WHERE id = $1", [body.data.id]);
  const audit = () =>
    owner.query("SELECT metadata FROM ledger.events WHERE target_id = $1", [body.data.id]);
  expect(JSON.stringify(await rows())).toContain(value);
  await client.delete(`${PATH}/${body.data.id}`);
  expect(JSON.stringify([await rows(), await audit()])).not.toContain(value);
});
