// POST /v1/webhooks makes a webhook and shows its signing secret once (interface 9.1).

import { EVENT_NAMES } from "@annals/contract";
import { newClient, ownerOf } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { storeWebhooks } from "../../system/many.ts";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import {
  BAD_EVENTS,
  BAD_FILTERS,
  BAD_URLS,
  GOOD_FILTERS,
  URL_OF_NOBODY,
} from "../../system/bad-bodies.ts";

const stack = inject("stack");
const { databaseUrl } = stack;
const { accountId, client } = await newClient(stack);

const create = (given: object = {}) =>
  client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"], ...given });

describe("201", () => {
  test("answers with the webhook and its secret", async () => {
    const { status, headers, body } = await create();
    expect(status).toBe(201);
    expectLimitShown(headers);
    expect(Object.keys(body)).toEqual(["data"]);
    expect(Object.keys(body.data)).toEqual([
      "id",
      "url",
      "events",
      "active",
      "secret",
      "created_at",
    ]);
    expect(body.data).toMatchObject({ url: URL_OF_NOBODY, events: ["*"], active: true });
    expect(body.data.id).toMatch(/^wh_[0-9a-z]{26}$/);
    expect(body.data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(body.data.secret) ?? [];
    expect(Buffer.from(base64, "base64").length).toBe(32);
  });

  test("active may be false, names may be several, a repeated one counts once", async () => {
    const events = [...EVENT_NAMES, "event.created"];
    const { body } = await create({ active: false, events });
    expect(body.data).toMatchObject({ active: false, events: EVENT_NAMES });
  });

  test("a URL comes back as it was given, up to 2,048 characters", async () => {
    for (const url of [
      "https://EXAMPLE.invalid:8443/A?b=c#d",
      `${URL_OF_NOBODY}/`.padEnd(2_048, "a"),
    ]) {
      expect((await create({ url })).body.data.url).toBe(url);
    }
  });

  test.each(GOOD_FILTERS)("the filter %j is shown, with each value once", async (filter, shown) => {
    const { status, body } = await create({ filter });
    expect([status, body.data?.filter]).toEqual([201, shown]);
    const { secret: _secret, ...rest } = body.data;
    expect((await client.get("/v1/webhooks?limit=1")).body.data).toEqual([rest]);
  });

  test.each([null, {}])("the filter %j selects all events, and is not shown", async (filter) => {
    const { status, body } = await create({ filter });
    expect([status, "filter" in body.data]).toEqual([201, false]);
  });

  test("secrets and ids never repeat, and the secret is nowhere in the database", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => create()));
    const secrets = made.map(({ body }) => body.data.secret);
    expect(new Set(secrets).size).toBe(20);
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(20);
    const owner = ownerOf(databaseUrl);
    const rows = await owner.query<{ whole: string }>(
      "SELECT webhooks::text || encode(secret_sealed, 'escape') AS whole FROM webhooks.webhooks WHERE account_id = $1",
      [accountId],
    );
    await owner.close();
    const stored = rows.map(({ whole }) => whole).join("\n");
    for (const secret of secrets) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(secret.slice("whsec_".length));
    }
  });
});

test("403: without a plan an account has 1,000 webhooks at most", async () => {
  const full = await newClient(stack);
  await storeWebhooks(full.accountId, 999);
  const post = () => full.client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
  const last = await post();
  expect(last.status).toBe(201);
  expectRefused(await post(), "plan_limit_exceeded", {
    message: "The plan of this account allows 1000 webhooks.",
  });
  expect((await full.client.delete(`/v1/webhooks/${last.body.data.id}`)).status).toBe(204);
  expect((await post()).status).toBe(201);
});

describe("422", () => {
  test.each([
    [{ events: ["*"] }, "url"],
    [{ url: URL_OF_NOBODY }, "events"],
    [{ url: URL_OF_NOBODY, events: ["*"], active: "yes" }, "active"],
    [{ url: URL_OF_NOBODY, events: ["*"], secret: "whsec_eA==" }, "secret"],
    [{ url: URL_OF_NOBODY, events: ["*"], id: "wh_1" }, "id"],
    [[], "body"],
  ])("%j names %s", async (body, field) => {
    expectRefused(await client.post("/v1/webhooks", body), "validation_error", { field });
  });

  test.each(BAD_URLS)("the url %j", async (url) => {
    expectRefused(await create({ url }), "validation_error", { field: "url" });
  });

  test.each(BAD_EVENTS)("the events %j name %s", async (events, field) => {
    expectRefused(await create({ events }), "validation_error", { field });
  });

  test.each(BAD_FILTERS)("the filter %j names %s", async (filter, field) => {
    expectRefused(await create({ filter }), "validation_error", { field });
  });

  test("nothing of it is stored", async () => {
    const before = (await client.get("/v1/webhooks")).body.data.length;
    await create({ url: "https://10.0.0.1/" });
    await create({ events: [] });
    expect((await client.get("/v1/webhooks")).body.data.length).toBe(before);
  });
});
