// POST /v1/webhooks/{id}/deliveries/{delivery_id}/replay queues what a delivery was made for again, as a new
// delivery (docs/interface.md).

import { eventually, newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
let id: string;
let deliveryId: string;

const list = async () => (await client.get(`/v1/webhooks/${id}/deliveries`)).body.data;

beforeAll(async () => {
  const given = { url: URL_OF_NOBODY, events: ["*"] };
  id = (await client.post("/v1/webhooks", given)).body.data.id;
  await client.post("/v1/events", { action: "user.login" });
  await eventually("it was attempted", async () => (await list()).length === 1, 30_000);
  deliveryId = (await list())[0].id;
});

const replay = (by = client, which = id, delivery = deliveryId, body?: unknown) =>
  by.post(`/v1/webhooks/${which}/deliveries/${delivery}/replay`, body);

describe("201", () => {
  test("a new delivery of the same event, which is attempted", async () => {
    const { status, headers, body } = await replay();
    expect(status).toBe(201);
    expectLimitShown(headers);
    expect(body).toEqual({ data: { id: expect.stringMatching(/^wh_del_[0-9a-z]{26}$/) } });
    expect(body.data.id).not.toBe(deliveryId);
    await eventually("it is attempted", async () => (await list()).length === 2, 30_000);
    expect(await list()).toMatchObject([
      { id: body.data.id, event: "event.created" },
      { id: deliveryId },
    ]);
  });
});

describe("404", () => {
  test("for a webhook or a delivery that does not exist", async () => {
    expectRefused(await replay(client, "wh_none"), "not_found");
    for (const none of ["wh_del_none", "x", "%00"]) {
      expectRefused(await replay(client, id, none), "not_found");
    }
  });

  test("for another account's webhook", async () => {
    const { client: other } = await newClient(stack);
    expectRefused(await replay(other), "not_found");
  });

  test("for a delivery of another webhook", async () => {
    const { body } = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
    expectRefused(await replay(client, body.data.id), "not_found");
  });
});

describe("422", () => {
  test("a member", async () => {
    expectRefused(await replay(client, id, deliveryId, { force: true }), "validation_error");
  });

  test("a test delivery has nothing to replay; a disabled webhook", async () => {
    const { body } = await client.post(`/v1/webhooks/${id}/test`);
    await eventually(
      "it is attempted",
      async () => (await list()).some((one: { id: string }) => one.id === body.data.id),
      30_000,
    );
    const refused = await replay(client, id, body.data.id);
    expectRefused(refused, "validation_error", { field: "delivery_id" });
    await client.patch(`/v1/webhooks/${id}`, { active: false });
    expectRefused(await replay(), "validation_error", { field: "active" });
  });
});
