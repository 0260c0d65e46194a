// Guarantee: what an event becomes has only fields, values and combinations of the pinned version of ECS,
// whatever its client chose, and every part of the event under `annals`.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toEcs } from "./index.ts";
import { CHECKPOINT, EVENT, eventsOf, KINDS } from "./testing/source-events.ts";
import { ecsFaults } from "./testing/validate-ecs.ts";

const sent = (event: Parameters<typeof toEcs>[0]) =>
  JSON.parse(JSON.stringify(toEcs(event))) as Record<string, unknown>;

test("an event has each field in its place", () => {
  const { actor, target, context, diff, metadata, hash, previous_hash } = EVENT;
  const { occurred_at } = EVENT;
  expect(toEcs(EVENT)).toEqual({
    "@timestamp": EVENT.occurred_at,
    ecs: { version: "9.4.0" },
    message: "u_1 invoice.update inv_9",
    event: {
      kind: "event",
      category: ["api"],
      type: ["change"],
      module: "annals",
      dataset: "annals.audit",
      action: "invoice.update",
      id: "evt_1",
      sequence: 7,
      outcome: "success",
      created: EVENT.received_at,
      ingested: EVENT.created_at,
    },
    organization: { id: "acct_1" },
    user: { id: "u_1", name: "Ada" },
    source: { ip: "203.0.113.7" },
    user_agent: { original: "curl/8" },
    related: { user: ["u_1"], ip: ["203.0.113.7"] },
    annals: { actor, target, context, diff, metadata, hash, previous_hash, occurred_at },
  });
});

test.each([
  ["user.login", "session", "authentication", ["start"]],
  ["user.logout", "session", "authentication", ["end"]],
  ["user.delete", "user", "iam", ["user", "deletion"]],
  ["team.member.add", "team", "iam", ["group", "creation"]],
  ["file.download", "file", "api", ["access"]],
  ["payment.settled", "payment", "api", ["info"]],
])("%s of a %s is %s", (action, type, category, types) => {
  const { event } = toEcs({ ...EVENT, action, target: { ...EVENT.target, type } });
  expect(event).toMatchObject({ category: [category], type: types });
});

test("a changed user and a group have fields of their own", () => {
  const user = { id: "u_2", type: "user", meta: { name: "Eve" } };
  expect(toEcs({ ...EVENT, action: "user.lock", target: user })).toMatchObject({
    user: { id: "u_1", name: "Ada", target: { id: "u_2", name: "Eve" } },
    related: { user: ["u_1", "u_2"] },
  });
  const group = { id: "g_1", type: "group" };
  expect(toEcs({ ...EVENT, action: "group.create", target: group })).toMatchObject({
    group: { id: "g_1" },
  });
});

test.each(Object.keys(KINDS))("any event like those of %s is valid", (name) => {
  fc.assert(
    fc.property(eventsOf(name), (event) => {
      expect(ecsFaults(sent(event))).toEqual([]);
    }),
  );
});

test("a checkpoint has the fields of its chain, and no time unless it is given one", () => {
  expect(ecsFaults(sent(CHECKPOINT))).toEqual(["@timestamp: required"]);
  const timed = { ...CHECKPOINT, created_at: "2026-01-31T09:30:01.000002Z" };
  expect(ecsFaults(sent(timed))).toEqual([]);
  expect(toEcs(timed)).toMatchObject({ annals: { metadata: { to: 10 } } });
});

describe("control: the validator refuses", () => {
  const { event } = toEcs(EVENT) as { event: object };

  test.each([
    ["an unknown field", { user: { uid: "1" } }, "user.uid: unknown field"],
    ["a missing time", { "@timestamp": undefined }, "@timestamp: required"],
    ["another type", { source: { ip: "here" } }, "source.ip: not of type ip"],
    ["an unknown value", { event: { ...event, category: ["apis"] } }, "event.category: not"],
    ["a type of another category", { event: { ...event, type: ["device"] } }, "not of api"],
    ["a text for an array", { event: { ...event, category: "api" } }, "not an array"],
  ])("%s", (_name, change, fault) => {
    const changed = JSON.parse(JSON.stringify({ ...toEcs(EVENT), ...change })) as object;
    expect(ecsFaults({ ...changed }).join("\n")).toContain(fault);
    expect(ecsFaults(sent(EVENT))).toEqual([]);
  });
});
