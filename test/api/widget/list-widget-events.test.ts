// GET /v1/widget/events lists what the token may see, as GET /v1/events does (docs/interface.md). What its
// parts hide stays hidden, and each event still verifies. It takes a widget token that is valid, and nothing
// else.

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { newToken, recomputed } from "../../system/widget-client.ts";

const stack = inject("stack");
const { client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
const PATH = "/v1/widget/events";
afterAll(() => owner.close());

const events = Array.from({ length: 100 }, (_, n) => ({
  action: "a",
  actor: { id: "u_1", meta: { n } },
  target: { id: "t_1" },
  metadata: { n },
}));
const [first] = (await client.post("/v1/events/batch", { events })).body.data;

describe("200", () => {
  test("the same as GET /v1/events with proofs, where the token shows everything", async () => {
    const parts = ["actor.meta", "target.meta", "context", "diff", "metadata"];
    const { widget } = await newToken(client, { parts });
    const own = await client.get("/v1/events?include=proof&limit=100");
    expect((await widget.get(`${PATH}?limit=100`)).body).toEqual(own.body);
  });

  test("hidden parts are absent from each event and from its salts, and each event verifies", async () => {
    const { widget } = await newToken(client, { parts: ["metadata"] });
    const { body } = await widget.get(`${PATH}?limit=100`);
    expect(body.data).toHaveLength(100);
    for (const [at, event] of body.data.entries()) {
      expect(event.actor).not.toHaveProperty("meta");
      expect(event).not.toHaveProperty("context");
      expect(event).not.toHaveProperty("diff");
      // Every actor has a meta, no target has one.
      expect(recomputed(event, body.proofs[at])).toEqual(["metadata", "target"]);
    }
  });

  test("its own window of 120 a minute, and nothing of another account", async () => {
    const other = await newClient(stack);
    const { widget } = await newToken(other.client);
    const { status, body, headers } = await widget.get(PATH);
    expect(status).toBe(200);
    expect(body).toEqual({ data: [], proofs: [], has_more: false, next_cursor: null });
    expect(headers).toMatchObject({ "x-ratelimit-limit": "120", "x-ratelimit-remaining": "119" });
  });
});

describe("403", () => {
  test("a filter by a part that the token hides, which would tell it", async () => {
    const { widget } = await newToken(client, { parts: ["context"] });
    const { widget: open } = await newToken(client, { parts: ["metadata"] });
    for (const query of ["outcome=failure", "not.outcome=failure"]) {
      const refused = await widget.get(`${PATH}?${query}`);
      expectRefused(refused, "scope_error", { message: /does not show metadata/ });
      expect((await open.get(`${PATH}?${query}`)).status).toBe(200);
    }
  });
});

describe("401", () => {
  test("a token that has expired, to the second", async () => {
    const { id, widget } = await newToken(client, { expires_in: 60 });
    const pass = (seconds: number) =>
      owner.query(
        `UPDATE keys.widget_tokens SET expires_at = to_char(expires_at::timestamptz AT TIME ZONE 'UTC'
           - make_interval(secs => $2), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') WHERE id = $1`,
        [id, seconds],
      );
    await pass(50);
    expect((await widget.get(PATH)).status).toBe(200);
    await pass(10);
    const refused = await widget.get(PATH);
    expectRefused(refused, "authentication_error", { message: /it has expired/ });
    expect(refused.headers["x-ratelimit-limit"]).toBe("120");
  });

  test("a token whose API key was revoked", async () => {
    const made = await client.post("/v1/api-keys", { name: "minter", scopes: ["events:read"] });
    const { widget } = await newToken(client.as(made.body.data.key));
    expect((await widget.get(PATH)).status).toBe(200);
    await client.delete(`/v1/api-keys/${made.body.data.id}`);
    expectRefused(await widget.get(PATH), "authentication_error");
  });

  test("an API key on every widget route, however its path is written", async () => {
    for (const path of [
      PATH,
      `${PATH}/${first.id}`,
      "/v1/widget/filters",
      "/v1/%77idget/events",
      "/v1/widget/none",
    ])
      expectRefused(await client.get(path), "authentication_error");
  });

  test("a widget token on any other route", async () => {
    const { id, widget } = await newToken(client);
    for (const path of [
      "/v1/events",
      `/v1/events/${first.id}`,
      "/v1/verify",
      "/v1/widget-tokens",
      "/v1/none",
    ])
      expectRefused(await widget.get(path), "authentication_error");
    expectRefused(await widget.post("/v1/widget-tokens", {}), "authentication_error");
    expectRefused(await widget.post("/v1/events", { action: "a" }), "authentication_error");
    expectRefused(await widget.delete(`/v1/widget-tokens/${id}`), "authentication_error");
  });

  test("neither counts against the other's window", async () => {
    const { widget } = await newToken(client);
    expectRefused(await widget.get("/v1/events"), "authentication_error");
    expect((await widget.get(PATH)).headers["x-ratelimit-remaining"]).toBe("119");
  });
});

test("404: a path below /v1/widget that is not there", async () => {
  const { widget } = await newToken(client);
  expectRefused(await widget.get("/v1/widget/none"), "not_found");
});

describe("422", () => {
  test.each([
    ["limit=101", "limit"],
    ["order=up", "order"],
    ["cursor=x", "cursor"],
    ["filter=a", "filter"],
    ["parts=diff", "parts"],
    ["occurred_from=2026", "occurred_from"],
  ])("%s", async (query, field) => {
    const { widget } = await newToken(client);
    expectRefused(await widget.get(`${PATH}?${query}`), "validation_error", { field });
  });

  test("a cursor of a list with other filters", async () => {
    const { widget } = await newToken(client);
    const { body } = await widget.get(`${PATH}?limit=1`);
    const answer = await widget.get(`${PATH}?action=a&cursor=${body.next_cursor}`);
    expectRefused(answer, "validation_error", { field: "cursor" });
  });
});
