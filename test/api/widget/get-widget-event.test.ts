// GET /v1/widget/events/{id} shows one event that the token may see, with its proof, and says of every other
// that there is none (docs/interface.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { newToken, recomputed } from "../../system/widget-client.ts";

const stack = inject("stack");
const { client } = await newClient(stack);

const EVENT = {
  action: "invoice.update",
  actor: { id: "u_1", type: "user", meta: { email: "ada@example.com" } },
  target: { id: "inv_9", type: "invoice", meta: { number: "9" } },
  context: { ip: "203.0.113.7" },
  diff: { before: { total: 1 }, after: { total: 2 } },
  metadata: { request: "r-77" },
};
const stored = (await client.post("/v1/events", EVENT)).body.data;
const bare = (await client.post("/v1/events", { ...EVENT, actor: { id: "u_1" }, target: {} })).body
  .data;

describe("200", () => {
  test("with all parts it is the event as its creator got it, and its proof", async () => {
    const parts = ["actor.meta", "target.meta", "context", "diff", "metadata"];
    const { widget } = await newToken(client, { parts });
    const own = await client.get(`/v1/events/${stored.id}?include=proof`);
    const { status, text, body } = await widget.get(`/v1/widget/events/${stored.id}`);
    expect(status).toBe(200);
    expect(text).toBe(own.text);
    expect(recomputed(body.data, body.proof)).toHaveLength(5);
    expect((await widget.get(`/v1/widget/events/${stored.id}?include=proof`)).text).toBe(own.text);
  });

  test("by default without meta and the free-form parts, their salts included; the hash still holds", async () => {
    const { widget } = await newToken(client);
    const { body, text } = await widget.get(`/v1/widget/events/${stored.id}`);
    const { context: _, diff: __, metadata: ___, ...shown } = stored;
    expect(body.data).toEqual({
      ...shown,
      actor: { id: "u_1", type: "user" },
      target: { id: "inv_9", type: "invoice" },
    });
    expect(recomputed(body.data, body.proof)).toEqual([]);
    expect(body.proof.salts).toEqual({});
    expect(Object.keys(body.proof.digests)).toHaveLength(5);
    for (const secret of ["ada@", '"9"', "203.0", "total", "r-77"])
      expect(text).not.toContain(secret);
    const { body: own } = await client.get(`/v1/events/${stored.id}?include=proof`);
    for (const salt of Object.values<string>(own.proof.salts)) expect(text).not.toContain(salt);
  });

  test("an actor or a target without meta has nothing hidden, and is verified", async () => {
    const { widget } = await newToken(client);
    const { body } = await widget.get(`/v1/widget/events/${bare.id}`);
    expect(body.data).toMatchObject({ actor: { id: "u_1" }, target: {} });
    expect(recomputed(body.data, body.proof)).toEqual(["actor", "target"]);
  });

  test.each([
    ["actor.meta", "actor", ["actor"]],
    ["target.meta", "target", ["target"]],
    ["context", "context", ["context"]],
    ["diff", "diff", ["diff"]],
    ["metadata", "metadata", ["metadata"]],
  ])("with %s alone, nothing else is shown", async (part, member, verified) => {
    const { widget } = await newToken(client, { parts: [part] });
    const { body } = await widget.get(`/v1/widget/events/${stored.id}`);
    expect(body.data[member]).toEqual(stored[member]);
    expect(recomputed(body.data, body.proof)).toEqual(verified);
    const shown = ["context", "diff", "metadata"].filter((name) => name in body.data);
    expect(shown).toEqual(member === part ? [part] : []);
  });
});

describe("404", () => {
  test("an event that the filter leaves out, by each of its members", async () => {
    const outside: readonly object[] = [
      { action: "invoice.create" },
      { action: "user.*" },
      { actor_id: "u_2" },
      { actor_type: "service" },
      { target_id: "inv_8" },
      { target_type: "user" },
      { occurred_from: "2100-01-01T00:00:00Z" },
      { occurred_to: "2000-01-01T00:00:00Z" },
      { after_sequence: stored.sequence_number },
      { before_sequence: stored.sequence_number },
    ];
    for (const filter of outside) {
      const { widget } = await newToken(client, { filter });
      expectRefused(await widget.get(`/v1/widget/events/${stored.id}`), "not_found");
    }
  });

  test("an event of another account, one that is not there, and text that is no id", async () => {
    const { client: other } = await newClient(stack);
    const { widget } = await newToken(other);
    for (const id of [stored.id, "evt_0000000000001zttz581y73f7x", "evt_1", "none"])
      expectRefused(await widget.get(`/v1/widget/events/${id}`), "not_found");
  });
});

test("422: a parameter that is not there", async () => {
  const { widget } = await newToken(client);
  const answer = await widget.get(`/v1/widget/events/${stored.id}?parts=diff`);
  expectRefused(answer, "validation_error", { field: "parts" });
});
