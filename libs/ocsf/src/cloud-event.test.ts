// Guarantee: what an event becomes is a CloudEvent 1.0, whatever its client chose, with the event as data.
// That the intake of the gateway reads it back is in test/api/events/other-formats.test.ts.

import fc from "fast-check";
import { expect, test } from "vitest";
import { toCloudEvent } from "./index.ts";
import { CHECKPOINT, EVENT, eventsOf, KINDS } from "./testing/source-events.ts";

const SOURCE = "https://annals.example.com/accounts/acct_1";

test("an event has each attribute in its place", () => {
  expect(toCloudEvent(EVENT, SOURCE)).toEqual({
    specversion: "1.0",
    id: "evt_1",
    source: SOURCE,
    type: "invoice.update",
    time: EVENT.occurred_at,
    subject: "inv_9",
    targettype: "invoice",
    actorid: "u_1",
    actortype: "user",
    outcome: "success",
    sequence: "0000000000000007",
    datacontenttype: "application/json",
    data: EVENT,
  });
});

test.each(Object.keys(KINDS))("any event like those of %s has attributes of the format", (name) => {
  fc.assert(
    fc.property(eventsOf(name), (event) => {
      const { data, ...attributes } = toCloudEvent(event, SOURCE);
      expect(data).toBe(event);
      for (const [attribute, value] of Object.entries(attributes)) {
        expect(attribute).toMatch(/^[a-z0-9]{1,20}$/);
        // oxlint-disable-next-line no-control-regex -- what an attribute must not have
        expect(value).toMatch(/^[^\0-\x1f\x7f-\x9f\p{Surrogate}\p{Noncharacter_Code_Point}]+$/u);
      }
    }),
  );
});

test("an id with a control character is in the data alone; an action has another character for it", () => {
  const event = { ...EVENT, action: "a\u0007b", actor: { id: "u\n1", type: "user" } };
  const mapped = toCloudEvent(event, SOURCE);
  expect(mapped).toMatchObject({ type: "a\u{fffd}b", actortype: "user", data: event });
  expect(mapped).not.toHaveProperty("actorid");
});

test("checkpoints have an id of their content", () => {
  const idOf = (to: number) => toCloudEvent({ ...CHECKPOINT, metadata: { to } }, SOURCE)["id"];
  expect(idOf(10)).toMatch(/^[0-9a-f]{64}$/);
  expect(idOf(10)).toBe(idOf(10));
  expect(idOf(11)).not.toBe(idOf(10));
});
