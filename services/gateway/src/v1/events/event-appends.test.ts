// Guarantees: the ledger reads of any append what was sent, with every part as it was made; and the events
// that the answer is made of are, byte for byte, those that are stored.

import { eventJson, type EventText } from "@annals/event";
import {
  type Append,
  AppendSchema,
  CreateEventsRequestSchema,
  CreateEventsResponseSchema,
} from "@annals/proto/ledger";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AppendRequest, EventAppends } from "./event-appends.ts";

const text = fc.string({ unit: "grapheme", maxLength: 200 });
const part = fc.dictionary(text, text, { maxKeys: 4 }).map((value) => JSON.stringify(value));
const parts = ["actor", "context", "diff", "metadata", "target"] as const;

const event = fc.record(
  {
    action: fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
    occurredAt: fc.constant("2026-01-31T09:30:00.123456Z"),
    bytes: fc.constant(1),
    actor: part,
    context: part,
    diff: part,
    metadata: part,
    target: part,
    actorId: text,
    actorType: text,
    targetId: text,
    targetType: text,
  },
  { requiredKeys: ["action", "occurredAt", "bytes", ...parts] },
);

const append: fc.Arbitrary<AppendRequest> = fc.record(
  {
    accountId: fc.constant("acct_1"),
    receivedAt: fc.constant("2026-02-01T00:00:00.000001Z"),
    events: fc.array(event, { minLength: 1, maxLength: 20 }),
    idempotencyKey: text,
    requestSha256: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    monthlyQuota: fc.bigInt({ min: 0n, max: 2n ** 53n }),
    statement: fc.string(),
  },
  {
    requiredKeys: [
      "accountId",
      "receivedAt",
      "events",
      "idempotencyKey",
      "requestSha256",
      "statement",
    ],
  },
);

const createdAt = "2026-02-01T00:00:00.000002Z";
const hashes = Array.from({ length: 21 }, (_, n) => n.toString(16).padStart(64, "0"));

/** What an append is stored as by a ledger whose chain goes on at `first`. */
function stored({ events, receivedAt }: AppendRequest, first: number): EventText[] {
  return events.map((one, index) => ({
    ...one,
    id: `evt_${index}`,
    sequenceNumber: first + index,
    hash: hashes[index + 1] ?? "",
    previousHash: hashes[index] ?? "",
    receivedAt,
    createdAt,
  }));
}

/** Appends by way of a ledger that gives every append the outcome, and what it read. */
async function sent(
  given: AppendRequest,
  outcome: MessageInitShape<typeof CreateEventsResponseSchema>["outcomes"],
) {
  let read: Append[] = [];
  let statements: (string | undefined)[] = [];
  const appends = new EventAppends({
    appendEvents: () => expect.unreachable(),
    createEvents: async (request) => {
      const bytes = toBinary(CreateEventsRequestSchema, create(CreateEventsRequestSchema, request));
      const { appends: decoded, admissions } = fromBinary(CreateEventsRequestSchema, bytes);
      read = decoded;
      statements = decoded.map(({ admission }) => admissions[admission]);
      return create(CreateEventsResponseSchema, { outcomes: outcome ?? [] });
    },
  });
  return { appended: await appends.append(given), read, statements };
}

/** What the ledger shall read. */
function messageOf({ events, statement: _statement, ...given }: AppendRequest): Append {
  const utf8 = new TextEncoder();
  const read = events.map(({ action, occurredAt, bytes: _bytes, ...texts }) => ({
    action,
    occurredAt,
    ...Object.fromEntries(
      Object.entries(texts).map(([name, said]) => [name, utf8.encode(said === "{}" ? "" : said)]),
    ),
  }));
  return create(AppendSchema, { ...given, events: read });
}

test("an append that is stored", async () => {
  const place = fc.integer({ min: 1, max: 2 ** 40 });
  await fc.assert(
    fc.asyncProperty(append, place, async (given, first) => {
      const expected = stored(given, first);
      const receipt = {
        firstSequenceNumber: BigInt(first),
        createdAt,
        ids: expected.map(({ id }) => id),
        hashes: hashes.slice(0, expected.length + 1),
      };
      const { appended, read, statements } = await sent(given, [
        { outcome: { case: "stored", value: receipt } },
      ]);
      expect(read).toStrictEqual([messageOf(given)]);
      expect(statements).toStrictEqual([given.statement]);
      expect(appended.replayed).toBe(false);
      expect(appended.events.map(eventJson)).toStrictEqual(expected.map(eventJson));
    }),
  );
});

test("an append that was stored earlier", async () => {
  await fc.assert(
    fc.asyncProperty(append, async (given) => {
      const expected = stored(given, 7);
      const events = expected.map((one) => ({
        ...one,
        sequenceNumber: BigInt(one.sequenceNumber),
      }));
      const { appended } = await sent(given, [
        { outcome: { case: "replayed", value: { events } } },
      ]);
      expect(appended.replayed).toBe(true);
      expect(appended.events.map(eventJson)).toStrictEqual(expected.map(eventJson));
    }),
  );
});
