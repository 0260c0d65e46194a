// Guarantee: whatever is added to a Parquet export, with sizes, digests and a manifest that fit,
// annals-verify refuses: a field of any struct, a value of any list, an entry at any place, bytes between any
// two parts, a frame in any page, a value in a dictionary, a longer form of a number. Nothing is left to
// another reader.

import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fields, type Forgery, forged, list, type Page } from "./forged-parquet.ts";
import { chainOf } from "./made-export.ts";
import { parquetOf, verdictOf } from "./made-parquet.ts";
import { encode, LIST, Raw, type Thrift, type ThriftStruct, varint } from "./thrift-codec.ts";

/** Enough of one action for a dictionary. */
const MADE = chainOf(
  "acct_1",
  Array.from({ length: 12 }, (_, n) => ({ n })),
  1,
  undefined,
  { action: "user.login" },
);
const VALID = parquetOf(MADE);
const ALL_VALID = "Error: valid";
const COLUMNS = ["sequence_number", "action", "erased", "proof"];
const I32 = 5;
const I64 = 6;

/** Structs and lists of a value, each with what leads to it. */
function* places(value: Thrift, path: string): Generator<[string, Thrift[] | ThriftStruct]> {
  if (typeof value !== "object" || Buffer.isBuffer(value) || value instanceof Raw) return;
  yield [path, value];
  for (const [name, inner] of Object.entries(value))
    yield* places(inner as Thrift, `${path}.${name}`);
}

/** What is added to a struct or list of this kind, by a name. */
function additions(given: Thrift[] | ThriftStruct): [string, () => void][] {
  if (Array.isArray(given))
    return [
      ["the last value again", () => void given.push(given.at(-1) ?? {})],
      ["the first value again", () => void given.unshift(given[0] ?? {})],
    ];
  const ids = Object.keys(given).map(Number);
  const missing = Array.from({ length: Math.max(0, ...ids) + 3 }, (_, at) => at + 1).filter(
    (id) => !ids.includes(id) && id < 15,
  );
  const values: readonly Thrift[] = [1, Buffer.from("x")];
  return missing.flatMap((id) =>
    values.map((value): [string, () => void] => [
      `field ${id} as ${typeof value}`,
      () => void (given[id] = value),
    ]),
  );
}

/** Other forms of the values of a struct or list, which a reader may understand as the same or skip. */
function forms(given: Thrift[] | ThriftStruct): [string, () => void][] {
  const set = (name: string, value: Thrift) => () => void Object.assign(given, { [name]: value });
  return Object.entries(given).flatMap(
    ([name, value]: [string, Thrift]): [string, () => void][] => {
      // The first value of a list gives the type of all.
      if (Array.isArray(given) && name !== "0") return [];
      if (typeof value === "number")
        return [
          [`${name} of 64 bits`, set(name, BigInt(value))],
          [`${name} in a longer form`, set(name, new Raw(I32, longer(BigInt(value) * 2n)))],
          [
            `${name} with bits too many`,
            set(name, new Raw(I32, varint(BigInt(value) * 2n + 2n ** 33n))),
          ],
        ];
      if (typeof value === "bigint")
        return [
          [`${name} of 32 bits`, set(name, Number(value))],
          [`${name} in a longer form`, set(name, new Raw(I64, longer(value * 2n)))],
        ];
      // What a test fits by itself: the digest, and the manifest, whose text has a shape.
      const text = Buffer.isBuffer(value) ? value.toString("latin1") : "";
      const isFitted = /^(?:\{|[0-9a-f]{64}$)/.test(text) && name === "2";
      if (Buffer.isBuffer(value) && isFitted) return [];
      if (Buffer.isBuffer(value))
        return [[`${name} longer`, set(name, Buffer.concat([value, Buffer.of(0)]))]];
      if (Array.isArray(value) && value.length < 15)
        return [[`${name} with a long head`, set(name, new Raw(LIST, longHead(value)))]];
      return [];
    },
  );
}

/** A number of one byte more than it needs. */
function longer(value: bigint): Buffer {
  const bytes = varint(value);
  return Buffer.from([...bytes.subarray(0, -1), (bytes.at(-1) ?? 0) | 0x80, 0]);
}

function longHead(values: readonly Thrift[]): Buffer {
  const own = encode([...values]);
  return Buffer.concat([Buffer.of(0xf0 | ((own[0] ?? 0) & 15), values.length), own.subarray(1)]);
}

const wanted = (path: string): boolean => {
  const [, column] = /^footer\.4\.0\.1\.(\d+)/.exec(path) ?? [];
  return column === undefined || ["0", "2", "6", "18"].includes(column);
};

/** Applies each change of a footer in turn, and names those that are accepted. */
async function acceptedInFooter(changesOf: typeof additions): Promise<string[]> {
  let paths: string[] = [];
  const record = (own: ThriftStruct): ThriftStruct => {
    const all = [...places(own, "footer")].filter(([path]) => wanted(path));
    paths = all.flatMap(([path, given]) => changesOf(given).map(([name]) => `${path}: ${name}`));
    return own;
  };
  forged(VALID, { footer: record });
  expect(paths.length).toBeGreaterThan(50);
  const accepted: string[] = [];
  for (const [number, path] of paths.entries()) {
    const footer = (own: ThriftStruct): ThriftStruct => {
      const all = [...places(own, "footer")].filter(([each]) => wanted(each));
      all.flatMap(([, given]) => changesOf(given))[number]?.[1]();
      return own;
    };
    if ((await verdictOf(forged(VALID, { footer }))) === ALL_VALID) accepted.push(path);
  }
  return accepted;
}

test("a field or a value in each struct and list of the footer", async () => {
  expect(await acceptedInFooter(additions)).toEqual([]);
}, 240_000);

test("another form of each number, text and list of the footer", async () => {
  expect(await acceptedInFooter(forms)).toEqual([]);
}, 240_000);

describe("an entry of the footer, at each place:", () => {
  test.each(["pandas", "ARROW:schema", "approved_by", "annals.chain", "annals.x", ""])(
    "%j",
    async (key) => {
      for (let at = 0; at <= 9; at += 1) {
        const entry = { 1: Buffer.from(key), 2: Buffer.from("{}") };
        const footer = (own: ThriftStruct) => {
          list(own[5]).splice(at, 0, entry);
          return own;
        };
        expect(await verdictOf(forged(VALID, { footer }))).not.toBe(ALL_VALID);
      }
    },
  );

  test("two entries in another order", async () => {
    const footer = (own: ThriftStruct) => {
      own[5] = [...list(own[5]).slice(1, 2), ...list(own[5]).slice(0, 1), ...list(own[5]).slice(2)];
      return own;
    };
    expect(await verdictOf(forged(VALID, { footer }))).not.toBe(ALL_VALID);
  });
});

const SKIPPABLE = Buffer.from("502a4d180100000078", "hex");
const levelBytes = ({ header }: Page): number => Number(fields(header[8] ?? {})[5] ?? 0);

/** The page with other bytes, and a header that says how many. */
const withBody = ({ header }: Page, body: Buffer): Page => ({
  header: { ...header, 3: body.length },
  body,
});

/** What is in each page of a column that should be refused, and what is said of it. */
const PAGES: Readonly<Record<string, (page: Page) => Page>> = {
  "a byte behind the frame": (page) => withBody(page, Buffer.concat([page.body, Buffer.of(0)])),
  "a second frame": (page) => withBody(page, Buffer.concat([page.body, zstdCompressSync("x")])),
  "a second frame of no bytes": (page) =>
    withBody(page, Buffer.concat([page.body, zstdCompressSync("")])),
  "a skippable frame behind the frame": (page) =>
    withBody(page, Buffer.concat([page.body, SKIPPABLE])),
  "a skippable frame before the frame": (page) => {
    const at = levelBytes(page);
    return withBody(
      page,
      Buffer.concat([page.body.subarray(0, at), SKIPPABLE, page.body.subarray(at)]),
    );
  },
  "a checksum of the page": ({ body, header }) => ({ body, header: { ...header, 4: 1 } }),
  "another kind of header": ({ body, header }) => ({ body, header: { ...header, 5: {} } }),
  "a flag of its compression": ({ body, header }) =>
    header[8] === undefined
      ? { body, header: { ...header, 9: 1 } }
      : { body, header: { ...header, 8: { ...fields(header[8]), 7: true } } },
  "statistics of the page": ({ body, header }) =>
    header[8] === undefined
      ? { body, header: { ...header, 9: 1 } }
      : { body, header: { ...header, 8: { ...fields(header[8]), 8: { 3: 0n } } } },
};

describe("in the pages of a column:", () => {
  const pages = (column: string, change: (all: Page[]) => Page[]): Forgery => ({
    pages: { column, change },
  });

  test.each(
    COLUMNS.flatMap((column) =>
      Object.entries(PAGES).map(([name, change]) => [column, name, change] as const),
    ),
  )("%s: %s", async (column, _, change) => {
    expect(
      await verdictOf(
        forged(
          VALID,
          pages(column, (all) => all.map(change)),
        ),
      ),
    ).not.toBe(ALL_VALID);
  });

  test.each(COLUMNS)("%s: a page again, and bytes behind all", async (column) => {
    const again = pages(column, (all) => [...all, ...all.slice(-1)]);
    expect(await verdictOf(forged(VALID, again))).not.toBe(ALL_VALID);
    const behind = pages(column, (all) => [...all, { header: {}, body: Buffer.alloc(9) }]);
    expect(await verdictOf(forged(VALID, behind))).not.toBe(ALL_VALID);
  });

  test("a value in the dictionary that no row has", async () => {
    const more = pages("action", ([dictionary, ...rest]) => {
      const values = ["user.login", "admin.approved"].map((value) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(value.length);
        return Buffer.concat([length, Buffer.from(value)]);
      });
      const body = Buffer.concat(values);
      const header = { ...dictionary?.header, 2: body.length, 7: { 1: 2, 2: 0 } };
      return [withBody({ header, body }, zstdCompressSync(body)), ...rest];
    });
    expect(await verdictOf(forged(VALID, more))).toMatch(
      /its dictionary has other values than it$/,
    );
  });

  test("a level with bits that no reader agrees on", async () => {
    const level = pages("erased", (all) =>
      all.map(({ body, header }) => {
        const changed = Buffer.from(body);
        // The run of nulls, of which the value is in a byte and has one bit.
        changed[1] = 2;
        return { header, body: changed };
      }),
    );
    expect(await verdictOf(forged(VALID, level))).toMatch(/more bits than its numbers$/);
  });
});

test("bytes before, between and behind the parts of the file", async () => {
  const length = VALID.readUInt32LE(VALID.length - 8);
  const footerAt = VALID.length - 8 - length;
  const ends = [0, 4, footerAt, VALID.length - 8, VALID.length - 4, VALID.length];
  for (const at of ends)
    for (const text of ["\0", "x", "PAR1", "\n"]) {
      const bytes = Buffer.concat([VALID.subarray(0, at), Buffer.from(text), VALID.subarray(at)]);
      expect(await verdictOf(bytes)).not.toBe(ALL_VALID);
    }
  for (const isCounted of [true, false])
    expect(await verdictOf(forged(VALID, { gap: { bytes: Buffer.of(0), isCounted } }))).not.toBe(
      ALL_VALID,
    );
});

test("the same file, forged in nothing, is valid, and has a dictionary", async () => {
  expect(await verdictOf(forged(VALID, {}))).toBe(ALL_VALID);
  expect(
    await verdictOf(forged(VALID, { pages: { column: "action", change: (all) => all } })),
  ).toBe(ALL_VALID);
  forged(VALID, {
    pages: { column: "action", change: (all) => (expect(all).toHaveLength(2), all) },
  });
});
