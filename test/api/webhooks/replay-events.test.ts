// POST /v1/webhooks/{id}/replay queues the events of a range again, as new deliveries (docs/interface.md).

import { eventually, markDelivered, newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";

const COUNT = 120;

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
let id: string;

beforeAll(async () => {
  const events = Array.from({ length: COUNT }, () => ({ action: "user.login" }));
  await client.post("/v1/events/batch", { events });
  const given = { url: URL_OF_NOBODY, events: ["*"] };
  id = (await client.post("/v1/webhooks", given)).body.data.id;
  await markDelivered(stack.databaseUrl, accountId);
});

const replay = (from: unknown, to: unknown, by = client, which = id) =>
  by.post(`/v1/webhooks/${which}/replay`, { from_sequence_number: from, to_sequence_number: to });

describe("201", () => {
  test("each event of the range is delivered, also those from before the webhook", async () => {
    const { status, headers, body } = await replay(3, COUNT);
    expect(status).toBe(201);
    expectLimitShown(headers);
    expect(body).toEqual({ data: { deliveries: COUNT - 2 } });
    const more = async () =>
      (await client.get(`/v1/webhooks/${id}/deliveries?limit=100`)).body.has_more;
    await eventually("more than a page is attempted", more, 60_000);
  });
});

describe("404", () => {
  test("for an id that does not exist, and for another account's webhook", async () => {
    expectRefused(await replay(1, 1, client, "wh_none"), "not_found");
    const { client: other } = await newClient(stack);
    await other.post("/v1/events", { action: "user.login" });
    expectRefused(await replay(1, 1, other), "not_found");
  });
});

describe("422", () => {
  test.each([
    [undefined, 1, "from_sequence_number"],
    [1, undefined, "to_sequence_number"],
    [0, 1, "from_sequence_number"],
    [1.5, 2, "from_sequence_number"],
    ["1", 2, "from_sequence_number"],
    [2, 1, "to_sequence_number"],
    [1, 1_001, "to_sequence_number"],
    [1, COUNT + 1, "to_sequence_number"],
    [COUNT + 1, COUNT + 1, "to_sequence_number"],
  ])("from %j to %j names %s", async (from, to, field) => {
    expectRefused(await replay(from, to), "validation_error", { field });
  });

  test("a webhook that has taken no delivery yet", async () => {
    const given = { url: URL_OF_NOBODY, events: ["*"] };
    const { body } = await client.post("/v1/webhooks", given);
    const refused = await replay(1, 1, client, body.data.id);
    expectRefused(refused, "validation_error", { field: "id" });
    expect(refused.body.error.message).toContain(`POST /v1/webhooks/${body.data.id}/test`);
  });

  test("a disabled webhook", async () => {
    const given = { url: URL_OF_NOBODY, events: ["*"], active: false };
    const { body } = await client.post("/v1/webhooks", given);
    const refused = await replay(1, 1, client, body.data.id);
    expectRefused(refused, "validation_error", { field: "active" });
  });
});
