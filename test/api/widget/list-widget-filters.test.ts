// GET /v1/widget/filters names what a reader can choose from: the actions and types of what the token may
// see, and of nothing else, and says when it left something out (docs/interface.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { newToken } from "../../system/widget-client.ts";

const stack = inject("stack");
const BATCH = 1_000;
const MAX_EVENTS = 3_000;
const MAX_VALUES = 200;

async function filtersOf(client: Awaited<ReturnType<typeof newClient>>["client"], filter?: object) {
  const { widget } = await newToken(client, { ...(filter && { filter }) });
  const { status, body } = await widget.get("/v1/widget/filters");
  expect(status).toBe(200);
  return body.data;
}

const NOTHING = { actions: [], actor_types: [], target_types: [], truncated: false };

describe("200", () => {
  test("each value once, in order, within the filter of the token", async () => {
    const { client } = await newClient(stack);
    expect(await filtersOf(client)).toEqual(NOTHING);
    const events = [
      { action: "b.two", actor: { type: "user", id: "u_1" }, target: { type: "invoice" } },
      { action: "a.one", actor: { type: "service", id: "s_1" } },
      { action: "b.two", actor: { type: "user", id: "u_2" }, target: { type: "Invoice" } },
      { action: "é", actor: { id: "u_1" }, target: { type: "🦉" } },
      { action: "Z" },
    ];
    await client.post("/v1/events/batch", { events });
    expect(await filtersOf(client)).toEqual({
      actions: ["Z", "a.one", "b.two", "é"],
      actor_types: ["service", "user"],
      target_types: ["Invoice", "invoice", "🦉"],
      truncated: false,
    });
    expect(await filtersOf(client, { actor_id: "u_1" })).toEqual({
      actions: ["b.two", "é"],
      actor_types: ["user"],
      target_types: ["invoice", "🦉"],
      truncated: false,
    });
    expect(await filtersOf(client, { action: "a.*" })).toMatchObject({ actions: ["a.one"] });
    expect(await filtersOf(client, { after_sequence: 4 })).toMatchObject({ actions: ["Z"] });
    expect(await filtersOf(client, { action: "none" })).toEqual(NOTHING);
    expect(await filtersOf((await newClient(stack)).client)).toEqual(NOTHING);
  });

  test("200 values of a kind are all there; of 201 one is left out, and it says so", async () => {
    const { client } = await newClient(stack);
    const events = Array.from({ length: MAX_VALUES }, (_, n) => ({ action: `a.${n}` }));
    await client.post("/v1/events/batch", { events });
    const full = await filtersOf(client);
    expect(full.actions).toHaveLength(MAX_VALUES);
    expect(full.truncated).toBe(false);
    await client.post("/v1/events", { action: "newest" });
    const more = await filtersOf(client);
    expect(more.actions).toHaveLength(MAX_VALUES);
    expect(more.actions).toContain("newest");
    expect(more.truncated).toBe(true);
  });

  test("the newest 3,000 events are read, and it says so where there are more", async () => {
    const { client, key } = await newClient(stack);
    // Not by the client, which checks each event of the answer.
    const batch = async (action: string, length: number) => {
      const { status } = await fetch(`${stack.baseUrl}/v1/events/batch`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ events: Array.from({ length }, () => ({ action })) }),
      });
      expect(status).toBe(201);
    };
    await batch("oldest", 1);
    await batch("old", BATCH - 1);
    for (let stored = BATCH; stored < MAX_EVENTS; stored += BATCH) await batch("new", BATCH);
    expect(await filtersOf(client)).toMatchObject({
      actions: ["new", "old", "oldest"],
      truncated: false,
    });
    await batch("new", 1);
    expect(await filtersOf(client)).toMatchObject({ actions: ["new", "old"], truncated: true });
    // The filter index, or the events behind it, say where the rare one is.
    expect(await filtersOf(client, { action: "oldest" })).toMatchObject({ actions: ["oldest"] });
  });
});
