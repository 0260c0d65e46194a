// Guarantees: an append is written as protobuf-es would write it, whatever was written before; and the answer
// that is made of those bytes is, byte for byte, the rendering of the events as stored.

import { eventJson } from "@annals/event";
import {
  type Append,
  type AppendReceipt,
  AppendSchema,
  CreateEventsRequestSchema,
} from "@annals/proto/ledger";
import { create, fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendBytes } from "./append-bytes.ts";
import type { AppendRequest } from "./event-appends.ts";
import { replayedAnswer, storedAnswer } from "./events-answer.ts";

const text = fc.string({ unit: "grapheme", maxLength: 200 });
const part = fc.dictionary(text, text).map((value) => JSON.stringify(value));
const parts = ["actor", "context", "diff", "metadata", "target"] as const;

const event = fc.record(
  {
    // As it stands, or of characters that JSON writes as six: more than the answer took memory for.
    action: fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
      fc.constant("\u0001".repeat(255)),
    ),
    occurredAt: fc.constant("2026-01-31T09:30:00.123456Z"),
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
  { requiredKeys: ["action", "occurredAt", ...parts] },
);

const append: fc.Arbitrary<AppendRequest> = fc
  .record({
    events: fc.array(event, { minLength: 1, maxLength: 20 }),
    idempotencyKey: text,
    requestSha256: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    monthlyQuota: fc.option(fc.bigInt({ min: 0n, max: 2n ** 53n }), { nil: undefined }),
  })
  .map(({ monthlyQuota, ...rest }) => ({
    accountId: "acct_1",
    receivedAt: "2026-02-01T00:00:00.000001Z",
    ...rest,
    ...(monthlyQuota !== undefined && { monthlyQuota }),
  }));

/** What the ledger shall read. */
function messageOf({ events, ...given }: AppendRequest): Append {
  const utf8 = new TextEncoder();
  const read = events.map(({ action, occurredAt, ...texts }) => ({
    action,
    occurredAt,
    ...Object.fromEntries(Object.entries(texts).map(([name, said]) => [name, utf8.encode(said)])),
  }));
  return create(AppendSchema, { ...given, events: read });
}

test("any append reads back as it was", () => {
  fc.assert(
    fc.property(append, (given) => {
      const { appends } = fromBinary(CreateEventsRequestSchema, appendBytes(given));
      expect(appends).toStrictEqual([messageOf(given)]);
    }),
  );
});

test("one that cannot be written leaves nothing for the next", () => {
  fc.assert(
    fc.property(append, (given) => {
      expect(() => appendBytes({ ...given, monthlyQuota: 2n ** 64n })).toThrow("int64");
      const { appends } = fromBinary(CreateEventsRequestSchema, appendBytes(given));
      expect(appends).toStrictEqual([messageOf(given)]);
    }),
    { numRuns: 10 },
  );
});

test("a large one too, and the small one after it", () => {
  const small = { action: "a", occurredAt: "t", actor: "{}", diff: "{}", target: "{}" };
  const sized = (length: number): AppendRequest => ({
    accountId: "acct_1",
    receivedAt: "t",
    idempotencyKey: "",
    requestSha256: new Uint8Array(),
    events: [{ ...small, context: `{"a":"${"é".repeat(length)}"}`, metadata: "{}" }],
  });
  for (const length of [1_000_000, 1]) {
    const { appends } = fromBinary(CreateEventsRequestSchema, appendBytes(sized(length)));
    expect(appends).toStrictEqual([messageOf(sized(length))]);
  }
});

describe("the answer", () => {
  const hashes = Array.from({ length: 21 }, (_, n) => n.toString(16).padStart(64, "0"));
  const createdAt = "2026-02-01T00:00:00.000002Z";
  const frame = fc.constantFrom(
    { open: '{"data":', close: "}" },
    { open: '{"data":[', close: "]}" },
  );

  test("of any append has its events as stored", () => {
    fc.assert(
      fc.property(append, frame, fc.integer({ min: 1, max: 2 ** 40 }), (given, around, first) => {
        const events = given.events.map((one, index) => ({
          ...one,
          id: `evt_${index}`,
          sequenceNumber: first + index,
          hash: hashes[index + 1] ?? "",
          previousHash: hashes[index] ?? "",
          receivedAt: given.receivedAt,
          createdAt,
        }));
        const receipt = {
          firstSequenceNumber: BigInt(first),
          createdAt,
          ids: events.map(({ id }) => id),
          hashes: hashes.slice(0, events.length + 1),
        } as unknown as AppendReceipt;
        const answer = storedAnswer(appendBytes(given), given.receivedAt, around, receipt);
        const whole = around.open + events.map(eventJson).join(",") + around.close;
        expect(answer.toString()).toBe(whole);
        expect(replayedAnswer(events, around).toString()).toBe(whole);
      }),
    );
  });
});
