// POST /v1/webhooks/{id}/test queues a delivery that is attempted and recorded as any other
// (docs/interface.md). What it sends: services/webhook-dispatcher/src/deliveries/rpc/replays.test.ts.

import { eventually, newClient } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
let id: string;

beforeEach(async () => {
  const given = { url: URL_OF_NOBODY, events: ["event.verified"] };
  id = (await client.post("/v1/webhooks", given)).body.data.id;
});

const send = (body?: unknown, by = client, which = id) =>
  by.post(`/v1/webhooks/${which}/test`, body);

describe("201", () => {
  test("it is attempted", async () => {
    const answer = await send();
    expect(answer.status).toBe(201);
    expectLimitShown(answer.headers);
    const deliveryId = expect.stringMatching(/^wh_del_[0-9a-z]{26}$/);
    expect(answer.body).toEqual({ data: { id: deliveryId } });
    const list = async () => (await client.get(`/v1/webhooks/${id}/deliveries`)).body.data;
    await eventually("it is attempted", async () => (await list()).length === 1, 30_000);
    expect(await list()).toMatchObject([{ id: answer.body.data.id, event: "webhook.test" }]);
  });
});

describe("404", () => {
  test("for an id that does not exist, and for another account's webhook", async () => {
    expectRefused(await send(undefined, client, "wh_none"), "not_found");
    const { client: other } = await newClient(stack);
    expectRefused(await send(undefined, other), "not_found");
  });
});

describe("422", () => {
  test("a disabled webhook", async () => {
    await client.patch(`/v1/webhooks/${id}`, { active: false });
    expectRefused(await send(), "validation_error", { field: "active" });
  });

  test("a body", async () => {
    expectRefused(await send({ event: "event.created" }), "validation_error");
  });
});
