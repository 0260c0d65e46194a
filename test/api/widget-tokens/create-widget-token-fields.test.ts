// POST /v1/widget-tokens by outcome, by declared fields, and without what a filter leaves out
// (docs/search-fields.md). No widget route shows an event outside of that, and a field that is deleted
// changes nothing of it.

import { newClient } from "@annals/testing";
import { beforeAll, expect, inject, test } from "vitest";
import { newToken } from "../../system/widget-client.ts";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const events = [
  { action: "a", context: { tenant: "t1" }, metadata: { outcome: "failure" } },
  { action: "b", context: { tenant: "t2" }, metadata: { outcome: "success" } },
  { action: "c", context: { tenant: ["t1", "t2"] } },
];
const FIELD = { path: "context.tenant", name: "tenant", type: "string" };

let ids: string[];
beforeAll(async () => {
  await client.post("/v1/search/fields", FIELD);
  const { body } = await client.post("/v1/events/batch", { events });
  ids = body.data.map((event: { readonly id: string }) => event.id);
});

test.each([
  [{ fields: { tenant: "t1" } }, [1, 3]],
  [{ outcome: "failure" }, [1]],
  [{ not: { fields: { tenant: "t2" } } }, [1]],
  [{ fields: { tenant: "t2" }, not: { outcome: "success" } }, [3]],
])("%j", async (filter, seen) => {
  const { widget } = await newToken(client, { filter });
  const list = await widget.get("/v1/widget/events?order=asc");
  expect(list.body.data.map((event: { sequence_number: number }) => event.sequence_number)).toEqual(
    seen,
  );
  const statuses = await Promise.all(
    ids.map(async (id) => (await widget.get(`/v1/widget/events/${id}`)).status),
  );
  expect(statuses).toEqual([1, 2, 3].map((number) => (seen.includes(number) ? 200 : 404)));
  const { body } = await widget.get("/v1/widget/filters");
  expect(body.data.actions).toEqual(seen.map((number) => events[number - 1]?.action));
});

test("a request narrows it: both select an event that has the values of both", async () => {
  const filter = { fields: { tenant: "t1" } };
  const { widget } = await newToken(client, { filter, parts: ["context"] });
  const { body } = await widget.get("/v1/widget/events?field.tenant=t2");
  expect(body.data.map((event: { action: string }) => event.action)).toEqual(["c"]);
});

test.each(["field.tenant=t2", "not.field.tenant=t2", "outcome=success", "not.outcome=*"])(
  "a request cannot learn by %s what the token hides, although the token itself filters by it",
  async (query) => {
    const filter = { fields: { tenant: "t1" }, not: { outcome: "none" } };
    const { widget } = await newToken(client, { filter, parts: ["diff"] });
    expectRefused(await widget.get(`/v1/widget/events?${query}`), "scope_error");
  },
);

test("a field that is deleted and one of its name that is declared anew change nothing of it", async () => {
  const { body } = await client.post("/v1/search/fields", { ...FIELD, name: "mine" });
  const { widget } = await newToken(client, { filter: { fields: { mine: "t1" } } });
  const seen = async () =>
    (await widget.get("/v1/widget/events")).body.data.map((event: { id: string }) => event.id);
  const before = await seen();
  expect(before).toHaveLength(2);
  await client.delete(`/v1/search/fields/${body.data.id}`);
  expect(await seen()).toEqual(before);
  await client.post("/v1/search/fields", { path: "metadata.none", name: "mine", type: "string" });
  expect(await seen()).toEqual(before);
});
