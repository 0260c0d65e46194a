// Guarantee: whatever record of OTLP is accepted, however odd, is an event that the ledger accepts: of a
// record that has the name of an event, no attribute that a user may choose makes the ledger refuse it.

import { atOnce } from "@annals/contract";
import { OTLP_PROTOBUF } from "@annals/gateway/src/intake/otlp-protobuf.ts";
import { LIMITS } from "@annals/gateway/src/limits.ts";
import {
  inProtobuf,
  keyValues,
  otlpRecord,
  type OtlpRequest,
} from "@annals/gateway/src/testing/otlp-requests.ts";
import { readOtlp } from "@annals/gateway/src/intake/read-otlp.ts";
import { checkAppend } from "@annals/ledger/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";

/** Any text, also longer than a member of an event may be. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom("\0", "__proto__", "1022", ""),
  fc.string({ unit: "grapheme", maxLength: 4 }).map((unit) => unit.repeat(30_000)),
);
const value = fc.oneof(
  text,
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constant(null),
  fc.uint8Array({ maxLength: 40 }),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(text, text, { maxKeys: 3 }),
);
const PLACED = [
  "annals.actor.id",
  "annals.actor.type",
  "annals.target.id",
  "audit.actor.id",
  "audit.record.id",
  "audit.target.type",
  "client.address",
  "enduser.id",
  "event.name",
  "event.outcome",
  "log.record.uid",
  "user.id",
  "user_agent.original",
];
const attributes = fc.dictionary(fc.oneof(fc.constantFrom(...PLACED), text), value, { maxKeys: 8 });
const record = fc.record({
  attributes,
  eventName: text.filter((name) => name !== "" && !/^annals/i.test(name.normalize("NFKC"))),
  severityText: text,
  // Later ones are refused.
  timeUnixNano: fc.bigInt({ min: 0n, max: 9_000_000_000_000_000_000n }),
  droppedAttributesCount: fc.nat(),
});

test("no record that has the name of an event is refused", () => {
  fc.assert(
    fc.property(record, attributes, text, (given, shared, name) => {
      const request = {
        resourceLogs: [
          {
            resource: { attributes: keyValues(shared) },
            scopeLogs: [{ scope: { name }, logRecords: [otlpRecord(given)] }],
          },
        ],
      } as OtlpRequest;
      const [item] = atOnce(readOtlp(inProtobuf(request), OTLP_PROTOBUF, LIMITS)).items;
      if (!item || !("events" in item)) return expect.fail(JSON.stringify(item));
      const { events, idempotencyKey, requestSha256 } = item;
      const receivedAt = "2026-01-31T09:30:00.000000Z";
      const append = { accountId: "acct_1", receivedAt, idempotencyKey, requestSha256 };
      const taken = atOnce(checkAppend({ ...append, eventsJson: events.bytes }, "key_1"));
      expect(taken.events).toHaveLength(1);
    }),
    { numRuns: inject("form").intakeItems.runs / 2 },
  );
});
