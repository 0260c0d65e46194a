// JSON texts that fit a schema of the document, and texts that do not: wrong types, missing, extra and
// repeated members, numbers and texts that break what reads them. They are texts and not values, since much
// of what is hostile cannot be held in a value. Called by requests.ts. It must never know a rule that
// the document does not state, except what a text must look like to be accepted at all.

import fc from "fast-check";

// oxlint-disable-next-line typescript/no-explicit-any -- a schema is looked into freely
export type Schema = any;
type Text = fc.Arbitrary<string>;

/** Elements and characters that a fitting value has at most, its upper bound aside. */
const MAX_ITEMS = 5;
const MAX_CHARACTERS = 40;
/** An upper bound of a text or an array is tried where it is not above this. */
const MAX_TRIED_BOUND = 3_000;
/** Values of one filter, of which those of all filters have a bound together: a body has twelve. */
const MAX_TOGETHER = 1;
/** How deep what is free-form nests. */
const FREE_DEPTH = 3;

const TIMES = [
  "2026-01-31T09:30:00Z",
  "2024-02-29T23:59:59.999999+14:00",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "1999-12-31T23:59:59-12:00",
];

const MS_PER_DAY = 86_400_000;

/** What the document says in words only: texts that are accepted under these names. */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  field: ["action", "actor_id", "outcome"],
  occurred_at: TIMES,
  occurred_from: TIMES,
  occurred_to: TIMES,
  received_from: TIMES,
  received_to: TIMES,
  expires_at: [1, 900, 3_600].map((days) => new Date(Date.now() + days * MS_PER_DAY).toISOString()),
  // Objects whose members the client names, as JSON.
  headers: ["{}", '{"authorization":"Bearer x"}', '{"x-a":"1","x-b":"2"}'],
  mapping: ["{}"],
  fields: ["{}"],
  allowed_ips: ["192.0.2.7", "198.51.100.0/24", "0.0.0.0/0", "2001:db8::/32", "::1"],
  url: [
    "https://example.com/hooks",
    "https://example.com:8443/a?b=c",
    "https://xn--bcher-kva.example/",
  ],
};

/** Members that an object is accepted with, and those that are then left out: an item of a batch. */
const NEEDED = ["action"];
const LEFT_OUT = ["type"];

/** Texts that have broken programs: in databases, paths, templates, headers, encodings, prototypes. */
export const HOSTILE: readonly string[] = [
  "",
  " ",
  "\t\n",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff\ud800",
  "\ufeff",
  "\ufffe\uffff",
  "\u202egnp.exe",
  "\u0130\u0131\u017f\u212a",
  "e\u0301".repeat(60),
  "👩‍👩‍👧‍👦".repeat(30),
  "𝒳".repeat(255),
  "a".repeat(255),
  "a".repeat(256),
  "a".repeat(257),
  "*",
  "**",
  "%",
  "_%",
  "\\",
  '"',
  "'; DROP TABLE ledger.events; --",
  "$1",
  "../../../../etc/passwd",
  "..%2f..%2f",
  "{{7*7}}${7*7}<%= 7*7 %>",
  "<script>alert(1)</script>",
  "\r\nX-Injected: yes",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "NaN",
  "true",
  "-1",
  "0x10",
  "1e3",
  "9007199254740993",
  "2026-02-30T00:00:00Z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T23:59:60Z",
  "-000001-01-01T00:00:00Z",
  "+010000-01-01T00:00:00Z",
  "http://example.com/",
  "https://127.0.0.1/",
  "https://[::1]/",
  "https://0x7f.1/",
  "https://user:secret@example.com/",
  "https://example.com:99999/",
  "https://\u{1f4a9}/",
  `https://example.com/${"a".repeat(2_100)}`,
];

/** Tokens where a value should stand; some are no JSON. */
const TOKENS = [
  ..."null true false 0 -0 1 -1 1.5 1e400 -1e400 1e-400 9007199254740993 18446744073709551616".split(
    " ",
  ),
  ...'1E5 01 +1 .5 1. 0x10 NaN Infinity undefined "" "text" "\\ud800" "\\u0000" [] {} [null] [[]]'.split(
    " ",
  ),
  ...'{"a":1} {"__proto__":{"a":1}} \'a\' "\\x" "open'.split(" "),
  `1${"0".repeat(400)}`,
  `0.${"1".repeat(400)}`,
  ..."16 31 33 200 20000".split(" ").map((depth) => "[".repeat(Number(depth))),
  ...[15, 30, 31, 32, 33, 64, 500].map((depth) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth)),
];

const json = (value: unknown): string => JSON.stringify(value);

/** Any text, from plain letters to all of Unicode. */
export const anyText: Text = fc.oneof(
  fc.string({ maxLength: MAX_CHARACTERS }),
  fc.string({ maxLength: MAX_CHARACTERS, unit: "binary" }),
  fc.constantFrom(...HOSTILE),
);

/** Texts of JSON that fit `schema`; `name` is that of the member which holds it. */
export function fitting(schema: Schema, name = ""): Text {
  if (schema.const !== undefined) return fc.constant(json(schema.const));
  if (isOneOrMany(schema)) {
    const [one, several] = schema.anyOf;
    return fc.oneof(fitting(one, name), fittingArray(several, name, MAX_TOGETHER));
  }
  if (schema.anyOf) return fitting(schema.anyOf[0], name);
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]).map(json));
  switch (schema.type) {
    case "string":
      return fittingString(schema, name).map(json);
    case "integer":
      return fittingInteger(schema);
    case "boolean":
      return fc.constantFrom("true", "false");
    case "array":
      return fittingArray(schema, name);
    case "object":
      return schema.properties ? members(schema, fitting) : fittingObject(name);
    case undefined:
      return anyValue;
    default:
      throw new Error(`no value is known for ${JSON.stringify(schema)}`);
  }
}

function fittingObject(name: string): Text {
  return name in ACCEPTED ? fc.constantFrom(...(ACCEPTED[name] ?? [])) : freeObject;
}

/** Whether a schema is that of one thing or an array of them. */
const isOneOrMany = ({ anyOf = [] }: Schema): boolean =>
  anyOf.length === 2 && anyOf[1].type === "array";

/** Texts that fit `schema`, without quotes. */
export function fittingString(schema: Schema, name: string): Text {
  if (schema.enum) return fc.constantFrom(...(schema.enum as string[]));
  const accepted = ACCEPTED[name];
  if (accepted !== undefined) return fc.constantFrom(...accepted);
  const { minLength = 1, maxLength = MAX_CHARACTERS } = schema;
  const bounds = [minLength, maxLength].filter((length) => length <= MAX_TRIED_BOUND);
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength, maxLength: MAX_CHARACTERS }).map(visible) },
    { weight: 1, arbitrary: fc.constantFrom(...bounds.map((length) => "x".repeat(length))) },
  );
}

/** Not only spaces: a name is trimmed. */
const visible = (text: string): string => (text.trim() === "" ? "x" : text);

export function fittingInteger({ minimum = -1_000, maximum = 1_000 }: Schema): Text {
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) }) },
      { weight: 1, arbitrary: fc.constantFrom(minimum as number, maximum as number) },
    )
    .map(String);
}

function fittingArray({ items, minItems = 0 }: Schema, name = "", maxLength = MAX_ITEMS): Text {
  return fc
    .array(fitting(items, name), { minLength: minItems, maxLength })
    .map((all) => `[${all.join(",")}]`);
}

const anyValue: Text = fc.jsonValue({ maxDepth: FREE_DEPTH }).map(json);

const freeObject: Text = fc.oneof(
  fc.constant("{}"),
  fc
    .dictionary(
      fc.string({ minLength: 1, maxLength: MAX_CHARACTERS }),
      fc.jsonValue({ maxDepth: FREE_DEPTH }),
      { maxKeys: MAX_ITEMS },
    )
    .map(json),
);

/** An object whose members are made by `each`; those that are not required are left out at times. */
function members(schema: Schema, each: (schema: Schema, name: string) => Text): Text {
  const isNeeded = Object.keys(schema.properties).some((name) => NEEDED.includes(name));
  const named = Object.entries<Schema>(schema.properties).filter(
    ([name]) => !(isNeeded && each === fitting && LEFT_OUT.includes(name)),
  );
  const required: readonly string[] = [...(schema.required ?? []), ...NEEDED];
  const arbitraries = named.map(([name, member]) => {
    const text = each(member, name).map((value) => `${json(name)}:${value}`);
    return required.includes(name) ? text : fc.option(text, { nil: "" });
  });
  return fc.tuple(...arbitraries).map((all) => `{${all.filter((one) => one !== "").join(",")}}`);
}

/** Texts where something may not fit `schema`, anywhere in it; most still are JSON. */
export function doubtful(schema: Schema, name = ""): Text {
  if (isOneOrMany(schema)) {
    const [one, several] = schema.anyOf;
    return fc.oneof(doubtful(one, name), doubtful(several, name));
  }
  if (schema.anyOf) return doubtful(schema.anyOf[0], name);
  const wrong: fc.WeightedArbitrary<string>[] = [
    { weight: 2, arbitrary: fc.constantFrom(...TOKENS) },
    { weight: 2, arbitrary: anyText.map(json) },
    { weight: 1, arbitrary: freeObject },
    { weight: 8, arbitrary: within(schema, name) },
  ];
  if (typeof schema.maxLength === "number") {
    wrong.push({ weight: 1, arbitrary: fc.constant(json("x".repeat(schema.maxLength + 1))) });
  }
  if (typeof schema.minimum === "number") {
    const beyond = [schema.minimum - 1, schema.maximum + 1].map(String);
    wrong.push({ weight: 1, arbitrary: fc.constantFrom(...beyond) });
  }
  return fc.oneof(...wrong);
}

/** Fits at the top, and is doubtful below. */
function within(schema: Schema, name: string): Text {
  if (schema.type === "array") {
    const { maxItems = MAX_TRIED_BOUND } = schema;
    return fc.oneof(
      {
        weight: 40,
        arbitrary: fc
          .array(doubtful(schema.items), { maxLength: MAX_ITEMS })
          .map((all) => `[${all.join(",")}]`),
      },
      { weight: 1, arbitrary: fitting(schema.items).map((one) => repeated(one, maxItems + 1)) },
      { weight: 1, arbitrary: fitting(schema.items).map((one) => repeated(one, maxItems)) },
    );
  }
  if (schema.type !== "object" || !schema.properties) return fitting(schema, name);
  const some = members(schema, (member, of) =>
    fc.oneof(
      { weight: 3, arbitrary: fitting(member, of) },
      { weight: 1, arbitrary: doubtful(member, of) },
    ),
  );
  return fc
    .tuple(some, fc.option(extraMember(schema), { freq: 2, nil: "" }), fc.boolean())
    .map(([object, extra, isFirst]) => withMember(object, extra, isFirst));
}

function repeated(text: string, count: number): string {
  // Long ones would be refused for their size alone.
  const one = text.length > MAX_CHARACTERS ? "{}" : text;
  return `[${Array.from({ length: count }, () => one).join(",")}]`;
}

/** A member that is not in the schema, or one that is there a second time. */
function extraMember(schema: Schema): Text {
  const known = Object.keys(schema.properties);
  const name = fc.oneof(anyText, fc.constantFrom(...known, "__proto__", "constructor", "ID", "Id"));
  return fc.tuple(name, fc.constantFrom(...TOKENS)).map(([of, token]) => `${json(of)}:${token}`);
}

function withMember(object: string, member: string, isFirst: boolean): string {
  if (member === "") return object;
  const inner = object.slice(1, -1);
  const all = isFirst ? [member, inner] : [inner, member];
  return `{${all.filter((one) => one !== "").join(",")}}`;
}
