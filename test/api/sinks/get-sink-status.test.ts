// GET /v1/sinks/{id}/status says whether a sink is sent events, how far it is behind, and what was lost
// (docs/interface.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { SINK } from "./sink-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
afterAll(() => owner.close());

const { id } = (await client.post("/v1/sinks", { ...SINK, active: false })).body.data;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

async function status() {
  const answer = await client.get(`/v1/sinks/${id}/status`);
  expect(answer.status, answer.text).toBe(200);
  expectLimitShown(answer.headers);
  return answer.body.data;
}

test("200: a new sink without events", async () => {
  expect(await status()).toEqual({
    status: "paused",
    cursor: 0,
    head: 0,
    lag_events: 0,
    lag_seconds: 0,
    last_error: null,
    last_delivered_at: null,
    next_attempt_at: null,
    lost: [],
    rejected: null,
  });
});

test("200: one that fails and is behind", async () => {
  await client.post("/v1/events/batch", { events: [{ action: "a" }, { action: "b" }] });
  // Far ahead, so that no attempt changes it.
  await owner.query(
    `UPDATE webhooks.sinks SET active = true, attempts = 3, last_error = 'The receiver answered 503.',
     last_delivered_at = now(), due_at = now() + interval '1 day',
     lost = '[{"from":1,"to":2,"reason":"retention"},{"from":3,"to":3,"reason":"rejected"}]',
     refusals = '{"rejected":{"sequence_number":4,"id":"evt_4","status":400,"reason":"no"}}' WHERE id = $1`,
    [id],
  );
  const shown = await status();
  expect(shown).toMatchObject({
    status: "failing",
    cursor: 0,
    head: 2,
    lag_events: 2,
    last_error: "The receiver answered 503.",
    last_delivered_at: expect.stringMatching(TIME),
    next_attempt_at: expect.stringMatching(TIME),
    lost: [
      { from_sequence_number: 1, to_sequence_number: 2, reason: "retention" },
      { from_sequence_number: 3, to_sequence_number: 3, reason: "rejected" },
    ],
    rejected: { sequence_number: 4, id: "evt_4", status: 400, reason: "no" },
  });
  expect(shown.lag_seconds).toBeGreaterThan(0);
  expect(shown.lag_seconds).toBeLessThan(600);
  expect((await client.get(`/v1/sinks/${id}`)).body.data.status).toBe("failing");
});

test("404: for an unknown one, and another account's", async () => {
  const { client: other } = await newClient(stack);
  expectRefused(await other.get(`/v1/sinks/${id}/status`), "not_found");
  for (const one of ["sink_none", "x", "%00"])
    expectRefused(await client.get(`/v1/sinks/${one}/status`), "not_found");
});
