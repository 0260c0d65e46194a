// GET /v1/events by the time of receipt, and with several values of a filter: up to its bounds, and not
// beyond them, with an error that names the value (docs/interface.md). What they select is in
// list-events.test.ts.

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));

const list = (query: Readonly<Record<string, string | readonly string[]>>) => {
  const texts = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] satisfies [string, string]),
  );
  return client.get(`/v1/events?${new URLSearchParams(texts).toString()}`);
};

const numbersOf = (body: { data: { sequence_number: number }[] }) =>
  body.data.map((event) => event.sequence_number);

const repeated = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}=${n}`).join("&");

describe("200", () => {
  test("by the time of receipt, from a time on and before it", async () => {
    for (const action of ["a", "b", "c"]) await client.post("/v1/events", { action });
    const all = (await list({ order: "asc" })).body.data;
    const at = all.map((event: { received_at: string }) => event.received_at);
    const found = async (query: Parameters<typeof list>[0]) => numbersOf((await list(query)).body);
    expect(await found({ received_from: at[1] })).toEqual([3, 2]);
    expect(await found({ received_to: at[1] })).toEqual([1]);
    expect(await found({ received_from: at[1], received_to: at[2] })).toEqual([2]);
    expect(await found({ received_from: at[1], received_to: at[1] })).toEqual([]);
    expect(await found({ received_from: at[0], action: ["a", "c"] })).toEqual([3, 1]);
    expect(await found({ received_to: "2020-01-01T00:00:00Z" })).toEqual([]);
  });

  test("by outcome, and without what is left out", async () => {
    const { client: other } = await newClient(inject("stack"));
    const events = [
      { action: "user.view", metadata: { outcome: "success" } },
      { action: "user.login", actor: { id: "u_1" }, metadata: { outcome: "failure" } },
      { action: "user.login", actor: { id: "u_2" }, metadata: { outcome: ["denied", "failure"] } },
      { action: "job.run", target: { type: "job" }, metadata: { in: { outcome: "failure" } } },
      { action: "job.end", metadata: { outcome: true } },
    ];
    await other.post("/v1/events/batch", { events });
    const found = async (query: string) =>
      numbersOf((await other.get(`/v1/events?order=asc&${query}`)).body);
    expect(await found("outcome=failure")).toEqual([2, 3]);
    expect(await found("outcome=denied&outcome=true")).toEqual([3, 5]);
    expect(await found("outcome=failure&not.actor_id=u_1")).toEqual([3]);
    expect(await found("not.outcome=failure")).toEqual([1, 4, 5]);
    expect(await found("not.action=user.*&not.outcome=true")).toEqual([4]);
    expect(await found("not.action=user.view&not.action=job.run")).toEqual([2, 3, 5]);
    expect(await found("not.target_type=job&not.actor_id=u_2")).toEqual([1, 2, 5]);
    expect(await found("action=user.*&not.action=user.login")).toEqual([1]);
    const { body: first } = await other.get("/v1/events?limit=1&not.outcome=failure");
    const next = `limit=1&cursor=${first.next_cursor}`;
    expect(numbersOf((await other.get(`/v1/events?${next}&not.outcome=failure`)).body)).toEqual([
      4,
    ]);
    expectRefused(await other.get(`/v1/events?${next}`), "validation_error", { field: "cursor" });
  });

  test("20 values in all", async () => {
    const query = `${repeated("action", 10)}&${repeated("actor_id", 9)}&target_type=a`;
    expect((await client.get(`/v1/events?${query}`)).status).toBe(200);
  });
});

describe("422", () => {
  test.each([
    ["action=a&action=", "action[1]", "must have at least 1 character"],
    [`actor_id=a&actor_id=${"x".repeat(257)}`, "actor_id[1]", "must have at most 256 characters"],
    ["target_id=a&target_id=b%00", "target_id[1]", "must not contain the character U+0000"],
    ["actor_id=b%00", "actor_id", "must not contain the character U+0000"],
    ["not.actor_id=b%00", "not.actor_id", "must not contain the character U+0000"],
    [repeated("not.outcome", 11), "not.outcome", "must have at most 10 items"],
    ["not.order=asc", "not.order", "is not a parameter of this request"],
    [
      `${repeated("outcome", 10)}&${repeated("not.action", 10)}&not.outcome=a`,
      "not.outcome",
      "makes more than 20 values in all filters",
    ],
    ...["action", "actor_id", "actor_type", "target_id", "target_type"].map((name) => [
      repeated(name, 11),
      name,
      "must have at most 10 items",
    ]),
    [
      `target_type=a&${repeated("action", 10)}&${repeated("actor_id", 10)}`,
      "target_type",
      "makes more than 20 values in all filters",
    ],
  ])("%s: %s %s", async (query, field, message) => {
    const answer = await client.get(`/v1/events?${query}`);
    expectRefused(answer, "validation_error", { field, message: `${field}: ${message}` });
  });
});
