// GET /v1/retention: how long the account's events are kept, and what is deleted (docs/lifecycle.md).

import { newClient } from "@annals/testing";
import { expect, inject, test } from "vitest";

const stack = inject("stack");

test("200: without a plan that says a time, events are kept", async () => {
  const { client } = await newClient(stack);
  await client.post("/v1/events", { action: "a.done" });
  const answer = await client.get("/v1/retention");
  expect(answer.status).toBe(200);
  expect(answer.body.data).toEqual({
    days: null,
    limited_by: null,
    plan_days: null,
    min_days: 30,
    account_days: null,
    shorter_from: null,
    through_sequence: 0,
    retained_from: 1,
    hold: null,
    archive: false,
    archive_until: null,
    archived_through: 0,
  });
});

test("200: it names the active hold that begins first", async () => {
  const { client } = await newClient(stack);
  await client.post("/v1/holds", { from_sequence: 9 });
  const first = (await client.post("/v1/holds", { from_sequence: 4 })).body.data.id;
  expect((await client.get("/v1/retention")).body.data.hold).toBe(first);
  await client.delete(`/v1/holds/${first}`);
  expect((await client.get("/v1/retention")).body.data.hold).not.toBe(first);
});
