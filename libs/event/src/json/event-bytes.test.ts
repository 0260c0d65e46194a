// Guarantee: the one pass over an event's bytes accepts nothing that the strict path refuses, and makes the
// same canonical bytes of what it accepts, each member in its place. The same of the check of its bytes.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  differenceOf,
  found,
  LIMITS,
  mutatedDifferences,
  ORDINARY_BODIES,
} from "../testing/compare-with-strict.ts";
import { REFUSED_JSON } from "../testing/refused-json.ts";
import { EventReader } from "./event-reader.ts";

/** The seed of a run that failed makes the same bodies again. */
const SEED = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 30));
/** The long form is `EVENT_BYTES_BODIES=10000000` with `-t "mutated bodies"`, some minutes of one CPU. */
const BODIES = Number(process.env["EVENT_BYTES_BODIES"] ?? 20_000);
/** So many bodies take less than a second, on a busy machine too. */
const BODIES_PER_S = 1_000;
const LEAST_TIMEOUT_MS = 60_000;
/** At least so many of a hundred are accepted and are not, of about 12: less would test one side only. */
const LEAST_OF_EACH_IN_100 = 5;

test("accepts the bodies of ordinary clients, with and without white space", () => {
  for (const body of ORDINARY_BODIES) {
    const text = body.bytes.toString();
    const isPlain = !text.includes("\\u00e9") && !text.includes("12.5e3");
    expect(found(body) !== undefined, text).toBe(isPlain);
    expect(differenceOf(body, found(body))).toBeUndefined();
    if (body.form === "array") continue;
    // JSON.stringify writes escapes and exponents away.
    const spaced = ` ${JSON.stringify(JSON.parse(text), null, "\t")}\r\n`;
    const again = { form: body.form, bytes: Buffer.from(spaced) };
    expect(found(again) !== undefined, spaced).toBe(true);
    expect(differenceOf(again, found(again))).toBeUndefined();
  }
});

test(
  `${BODIES} mutated bodies`,
  () => {
    const { differences, accepted } = mutatedDifferences({ seed: SEED, bodies: BODIES }, found);
    expect(differences, `FUZZ_SEED=${SEED}`).toStrictEqual([]);
    const acceptedIn100 = (100 * accepted) / BODIES;
    expect(acceptedIn100).toBeGreaterThan(LEAST_OF_EACH_IN_100);
    expect(acceptedIn100).toBeLessThan(100 - LEAST_OF_EACH_IN_100);
  },
  Math.max(LEAST_TIMEOUT_MS, (1_000 * BODIES) / BODIES_PER_S),
);

describe("events of any JSON", () => {
  const names = fc.oneof(
    fc.string({ unit: "grapheme-ascii", maxLength: 4 }),
    fc.constantFrom(
      "a",
      "b",
      "aa",
      "a!",
      "id",
      "type",
      "meta",
      "before",
      "__proto__",
      "10",
      "9",
      "é",
      "\ufb33",
      "😀",
    ),
    // Their texts have escapes.
    fc.string({
      unit: fc.constantFrom("\\", '"', "\n", "\u000b", "n", "\b", "Z", "é"),
      maxLength: 4,
    }),
  );
  const values = fc.letrec<{ value: string; object: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.array(tie("value"), { maxLength: 4 }).map((texts) => `[${texts.join(" ,")}]`),
      tie("object"),
    ),
    object: fc
      .array(fc.tuple(names, tie("value")), { maxLength: 5 })
      .map((all) => `{${all.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(", ")}}`),
  })).object;
  const members = [
    "actor",
    "target",
    "context",
    "diff",
    "metadata",
    "action",
    "occurred_at",
    "type",
  ];
  const events = fc
    .shuffledSubarray(members)
    .chain((chosen) =>
      fc.tuple(fc.constant(chosen), fc.array(values, { minLength: 8, maxLength: 8 })),
    )
    .map(([chosen, texts]) => {
      const texted = chosen.map((name, at) => {
        const isText = /^(action|occurred_at|type)$/.test(name);
        const isFree = /^(context|metadata)$/.test(name);
        return `"${name}":${isText ? '"t"' : isFree ? texts[at] : `{"meta":${texts[at]}}`}`;
      });
      return `{${texted.join(",")}}`;
    });

  test("are accepted as the strict path has them, or left to it", () => {
    let accepted = 0;
    const property = fc.property(events, fc.boolean(), (event, isBatch) => {
      const body = isBatch
        ? { form: "batch" as const, bytes: Buffer.from(`{"events":[${event}]}`) }
        : { form: "event" as const, bytes: Buffer.from(event) };
      const result = found(body);
      if (result) accepted += 1;
      expect(differenceOf(body, result)).toBeUndefined();
    });
    fc.assert(property);
    expect(accepted).toBeGreaterThan(0);
  });

  test("and any bytes at all are left to it", () => {
    const anyBytes = fc.tuple(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom("event" as const, "batch" as const, "array" as const),
    );
    fc.assert(
      fc.property(anyBytes, ([bytes, form]) => {
        const body = { form, bytes: Buffer.from(bytes) };
        expect(differenceOf(body, found(body))).toBeUndefined();
      }),
    );
  });
});

test.each(REFUSED_JSON)("leaves %j to the strict reader, wherever it is", (text) => {
  for (const event of [
    text,
    `{"action":"a","metadata":{"x":${text}}}`,
    `{"action":"a","metadata":{"x":[0,${text}]}}`,
    `{"action":${text},"metadata":{}}`,
    `{"action":"a",${text}:{}}`,
  ]) {
    expect(found({ form: "event", bytes: Buffer.from(event) })).toBeUndefined();
    expect(found({ form: "batch", bytes: Buffer.from(`{"events":[${event}]}`) })).toBeUndefined();
    expect(found({ form: "array", bytes: Buffer.from(`[${event}]`) })).toBeUndefined();
  }
});

describe("control: the mutated bodies find", () => {
  /** The pass with the comparison of equal names taken out. */
  class Heedless extends EventReader {
    protected override isRepeated(): boolean {
      return false;
    }
  }

  /** The pass with one level more than its limit. */
  class Deep extends EventReader {
    protected override isDepthAllowed(depth: number): boolean {
      return super.isDepthAllowed(depth - 1);
    }
  }

  test.each([
    ["a pass that takes equal names", Heedless, LIMITS],
    ["a pass that goes a level too deep", Deep, { ...LIMITS, maxDepth: 5 }],
  ])("%s", (_, Reader, limits) => {
    const differences = (make: typeof EventReader) =>
      mutatedDifferences({ seed: 1, bodies: 5_000 }, (body) => found(body, limits, make), limits)
        .differences;
    expect(differences(EventReader)).toStrictEqual([]);
    expect(differences(Reader)[0]).toContain("accepted, and the strict path does not");
  });
});
