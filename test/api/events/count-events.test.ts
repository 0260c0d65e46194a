// GET /v1/events/histogram (docs/interface.md). That it counts right, whatever the index is, is in
// services/ledger/src/counts/counts.test.ts; the bars of time zones are in bar-edges.test.ts of the gateway.

import { newClient } from "@annals/testing";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/events/histogram";
const DAYS = "occurred_from=2026-01-01T00:00:00Z&occurred_to=2026-01-05T00:00:00Z&interval=1d";

const ACTIONS = ["invoice.create", "invoice.read", "user.login"];
const events = Array.from({ length: 30 }, (_, n) => ({
  action: ACTIONS[n % 3],
  actor: { id: `u_${n % 12}`, type: "user" },
  metadata: { outcome: n % 5 === 0 ? ["failure", "late"] : n % 5 === 1 ? "failure" : "success" },
  occurred_at: `2026-01-0${1 + (n % 3)}T23:${10 + n}:00.5Z`,
}));

beforeAll(async () => {
  await client.post("/v1/events/batch", { events });
});

const day = (number: number, hour = "00:00"): string => `2026-01-0${number}T${hour}:00.000000Z`;

describe("200", () => {
  test("bars of days", async () => {
    expect((await client.get(`${PATH}?${DAYS}`)).body).toEqual({
      data: [1, 2, 3].map((number) => ({ time: day(number), value: null, count: 10 })),
      values: [],
      total: 30,
      interval: "1d",
      time_zone: "UTC",
      complete: true,
      counted_from_sequence: 1,
      next_cursor: null,
    });
  });

  test("of what the filters select, in a zone whose days begin earlier", async () => {
    const query = `${DAYS}&action=invoice.*&not.actor_id=u_0&time_zone=Europe/Berlin`;
    const { body } = await client.get(`${PATH}?${query}`);
    const dated = events.filter(
      ({ action, actor }) => action !== "user.login" && actor.id !== "u_0",
    );
    expect(body.total).toBe(dated.length);
    // 23:10 in UTC is on the next day.
    expect(body.data.map(({ time }: { time: string }) => time)).toEqual([
      day(1, "23:00"),
      day(2, "23:00"),
    ]);
  });

  test("by a field: its values, and the rest", async () => {
    const { body } = await client.get(`${PATH}?${DAYS}&by=outcome`);
    expect(body.values).toEqual(["success", "failure", "late"]);
    const of = (value: string | null) =>
      body.data
        .filter((row: { value: string | null }) => row.value === value)
        .reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    // An event with two values counts for each.
    expect([of("success"), of("failure"), of("late"), of(null)]).toEqual([18, 12, 6, 0]);
    expect(body.total).toBe(30);
    const { body: byActor } = await client.get(`${PATH}?${DAYS}&by=actor_id`);
    expect(byActor.values).toHaveLength(10);
    expect(byActor.data.some((row: { value: string | null }) => row.value === null)).toBe(true);
  });

  test("the smallest interval with at most 120 bars, of all events by default", async () => {
    const { body } = await client.get(PATH);
    expect(body).toMatchObject({ interval: "1h", total: 30, complete: true });
    const { body: minutes } = await client.get(
      `${PATH}?occurred_from=2026-01-01T23:00:00Z&occurred_to=2026-01-02T00:00:00Z`,
    );
    expect(minutes).toMatchObject({ interval: "1m", total: 10 });
  });

  test("of no event", async () => {
    const { body } = await client.get(`${PATH}?${DAYS}&action=none&by=action`);
    expect(body).toMatchObject({ data: [], values: [], total: 0, complete: true });
    const { client: other } = await newClient(inject("stack"));
    expect((await other.get(PATH)).body).toMatchObject({ data: [], total: 0, complete: true });
  });

  test("a zone with a plus sign in its name", async () => {
    const { body } = await client.get(`${PATH}?${DAYS}&time_zone=Etc/GMT+5`);
    expect(body).toMatchObject({ time_zone: "Etc/GMT+5", total: 30 });
  });
});

describe("422", () => {
  test.each([
    ["interval=2h", "interval"],
    ["interval=1m&occurred_from=2026-01-01T00:00:00Z&occurred_to=2026-01-03T00:00:00Z", "interval"],
    ["by=context", "by"],
    ["by=field.none", "by"],
    ["time_zone=Mars/Olympus", "time_zone"],
    ["time_zone=%2B05:30", "time_zone"],
    ["occurred_from=2026-01-01T00:00:01Z", "occurred_from"],
    ["occurred_to=2026-01-01T00:00:00.5Z", "occurred_to"],
    ["cursor=abc", "cursor"],
    ["limit=5", "limit"],
    ["field.none=5", "field.none"],
  ])("%s", async (query, field) => {
    expectRefused(await client.get(`${PATH}?${query}`), "validation_error", { field });
  });

  test("a cursor of other parameters", async () => {
    const cursor = Buffer.from("2 5 0123456789abcdef 1d 0 1440").toString("base64url");
    expectRefused(await client.get(`${PATH}?cursor=${cursor}`), "validation_error", {
      field: "cursor",
    });
  });
});
