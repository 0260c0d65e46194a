// GET /v1/events/facets (docs/interface.md). That it counts right, whatever the index is, is in
// services/ledger/src/counts/counts.test.ts.

import { newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/events/facets";

const events = Array.from({ length: 20 }, (_, n) => ({
  action: n % 4 === 0 ? "user.login" : "invoice.read",
  actor: { id: `u_${n % 3}`, type: "user" },
  context: { ip: `203.0.113.${n % 2}`, ms: n % 2 === 0 ? 2.5 : -1 },
  metadata: n % 10 === 0 ? {} : { outcome: ["success", ...(n % 5 === 1 ? ["late"] : [])] },
}));

beforeAll(async () => {
  for (const field of [
    { path: "context.ip", name: "ip", type: "ip" },
    { path: "context.ms", name: "ms", type: "number" },
  ])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await client.post("/v1/search/fields", field);
  await client.post("/v1/events/batch", { events });
});

const counted = { events: 20, from_sequence: 1 };

describe("200", () => {
  test("several fields", async () => {
    const { body, status } = await client.get(
      `${PATH}?field=action&field=outcome&field=field.ip&field=field.ms`,
    );
    expect(status).toBe(200);
    const values = (...given: readonly (readonly [string, number])[]) =>
      given.map(([value, count]) => ({ value, count }));
    const rest = { other: 0, missing: 0, exact: true, counted };
    expect(body).toEqual({
      data: [
        {
          field: "action",
          values: values(["invoice.read", 15], ["user.login", 5]),
          distinct: 2,
          ...rest,
        },
        {
          field: "outcome",
          values: values(["success", 18], ["late", 4]),
          distinct: 2,
          ...rest,
          missing: 2,
        },
        {
          field: "field.ip",
          values: values(["203.0.113.0", 10], ["203.0.113.1", 10]),
          distinct: 2,
          ...rest,
        },
        { field: "field.ms", values: values(["-1", 10], ["2.5", 10]), distinct: 2, ...rest },
      ],
    });
  });

  test("of what the filters select, with a limit", async () => {
    const query =
      "field=actor_id&limit=1&action=invoice.*&field.ip=203.0.113.0/32&not.outcome=late";
    const { body } = await client.get(`${PATH}?${query}`);
    const own = events.filter(
      ({ action, context, metadata }) =>
        action === "invoice.read" &&
        context.ip.endsWith(".0") &&
        !metadata.outcome?.includes("late"),
    );
    const [facet] = body.data;
    expect(facet).toMatchObject({ distinct: 3, exact: true, counted: { events: own.length } });
    expect(facet.values).toHaveLength(1);
    expect(facet.values[0].count + facet.other).toBe(own.length);
  });

  test("values that begin with a text", async () => {
    const { body } = await client.get(`${PATH}?field=action&prefix=user.`);
    const [facet] = body.data;
    expect(facet).toMatchObject({
      values: [{ value: "user.login", count: 5 }],
      missing: 15,
      distinct: 1,
      other: 0,
    });
  });
});

describe("422", () => {
  test.each([
    ["", "field"],
    ["field=context", "field"],
    ["field=field.none", "field"],
    [Array.from({ length: 7 }, () => "field=action").join("&"), "field"],
    ["field=action&limit=0", "limit"],
    ["field=action&limit=51", "limit"],
    ["field=action&field=outcome&prefix=a", "prefix"],
    ["field=field.ip&prefix=203.", "prefix"],
    ["field=action&cursor=a", "cursor"],
    ["field=action&occurred_to=2026-01-01T00:00:00.5Z", "occurred_to"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });
});
