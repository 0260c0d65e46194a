// Guarantees: the ledger reads of any append exactly the bytes of its events; the answer is, byte for byte,
// the JSON of the events that are stored, whether they are stored now or were stored earlier; and a receipt
// that is not for these events makes no answer.

import { Turns } from "@annals/contract";
import {
  canonicalJson,
  eventJson,
  type EventText,
  JSON_PARTS,
  type JsonObject,
  NO_MEMBERS,
} from "@annals/event";
import {
  type Append,
  CreateEventsRequestSchema,
  CreateEventsResponseSchema,
} from "@annals/proto/ledger";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Admission } from "../admission/admission.ts";
import { appendEvents } from "./append-response.ts";
import { EventAppends } from "./event-appends.ts";
import type { NewEvent } from "./new-event.ts";
import { type EventForm, plainEvents, writtenEvents } from "./new-events.ts";

const RECEIVED_AT = "2026-02-01T00:00:00.000001Z";
const CREATED_AT = "2026-02-01T00:00:00.000002Z";
const LIMITS = { maxDepth: 20, maxValues: 10_000 };
const MAX_BYTES = 100_000;

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });

/** Events whose free-form objects have these names and values. */
function eventsOf(name: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) {
  const free = fc.dictionary(name, value, { maxKeys: 4 });
  const party = fc.record({ id: text, type: text, meta: free }, { requiredKeys: [] });
  const event = fc.record(
    {
      action: text.map((each) => `do.${each}`),
      occurred_at: fc.constantFrom("2026-01-31T10:30:00+01:00", "2026-01-31T09:30:00.123456Z"),
      actor: party,
      target: party,
      context: free,
      diff: fc.record({ before: free, after: free }, { requiredKeys: [] }),
      metadata: free,
    },
    { requiredKeys: ["action"] },
  ) as fc.Arbitrary<NewEvent & JsonObject>;
  return fc.array(event, { minLength: 1, maxLength: 20 });
}

const events = eventsOf(text, fc.oneof(text, number, fc.constant(null)));
const plainOnes = eventsOf(
  fc.constantFrom("a", "B", "ab", "a b", "!", "constructor"),
  fc.oneof(text, fc.integer(), fc.constant(null)),
);

const hashes = Array.from({ length: 21 }, (_, n) => n.toString(16).padStart(64, "0"));
const idOf = (index: number) => `evt_${String(index).padStart(26, "0")}`;

/** What they are stored as by a ledger whose chain goes on at `first`. */
function storedEvents(given: readonly NewEvent[], first: number): EventText[] {
  return given.map((one, index) => {
    const parts = JSON_PARTS.map((part) => [
      part,
      one[part] === undefined ? NO_MEMBERS : canonicalJson(one[part]),
    ]);
    return {
      ...Object.fromEntries(parts),
      id: idOf(index),
      sequenceNumber: first + index,
      action: one.action,
      hash: hashes[index + 1],
      previousHash: hashes[index],
      occurredAt:
        one.occurred_at === undefined
          ? RECEIVED_AT
          : one.occurred_at.includes("+")
            ? "2026-01-31T09:30:00.000000Z"
            : one.occurred_at,
      receivedAt: RECEIVED_AT,
      createdAt: CREATED_AT,
    } as EventText;
  });
}

const jsonOf = (form: EventForm, stored: readonly EventText[]) => {
  const json = stored.map(eventJson).join(",");
  return `{"data":${form === "event" ? json : `[${json}]`}}`;
};

type Outcome = NonNullable<MessageInitShape<typeof CreateEventsResponseSchema>["outcomes"]>[number];

/** Appends by way of a ledger that gives the append the outcome: the answer, and what the ledger read. */
async function answered(form: EventForm, given: readonly NewEvent[], outcome: Outcome) {
  let read: Append[] = [];
  const appends = new EventAppends({
    appendEvents: () => expect.unreachable(),
    createEvents: async (request) => {
      const bytes = toBinary(CreateEventsRequestSchema, create(CreateEventsRequestSchema, request));
      read = fromBinary(CreateEventsRequestSchema, bytes).appends;
      return create(CreateEventsResponseSchema, { outcomes: [outcome] });
    },
  });
  const turns = new Turns();
  const written = await turns.run(
    "acct_1",
    writtenEvents(given, { maxBytes: MAX_BYTES, path: (index) => `events[${index}].` }),
  );
  const admission = { accountId: "acct_1", statement: "s", plan: {} } as Admission;
  const request = { admission, form, headers: {}, receivedAt: RECEIVED_AT };
  const { body } = await appendEvents({ appends, turns }, written, request);
  return { body: typeof body === "string" ? body : (body as Buffer).toString(), read };
}

const receiptOf = (first: number, count: number) => ({
  firstSequenceNumber: BigInt(first),
  createdAt: CREATED_AT,
  packedIds: Buffer.from(Array.from({ length: count }, (_, index) => idOf(index)).join("")),
  packedHashes: Buffer.from(hashes.slice(0, count + 1).join("")),
});

const form = (given: readonly unknown[]) => (given.length === 1 ? "event" : "batch");

test("an append that is stored", async () => {
  const place = fc.integer({ min: 1, max: 2 ** 40 });
  await fc.assert(
    fc.asyncProperty(events, place, async (given, first) => {
      const value = receiptOf(first, given.length);
      const outcome: Outcome = { outcome: { case: "stored", value } };
      const { body, read } = await answered(form(given), given, outcome);
      expect(read).toMatchObject([{ accountId: "acct_1", receivedAt: RECEIVED_AT }]);
      expect(Buffer.from(read[0]!.eventsJson).toString()).toBe(
        canonicalJson(given as JsonObject[]),
      );
      expect(body).toBe(jsonOf(form(given), storedEvents(given, first)));
    }),
  );
});

test("an append that was stored earlier", async () => {
  await fc.assert(
    fc.asyncProperty(events, async (given) => {
      const stored = storedEvents(given, 7);
      const value = {
        events: stored.map((one) => ({ ...one, sequenceNumber: BigInt(one.sequenceNumber) })),
      };
      const { body } = await answered(form(given), given, { outcome: { case: "replayed", value } });
      expect(body).toBe(jsonOf(form(given), stored));
    }),
  );
});

test.each([
  ["one event less", { ...receiptOf(1, 1) }],
  ["one event more", { ...receiptOf(1, 3) }],
  ["a hash less", { ...receiptOf(1, 2), packedHashes: receiptOf(1, 1).packedHashes }],
])("a receipt with %s is an error", async (_what, value) => {
  const given = [{ action: "a" }, { action: "b" }];
  await expect(
    answered("batch", given, { outcome: { case: "stored", value } }),
  ).rejects.toMatchObject({ kind: "internal" });
});

test("no group has more appends than a call to the ledger may have, however small they are", async () => {
  const groups: number[] = [];
  const value = receiptOf(1, 1);
  const appends = new EventAppends({
    appendEvents: () => expect.unreachable(),
    createEvents: async ({ appends: group = [] }) => {
      groups.push(group.length);
      const outcomes = group.map((): Outcome => ({ outcome: { case: "stored", value } }));
      return create(CreateEventsResponseSchema, { outcomes });
    },
  });
  const turns = new Turns();
  const options = { maxBytes: MAX_BYTES, path: () => "" };
  const written = await turns.run("", writtenEvents([{ action: "a" }], options));
  const one = { accountId: "acct_1", statement: "s", receivedAt: RECEIVED_AT, events: written };
  const request = { ...one, idempotencyKey: "", requestSha256: new Uint8Array() };
  await Promise.all(Array.from({ length: 12_000 }, () => appends.append(request)));
  expect(groups.reduce((sum, count) => sum + count)).toBe(12_000);
  expect(Math.max(...groups)).toBeLessThanOrEqual(5_000);
});

test("plain bodies and others make the same bytes, places and times", async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(plainOnes, events), async (given) => {
      const turns = new Turns();
      const body = Buffer.from(JSON.stringify({ events: given }));
      const read = await turns.run("", plainEvents("batch", MAX_BYTES)(body, LIMITS));
      if (read === undefined) return;
      plain += 1;
      const options = { maxBytes: MAX_BYTES, path: () => "" };
      const written = await turns.run("", writtenEvents(given, options));
      expect(Buffer.compare(read.bytes, written.bytes)).toBe(0);
      expect([...read.places]).toEqual([...written.places]);
      expect(read.occurredAts).toEqual(written.occurredAts);
    }),
  );
  expect(plain).toBeGreaterThan(0);
});
