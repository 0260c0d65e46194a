// POST /v1/webhooks/{id}/rotate-secret gives a webhook a new signing secret and shows it once
// (docs/interface.md). How deliveries are signed meanwhile: test/flows/webhooks-receiver.test.ts and
// services/webhook-dispatcher/src/webhooks/rpc/rotate-secret.test.ts.

import { newClient } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import { URL_OF_NOBODY } from "../../system/bad-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
let created: { readonly id: string; readonly secret: string };

beforeEach(async () => {
  const given = { url: URL_OF_NOBODY, events: ["*"] };
  created = (await client.post("/v1/webhooks", given)).body.data;
});

const rotate = (body: unknown = {}, by = client, id = created.id) =>
  by.post(`/v1/webhooks/${id}/rotate-secret`, body);

describe("200", () => {
  test("a new secret, and until when the old one is valid", async () => {
    const before = Date.now();
    const { status, headers, body } = await rotate({ grace_seconds: 3_600 });
    expect(status).toBe(200);
    expectLimitShown(headers);
    const { secret, ...shown } = created;
    expect(body.data).toEqual({
      ...shown,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      previous_secret_expires_at: expect.stringMatching(/\.\d{6}Z$/),
    });
    expect(body.data.secret).not.toBe(secret);
    const validS = (Date.parse(body.data.previous_secret_expires_at) - before) / 1_000;
    expect(validS).toBeGreaterThan(3_590);
    expect(validS).toBeLessThan(3_700);
    expect((await client.get("/v1/webhooks")).text).not.toContain("whsec_");
  });

  test("a day by default; with 0 seconds the old one is no longer valid", async () => {
    const { body } = await rotate();
    const validS = (Date.parse(body.data.previous_secret_expires_at) - Date.now()) / 1_000;
    expect(Math.round(validS / 3_600)).toBe(24);
    const again = await rotate({ grace_seconds: 0 });
    expect(again.body.data.previous_secret_expires_at).toBeNull();
  });
});

describe("404", () => {
  test("for an id that does not exist, and for another account's webhook", async () => {
    expectRefused(await rotate({}, client, "wh_none"), "not_found");
    const { client: other } = await newClient(stack);
    expectRefused(await rotate({}, other), "not_found");
  });
});

describe("422", () => {
  test.each([
    [{ grace_seconds: -1 }, "grace_seconds"],
    [{ grace_seconds: 604_801 }, "grace_seconds"],
    [{ grace_seconds: 1.5 }, "grace_seconds"],
    [{ grace_seconds: "60" }, "grace_seconds"],
    [{ secret: "whsec_eA==" }, "secret"],
    [[], "body"],
  ])("%j names %s", async (body, field) => {
    expectRefused(await rotate(body), "validation_error", { field });
  });
});
