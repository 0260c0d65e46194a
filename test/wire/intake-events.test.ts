// Guarantee: whatever a mapping of intake accepts, however odd, is an event that the ledger accepts: nothing
// that a sender chooses makes the ledger refuse an action.

import type { JsonValue } from "@annals/event";
import { atOnce } from "@annals/contract";
import { type IntakeItem, Rejection } from "@annals/gateway/src/intake/item.ts";
import { mapCloudEvent } from "@annals/gateway/src/intake/map-cloudevents.ts";
import { mapKubernetes } from "@annals/gateway/src/intake/map-kubernetes.ts";
import { prepareItem } from "@annals/gateway/src/intake/store-items.ts";
import { checkAppend } from "@annals/ledger/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";

const MAX_BYTES = 65_536;
const RUNS = inject("form").intakeItems.runs;
const OPTIONS = { maxBytes: MAX_BYTES, maxDepth: 32, maxValues: 40_000 };

/** Throws where the ledger would refuse the event of an item. False for an item without one. */
function expectTaken(item: IntakeItem): boolean {
  const prepared = atOnce(prepareItem(item, MAX_BYTES));
  if (!("events" in prepared)) return false;
  const { events, idempotencyKey, requestSha256 } = prepared;
  const receivedAt = "2026-01-31T09:30:00.000000Z";
  const given = { accountId: "acct_1", receivedAt, idempotencyKey, requestSha256 };
  const { events: taken } = atOnce(checkAppend({ ...given, eventsJson: events.bytes }, "key_1"));
  expect(taken).toHaveLength(1);
  return true;
}

/** Any UTF-16, long ones among them: what a client sends may have half of a pair, and U+0000. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom("\0", "\ud800", "annals.", "__proto__", ""),
  fc.string({ unit: "binary", maxLength: 4 }).map((unit) => unit.repeat(20_000)),
);
/** Stands for the integer in a JSON text: a double does not keep it. */
const LARGE = "9007199254740993";
const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom<unknown>(LARGE, 1e308), text);
const some = <T>(given: fc.Arbitrary<T>) => fc.option(given, { nil: undefined, freq: 8 });

const user = fc.record({
  username: some(text),
  uid: some(text),
  groups: some(fc.array(text, { maxLength: 4 })),
  extra: some(fc.dictionary(text, fc.array(text, { maxLength: 2 }), { maxKeys: 3 })),
});
const kubernetes = fc.record({
  level: some(text),
  auditID: text,
  stage: fc.constantFrom("ResponseComplete", "Panic"),
  requestURI: some(text),
  verb: text,
  user: some(user),
  impersonatedUser: some(user),
  sourceIPs: some(fc.array(text, { maxLength: 4 })),
  userAgent: some(text),
  objectRef: some(
    fc.record({
      resource: some(fc.oneof(text, fc.constant("secrets"))),
      subresource: some(text),
      namespace: some(text),
      name: some(text),
      uid: some(text),
      apiGroup: some(text),
      apiVersion: some(text),
    }),
  ),
  responseStatus: some(fc.record({ code: some(fc.integer()), reason: some(text) })),
  requestReceivedTimestamp: some(fc.constant("2026-01-31T09:30:00.052919Z")),
  annotations: some(fc.dictionary(text, text, { maxKeys: 3 })),
  requestObject: some(value),
  responseObject: some(value),
});

const jsonOf = (given: unknown): string => JSON.stringify(given).replaceAll(`"${LARGE}"`, LARGE);

test("of Kubernetes: no item that has an id and a verb is refused", () => {
  let taken = 0;
  fc.assert(
    fc.property(kubernetes, (item) => {
      const mapped = atOnce(mapKubernetes(Buffer.from(jsonOf(item)), OPTIONS));
      if (item.auditID === "" || item.verb === "") expect(mapped).toHaveProperty("rejected");
      else if (expectTaken(mapped)) taken += 1;
      else expect.fail(JSON.stringify(mapped).slice(0, 500));
    }),
    { numRuns: RUNS },
  );
  expect(taken).toBeGreaterThan(RUNS * 0.5);
});

const attribute = fc.string({ unit: "grapheme", maxLength: 300 });
const cloudEvent = fc.record({
  attributes: fc.record({
    id: attribute,
    source: attribute,
    specversion: fc.constant("1.0"),
    type: attribute,
    subject: some(attribute),
    actorid: some(attribute),
    actortype: some(attribute),
    targettype: some(attribute),
    outcome: some(fc.constantFrom("success", "failure", "unknown")),
    time: some(fc.constant("2026-01-31T09:30:00Z")),
    other: some(fc.oneof(attribute, fc.boolean(), fc.integer())),
  }),
  data: some(fc.jsonValue({ maxDepth: 4 })),
});

test("of CloudEvents: what is accepted is taken, and a type that is no action is not accepted", () => {
  let taken = 0;
  fc.assert(
    fc.property(cloudEvent, ({ attributes, data }) => {
      const there = Object.fromEntries(
        Object.entries(attributes).filter(([, each]) => each !== undefined),
      ) as Record<string, JsonValue>;
      try {
        const given = { attributes: there, ...(data !== undefined && { data: data as JsonValue }) };
        if (expectTaken(mapCloudEvent(given))) taken += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(Rejection);
      }
    }),
    { numRuns: RUNS },
  );
  expect(taken).toBeGreaterThan(RUNS * 0.1);
});
