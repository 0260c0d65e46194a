// Guarantee: each rule of what the one pass takes has its border where it is meant to be: what is plain is
// read without the strict reader, and what lies beyond is left to it.

import { describe, expect, test } from "vitest";
import { found, isPlain, written } from "../testing/compare-with-strict.ts";
import { PLACED, PLACES_PER_EVENT } from "./event-bytes.ts";

const withValue = (json: string) => `{"action":"a","metadata":{"n":${json}}}`;

test.each<[plain: readonly string[], not: readonly string[]]>([
  // Digits.
  [
    ["0", "-1", "999999999999999", "-123456789012345", "12345678901234.5", "0.12345678901234"],
    ["1000000000000000", "1234567890123456", "123456789012345.6", "0.123456789012345"],
  ],
  [["9007199254740"], ["9007199254740992", "9007199254740993", "-9007199254740993"]],
  // Fractions that ECMAScript writes with an exponent.
  [
    ["0.000001", "0.00000123", "-0.000001", "1.0000001"],
    ["0.0000001", "0.00000012", "-0.0000001"],
  ],
  // Texts of a number that has another one.
  [
    ["0", "1", "0.5", "-0.5"],
    ["-0", "-0.0", "0.0", "1.0", "1.50", "1e2", "1E2", "1e+21", "1e-7"],
  ],
  [[], ["01", "00", "-", "+1", ".5", "1.", "1.e1", "-a", "1-", "1.5.5", "0x1", "Infinity"]],
  // Escapes.
  [
    [String.raw`"\"\\\b\f\n\r\t"`, String.raw`"\u0001\u0007\u000b\u000e\u000f\u0010\u001f"`],
    [String.raw`"\/"`, String.raw`"\u0041"`, String.raw`"\u0020"`, String.raw`"\u001F"`],
  ],
  [[], ["\\u0000", "\\u0008", "\\u0009", "\\u000a", "\\u000c", "\\u000d"].map((e) => `"${e}"`)],
  [[], [String.raw`"\u0100"`, String.raw`"\u1000"`, String.raw`"\u001g"`, String.raw`"\u00"`]],
  [[], [String.raw`"\a"`, String.raw`"\"`, String.raw`"\N"`, String.raw`"\ud83d\ude00"`]],
  // Characters.
  [
    ['""', '" "', '"\u007f"', '"\u0080"', '"é€😀"', '"\u2028\u2029"', '"\ufeff"', '"\uffff"'],
    ['"\u0000"', '"\u001f"', '"\n"', '"\t"'],
  ],
  // Words.
  [
    ["true", "false", "null"],
    ["tru", "True", "nul", "nulL", "falsy", "truee", "undefined"],
  ],
  // Names.
  [
    ['{"":1}', '{" ":1}', '{"!":1}', '{"~\u007f":1}', '{"é":1}', '{"\ud7ff\ue000😀":1}'],
    ['{"\n":1}', '{"\u001f":1}'],
  ],
  [
    [
      '{"u0061":1}',
      String.raw`{"\n":1}`,
      String.raw`{"\\":1}`,
      String.raw`{"k:{\"uid\":\"a\"}":1}`,
      String.raw`{"é\u001f":1}`,
    ],
    [
      String.raw`{"\u0061":1}`,
      String.raw`{"\u000a":1}`,
      String.raw`{"\u0000":1}`,
      String.raw`{"\/":1}`,
      String.raw`{"\a":1}`,
    ],
  ],
  [
    [String.raw`{"\n":1,"n":2}`, String.raw`{"\\n":1,"\\\n":2}`],
    [String.raw`{"\n":1,"\n":2}`, String.raw`{"\\":1,"a":2,"\\":3}`, String.raw`{"\":1}`],
  ],
  [
    ['{"a":1,"b":2}', '{"b":1,"a":2}'],
    ['{"a":1,"a":2}', '{"b":1,"a":2,"b":3}'],
  ],
  [['{"a":{"a":1}}', '[{"a":1},{"a":1}]'], ['{"c":1,"a":[{"b":1,"b":1}]}']],
  // Brackets and commas.
  [
    ["[]", "{}", "[[],{}]", "[ ]", "{ }", "[1 , 2]", '{ "b" : 1 , "a" : 2 }'],
    ["[1,]", "[,1]", "[1 2]", "[", "[1", "{", '{"a":1,}', '{"a"}', '{"a" 1}', '{,"a":1}', "[1}"],
  ],
  [
    [" 1", "\t\n\r 1"],
    ["\u000b1", "\u00a01", "\f1", "\ufeff1", "/**/1"],
  ],
])("takes the values %j and leaves %j", (plain, not) => {
  for (const json of plain) expect(isPlain(withValue(json)), json).toBe(true);
  for (const json of not) expect(isPlain(withValue(json)), json).toBe(false);
});

test("leaves a byte order mark, what follows the body and bytes that are not UTF-8", () => {
  expect(isPlain(' \r\n\t{"action":"a"}\t\r\n ')).toBe(true);
  expect(isPlain('\ufeff{"action":"a"}')).toBe(false);
  expect(isPlain('{"action":"a"}{}')).toBe(false);
  expect(isPlain('{"action":"a"},')).toBe(false);
  for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2]]) {
    const bytes = Buffer.concat([Buffer.from('{"action":"'), Buffer.from(bad), Buffer.from('"}')]);
    expect(found({ form: "event", bytes })).toBeUndefined();
  }
});

describe("the order of names", () => {
  test.each([
    ["a prefix comes first", '{"ab":1,"a":2,"abc":3}', '{"a":2,"ab":1,"abc":3}'],
    ["a quote is no part of a name", '{"a":1,"a!":2,"a ":3}', '{"a":1,"a ":3,"a!":2}'],
    ["digits are characters", '{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}'],
    ["capitals come first", '{"a":1,"_":2,"B":3}', '{"B":3,"_":2,"a":1}'],
    ["the empty name is the first", '{"a":1,"":2}', '{"":2,"a":1}'],
    ["ASCII is before the rest", '{"\ud7ff":1,"é":2,"z":3}', '{"z":3,"é":2,"\ud7ff":1}'],
    ["pairs are before U+E000", '{"\ue000":1,"\ud83d\ude00":2}', '{"\ud83d\ude00":2,"\ue000":1}'],
    ["and after U+D7FF", '{"\ud83d\ude00":1,"\ud7ff":2}', '{"\ud7ff":2,"\ud83d\ude00":1}'],
    ["pairs are in order", '{"\udbff\udfff":1,"😀":2}', '{"😀":2,"\udbff\udfff":1}'],
    ["those from U+E000 on, too", '{"\uffff":1,"\ue000":2}', '{"\ue000":2,"\uffff":1}'],
    [
      "an escape is the character that it stands for",
      String.raw`{"a":1,"\\":2,"Z":3,"\"":4,"!":5,"\r":6,"\f":7,"\n":8,"\t":9,"\b":10}`,
      String.raw`{"\b":10,"\t":9,"\n":8,"\f":7,"\r":6,"!":5,"\"":4,"Z":3,"\\":2,"a":1}`,
    ],
    [
      "also one of six",
      String.raw`{"!":1,"\"":2,"\u001f":3,"\r":4,"\u000b":5,"\u000e":6,"\f":7,"\n":8,"\u0010":9}`,
      String.raw`{"\n":8,"\u000b":5,"\f":7,"\r":4,"\u000e":6,"\u0010":9,"\u001f":3,"!":1,"\"":2}`,
    ],
    [
      "also before pairs",
      String.raw`{"\nﬓ":1,"\n😀":2,"é\u0001":3,"é\u0001\t":4,"é\u0001\u0001":5}`,
      String.raw`{"\n😀":2,"\nﬓ":1,"é\u0001":3,"é\u0001\u0001":5,"é\u0001\t":4}`,
    ],
    [
      "also behind others",
      String.raw`{"\\a":1,"\\\\":2,"\\\n":3,"\\n":4,"\\":5}`,
      String.raw`{"\\":5,"\\\n":3,"\\\\":2,"\\a":1,"\\n":4}`,
    ],
    [
      "in each level",
      '{"b":{"d":[{"f":1,"e":2}],"c":3},"a":4}',
      '{"a":4,"b":{"c":3,"d":[{"e":2,"f":1}]}}',
    ],
  ])("%s", (_, given, sorted) => {
    expect(isPlain(withValue(given))).toBe(true);
    expect(written(withValue(given))).toBe(`[${withValue(sorted)}]`);
  });

  test("finds equal names next to each other and far apart, in objects of any size", () => {
    for (const count of [2, 3, 17, 100, 1_000]) {
      const names = Array.from({ length: count }, (_, at) => `n${(at * 7_919) % count}`);
      const object = (all: readonly string[]) => `{${all.map((name) => `"${name}":0`).join()}}`;
      expect(isPlain(withValue(object(names)))).toBe(true);
      for (const repeated of [0, count >> 1, count - 1]) {
        const name = names[repeated] ?? "";
        expect(isPlain(withValue(object([...names, name])))).toBe(false);
        expect(isPlain(withValue(object([name, ...names])))).toBe(false);
        expect(isPlain(withValue(object(names.toSpliced(repeated, 0, name))))).toBe(false);
      }
    }
  });
});

describe("the members of an event", () => {
  const text = (length: number) => `"${"x".repeat(length)}"`;

  test.each<[plain: readonly string[], not: readonly string[]]>([
    [['"action":"a"'], ["", '"metadata":{}', '"action":1', '"action":null', '"action":{}']],
    [
      [`"action":${text(1)}`, `"action":${text(255)}`],
      ['"action":""', `"action":${text(256)}`],
    ],
    // 255 characters of two bytes are no fault, and the strict reader counts them.
    [[`"action":"${"é".repeat(127)}"`], [`"action":"${"é".repeat(128)}"`]],
    [
      ['"action":"a","occurred_at":""', `"action":"a","occurred_at":${text(300)}`],
      ['"action":"a","occurred_at":1', '"action":"a","occurred_at":null'],
    ],
    [
      ['"action":"a","actor":{}', '"action":"a","actor":{"meta":{},"type":"t","id":"i"}'],
      ['"action":"a","actor":[]', '"action":"a","actor":null', '"action":"a","actor":"u"'],
    ],
    [
      [`"action":"a","actor":{"id":${text(255)}}`],
      [`"action":"a","actor":{"id":${text(256)}}`, '"action":"a","actor":{"id":""}'],
    ],
    [
      [`"action":"a","target":{"type":${text(255)}}`],
      [`"action":"a","target":{"type":${text(256)}}`, '"action":"a","target":{"type":7}'],
    ],
    [
      ['"action":"a","target":{"meta":{"id":7,"x":""}}'],
      ['"action":"a","target":{"meta":[]}', '"action":"a","target":{"name":"n"}'],
    ],
    [
      ['"action":"a","diff":{"before":{},"after":{}}'],
      ['"action":"a","diff":{"before":null}', '"action":"a","diff":{"between":{}}'],
    ],
    [
      ['"action":"a","context":{"id":7}', '"action":"a","metadata":{"after":[]}'],
      ['"action":"a","context":[]', '"action":"a","metadata":"m"', '"action":"a","meta":{}'],
    ],
    [[], ['"action":"a","action":"a"', '"action":"a","actor":{},"actor":{}']],
    [
      [],
      ['"action":"a","actor":{"id":"i","id":"i"}', '"action":"a","diff":{"after":{},"after":{}}'],
    ],
    [[], ['"action":"a","type":"a"', '"type":"a"', '"Action":"a"', '"action":"a","id":"evt_1"']],
    [[], ['"action":"a","actio":"a"', '"action":"a","actions":"a"', '"action":"a","":{}']],
  ])("takes {%j} and leaves {%j}", (plain, not) => {
    for (const members of plain) {
      expect(isPlain(`{${members}}`), members).toBe(true);
      expect(isPlain(`{"events":[{${members}},{"action":"b"}]}`, "batch"), members).toBe(true);
    }
    for (const members of not) {
      expect(isPlain(`{${members}}`), members).toBe(false);
      if (members === '"type":"a"') continue;
      expect(isPlain(`{"events":[{${members}},{"action":"b"}]}`, "batch"), members).toBe(false);
    }
  });

  test("writes the type of a batch's event as its action", () => {
    const events = '{"target":{},"type":"t","actor":{}},{"type":"u"}';
    expect(written(`{"events":[${events}]}`, "batch")).toBe(
      '[{"action":"t","actor":{},"target":{}},{"action":"u"}]',
    );
    expect(isPlain('[{"type":"a"}]', "array")).toBe(false);
    // Many of them: canonical form is longer than what came.
    const many = `{"events":[${Array.from({ length: 1_000 }, () => '{"type":"a"}').join()}]}`;
    expect(isPlain(many, "batch")).toBe(true);
  });

  test("keeps the place of each", () => {
    const event =
      '{"target":{"type":"tt","id":"ti"},"metadata":{"m":1},"diff":{},"context":{"c":1},' +
      String.raw`"actor":{"type":"a\"t","meta":{},"id":"ai"},"occurred_at":"now","action":"é"}`;
    const result = found({
      form: "batch",
      bytes: Buffer.from(`{"events":[{"action":"x"},${event}]}`),
    });
    const bytes = Buffer.from(result?.bytes ?? []);
    const placesOf = (index: number) =>
      Object.fromEntries(
        ["event", ...PLACED].map((name, at) => {
          const [start, end] = result?.places.subarray(index * PLACES_PER_EVENT + 2 * at) ?? [];
          return [name, end === 0 ? undefined : bytes.toString("utf8", start, end)];
        }),
      );
    expect(result?.places).toHaveLength(2 * PLACES_PER_EVENT);
    expect(placesOf(0)).toEqual({ event: '{"action":"x"}', action: "x" });
    expect(placesOf(1)).toEqual({
      event: bytes.toString("utf8", '[{"action":"x"},'.length, bytes.length - 1),
      action: "é",
      occurred_at: "now",
      actor: String.raw`{"id":"ai","meta":{},"type":"a\"t"}`,
      context: '{"c":1}',
      diff: "{}",
      metadata: '{"m":1}',
      target: '{"id":"ti","type":"tt"}',
      actor_id: "ai",
      actor_type: String.raw`a\"t`,
      target_id: "ti",
      target_type: "tt",
    });
  });
});

describe("the check takes canonical bytes alone", () => {
  test.each<[string, boolean]>([
    ['[{"action":"a"}]', true],
    ['[{"action":"a","actor":{"id":"i","meta":{"a":1,"b":2},"type":"t"},"target":{}}]', true],
    [' [{"action":"a"}]', false],
    ['[{"action":"a"}] ', false],
    ['[{"action":"a"} ]', false],
    ['[{"action": "a"}]', false],
    ['[{"action":"a","metadata":{ }}]', false],
    ['[{"action":"a"},{"action":"b"}]', true],
    ['[{"action":"a"}, {"action":"b"}]', false],
    ['[{"actor":{},"action":"a"}]', false],
    ['[{"action":"a","actor":{"type":"t","id":"i"}}]', false],
    ['[{"action":"a","diff":{"before":{},"after":{}}}]', false],
    ['[{"action":"a","metadata":{"b":1,"a":2}}]', false],
    ['[{"action":"a","metadata":{"a":[{"b":1,"a":2}]}}]', false],
    ['[{"action":"a","metadata":{"a":1,"a":2}}]', false],
    ['[{"action":"a"}]]', false],
    ['[{"action":"a"}', false],
    ['{"action":"a"}', false],
    ["", false],
  ])("%s: %j", (bytes, isTaken) => {
    expect(isPlain(bytes, "array")).toBe(isTaken);
  });
});
