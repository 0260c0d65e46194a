// GET /v1/webhooks lists the webhooks of the caller's account, newest first, and never a secret
// (interface 4.3).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectLimitShown } from "../refusal.ts";
import { URL_OF_NOBODY } from "./bad-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);

describe("200", () => {
  test("an account without webhooks has an empty list", async () => {
    const { status, body } = await client.get("/v1/webhooks");
    expect([status, body]).toEqual([200, { data: [] }]);
  });

  test("newest first, without secrets, and only the account's own", async () => {
    const made = [];
    for (const events of [["*"], ["event.created"], ["event.verified", "export.completed"]]) {
      const { body } = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events });
      made.unshift(body.data);
    }
    const { client: other } = await newClient(stack);
    await other.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
    const { status, headers, body, text } = await client.get("/v1/webhooks");
    expect(status).toBe(200);
    expectLimitShown(headers);
    expect(body).toEqual({ data: made.map(({ secret: _secret, ...shown }) => shown) });
    expect(Object.keys(body.data[0])).toEqual(["id", "url", "events", "active", "created_at"]);
    expect(text).not.toContain("whsec_");
  });
});
