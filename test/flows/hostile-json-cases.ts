// JSON that has broken other systems, each text with what has to become of it. Called by
// hostile-json.test.ts.

/** A member value as it is sent, and as it comes back: in the canonical form of RFC 8785. */
export const FAITHFUL: readonly (readonly [sent: string, returned: string])[] = [
  ["[1.0,-0,1E5,1E30,2e-3,9007199254740991]", "[1,0,100000,1e+30,0.002,9007199254740991]"],
  [
    '"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"',
    '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
  ],
  ['"\\ud83d\\ude00e\\u0301"', '"😀e\u0301"'],
  ['"\u2028\u2029\ufeff\ufffd\u007f"', '"\u2028\u2029\ufeff\ufffd\u007f"'],
  ["[ null , true,false\n]", "[null,true,false]"],
  ['{"10":1,"9":2,"":3,"a":4,"A":5,"1":6}', '{"":3,"1":6,"10":1,"9":2,"A":5,"a":4}'],
  [
    '{"__proto__":{"x":1},"constructor":{"prototype":1},"toJSON":2,"then":3}',
    '{"__proto__":{"x":1},"constructor":{"prototype":1},"then":3,"toJSON":2}',
  ],
  ['{"$ref":"#","$where":"1","a.b":1,"a[0]":2}', '{"$ref":"#","$where":"1","a.b":1,"a[0]":2}'],
  ['[{},[],{"":{}},[[]]]', '[{},[],{"":{}},[[]]]'],
];

const utf8 = (text: string) => Buffer.from(text);
const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? utf8(part) : Buffer.from(part))));

/** A text of an object, `depth` deep, in which a name appears twice. */
const twice = (depth: number) => `${'{"d":'.repeat(depth)}{"x":1,"y":2,"x":1}${"}".repeat(depth)}`;

/**
 * Values of `metadata` that are refused, and the place that the refusal names: of each kind a few.
 * libs/event/src/json/read-json-refusals.test.ts has them all.
 */
export const UNFAITHFUL: readonly (readonly [string | Buffer, place: string])[] = [
  ...["1e400", "9007199254740993", "333333333.33333329"].map(
    (number) => [`{"a":[0,{"n":${number}}]}`, "metadata.a[1].n"] as const,
  ),
  ...[0, 1, 29].map((depth) => [twice(depth), `metadata${".d".repeat(depth)}.x`] as const),
  ['{"\\u0061":1,"a":2}', "metadata.a"],
  ['{"__proto__":1,"__proto__":2}', "metadata.__proto__"],
  ['{"a":null,"a":null}', "metadata.a"],
  ...["\\ud800", "\\udc00\\ud800", "\\u0000"].map(
    (text) => [`{"s":"${text}"}`, "metadata.s"] as const,
  ),
  ['{"n":{"\\ud800":1}}', "metadata.n"],
  ['{"n":{"\\u0000":1}}', "metadata.n"],
  [bytes('{"s":"x', [0xff], 'y"}'), "metadata.s"],
  ...["NaN", "-Infinity", "undefined", "01"].map(
    (word) => [`{"w":${word}}`, "metadata.w"] as const,
  ),
  ['{"a":1,}', "metadata"],
  ["{/**/}", "metadata"],
  ['{"a":"\n"}', "metadata.a"],
  [`{"a":${"[".repeat(31)}${"]".repeat(31)}}`, `metadata.a${"[0]".repeat(30)}`],
];

const KIB = 1024;
const MIB = 1024 * KIB;

/** Whole bodies of one event that are refused, whatever their size. */
export const HOSTILE_BODIES: readonly (readonly [
  what: string,
  body: string | Buffer,
  place: string,
])[] = [
  ["1 MiB of [", "[".repeat(MIB), "[0]".repeat(31)],
  ['1 MiB of {"a":', '{"a":'.repeat(MIB / 5), `a${".a".repeat(31)}`],
  [
    "1 MiB of [ inside metadata",
    `{"action":"a","metadata":{"m":${"[".repeat(MIB - 100)}`,
    `metadata.m${"[0]".repeat(29)}`,
  ],
  ["1 MiB of quotes", '"'.repeat(MIB), ""],
  ["1 MiB of backslashes", `{"action":"${"\\".repeat(MIB - 12)}`, "action"],
  ["1 MiB of digits", `{"action":${"7".repeat(MIB - 11)}`, "action"],
  ["an exponent of 1 MiB", `{"action":1e${"9".repeat(MIB - 13)}}`, "action"],
  ["a name of 1 MiB", `{"action":"a","${"n".repeat(MIB - 30)}":1}`, "n".repeat(80)],
  ["a byte order mark", bytes([0xef, 0xbb, 0xbf], '{"action":"a"}'), ""],
  ["two texts", '{"action":"a"}{"action":"b"}', ""],
  ["UTF-16", Buffer.from('{"action":"a"}', "utf16le"), ""],
  ["nothing but a zero byte", bytes([0]), ""],
  [
    "500,000 elements",
    `{"action":"a","metadata":{"m":[${"1,".repeat(500_000)}1]}}`,
    "metadata.m[39997]",
  ],
  ["90,000 members", names(90_000, (name) => `{"action":"a","metadata":{${name}}}`), "metadata"],
  ["32,768 members", names(32_768, (name) => `{"action":"a","metadata":{${name}}}`), "body"],
  [
    "a repeated name after 32,767 others",
    names(32_767, (name) => `{"action":"a","metadata":{${name},"k0":1}}`),
    "metadata.k0",
  ],
];

function names(count: number, around: (names: string) => string): string {
  return around(Array.from({ length: count }, (_, n) => `"k${n.toString(36)}":${n % 10}`).join());
}

/** What fits in one event and in the values that a batch may have. */
const BATCH_EVENTS = 24;
const MEMBERS_OF_EVENT = 2_450;

const batch = (metadata: (index: number) => string, count = BATCH_EVENTS) =>
  `{"events":[${Array.from({ length: count }, (_, n) => `{"type":"a","metadata":${metadata(n)}}`).join()}]}`;

const members = (index: number, item: (n: number) => string, count = MEMBERS_OF_EVENT) =>
  Array.from({ length: count }, (_, n) => item(index * count + n)).join();

/** Batches that use the limits up. All are stored. */
export const HEAVY_BATCHES: readonly (readonly [what: string, body: string])[] = [
  [
    "different names",
    batch((index) => `{${members(index, (n) => `"k${(n * 7919).toString(36)}":1`)}}`),
  ],
  [
    "integer names",
    batch((index) => `{${members(index, (n) => `"${(n * 7919) % 4_294_967_291}":1`)}}`),
  ],
  ["escaped names", batch((index) => `{${members(index, (n) => `"\\u006b\\n${n}":1`)}}`)],
  [
    "objects with a name of their own each",
    batch((index) => `{"m":[${members(index, (n) => (n % 2 === 0 ? `{"k${n}":1}` : "[]"))}]}`, 16),
  ],
  [
    "numbers of 17 digits",
    batch((index) => `{"m":[${members(index, (n) => `${(n + 1) * 1.1}`, 3_000)}]}`, 19),
  ],
  ["4 MiB of strings", batch(() => `{"m":"${"é\\u0001".repeat(8_100)}"}`, 63)],
];

/** A batch of 4 MiB with many more values than are allowed. */
export const TOO_MANY_VALUES = names(
  32_000,
  (name) => `{"events":[{"type":"a","metadata":{"m":[${`{${name}},`.repeat(12)}{}]}}]}`,
);
