// PATCH /v1/webhooks/{id} changes what is named and nothing else (interface 9.1).

import { newClient } from "@annals/testing";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectLimitShown, expectRefused } from "../refusal.ts";
import {
  BAD_EVENTS,
  BAD_FILTERS,
  BAD_URLS,
  GOOD_FILTERS,
  URL_OF_NOBODY,
} from "../../system/bad-bodies.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
let created: { readonly id: string; readonly secret: string };

beforeEach(async () => {
  const { body } = await client.post("/v1/webhooks", { url: URL_OF_NOBODY, events: ["*"] });
  created = body.data;
});

const update = (body: unknown, by = client, id = created.id) =>
  by.patch(`/v1/webhooks/${id}`, body);

describe("200", () => {
  test.each([
    { url: `${URL_OF_NOBODY}/other` },
    { events: ["event.verified"] },
    { events: ["*", "log.checkpointed"] },
    { active: false },
    { url: `${URL_OF_NOBODY}/other`, events: ["export.completed"], active: false },
    {},
  ])("%j is changed, and the rest stays", async (changes) => {
    const { status, headers, body, text } = await update(changes);
    expect(status).toBe(200);
    expectLimitShown(headers);
    const { secret, ...shown } = created;
    expect(body).toEqual({ data: { ...shown, ...changes } });
    expect(Object.keys(body.data)).toEqual(["id", "url", "events", "active", "created_at"]);
    expect(text).not.toContain(secret);
    expect((await client.get("/v1/webhooks")).body.data).toContainEqual(body.data);
  });

  test.each(GOOD_FILTERS)(
    "the filter %j is set, and stays until it is removed",
    async (filter, shown) => {
      expect((await update({ filter })).body.data.filter).toEqual(shown);
      const { body } = await update({ active: true });
      expect(body.data.filter).toEqual(shown);
      expect((await client.get("/v1/webhooks")).body.data).toContainEqual(body.data);
      expect("filter" in (await update({ filter: null })).body.data).toBe(false);
    },
  );

  test("another filter takes the place of the whole one before, and an empty one removes it", async () => {
    await update({ filter: { action: "a", actor_id: "u_1" } });
    const { body } = await update({ filter: { target_id: "t_1" } });
    expect(body.data.filter).toEqual({ target_id: ["t_1"] });
    expect("filter" in (await update({ filter: {} })).body.data).toBe(false);
  });

  test("off and on again; a repeated name counts once", async () => {
    expect((await update({ active: false })).body.data.active).toBe(false);
    expect((await update({ active: true })).body.data.active).toBe(true);
    const { body } = await update({ events: ["event.created", "event.created"] });
    expect(body.data.events).toEqual(["event.created"]);
  });
});

describe("404", () => {
  test("for an id that does not exist", async () => {
    for (const id of ["wh_none", "x", "%00", "wh_".padEnd(500, "x")]) {
      expectRefused(await update({ active: false }, client, id), "not_found");
    }
  });

  test("for another account's webhook, which stays as it is", async () => {
    const { client: other } = await newClient(stack);
    expectRefused(await update({ active: false }, other), "not_found");
    expect((await client.get("/v1/webhooks")).body.data[0].active).toBe(true);
  });

  test("for a deleted one", async () => {
    await client.delete(`/v1/webhooks/${created.id}`);
    expectRefused(await update({ active: true }), "not_found");
  });
});

describe("422", () => {
  test.each([
    [{ active: null }, "active"],
    [{ secret: "whsec_eA==" }, "secret"],
    [{ id: "wh_1" }, "id"],
    [[], "body"],
  ])("%j names %s", async (body, field) => {
    expectRefused(await update(body), "validation_error", { field });
  });

  test.each(BAD_URLS)("the url %j", async (url) => {
    expectRefused(await update({ url }), "validation_error", { field: "url" });
  });

  test.each(BAD_EVENTS)("the events %j name %s", async (events, field) => {
    expectRefused(await update({ events }), "validation_error", { field });
  });

  test.each(BAD_FILTERS)("the filter %j names %s", async (filter, field) => {
    expectRefused(await update({ filter }), "validation_error", { field });
  });

  test("nothing of it is changed", async () => {
    await update({ url: "https://10.0.0.1/", active: false });
    const { secret: _secret, ...shown } = created;
    expect((await client.get("/v1/webhooks")).body.data[0]).toEqual(shown);
  });
});
