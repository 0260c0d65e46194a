// Guarantee: what a Parquet file claims of its counts and sizes costs annals-verify neither memory nor time
// beyond what the bytes of the file are good for. It refuses the file with one line that says what is wrong.
// The real command is run with a small heap, and its memory is measured. No claim of the footer lets a query
// see other rows or values than those that were hashed.

import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  columnIn,
  fields,
  type Forgery,
  forged,
  groupIn,
  list,
  type Page,
  textOf,
} from "./forged-parquet.ts";
import { chainOf } from "./made-export.ts";
import { parquetOf, verdictOf } from "./made-parquet.ts";
import { LIST, listHead, Raw, STRUCT, type ThriftStruct, varint } from "./thrift-codec.ts";

/** In the process that is measured: the command starts it in another one. */
const COMMAND = fileURLToPath(new URL("../../packages/annals-verify/src/main.ts", import.meta.url));
const HEAP_MIB = 64;
const MEMORY_MIB = 320;
const WITHIN_MS = 60_000;
const MOST = 2 ** 31 - 1;
const BILLION = 1_000_000_000;
const MIB = 1024 * 1024;
const PARTS = Array.from({ length: 40 }, (_, n) => ({ n }));
const VALID = parquetOf(chainOf("acct_1", PARTS));

/** Prints the largest memory of the process in KiB, as its last line. */
const MEASURE = `data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))`;

function verify(bytes: Buffer) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-parquet-"));
  const file = join(folder.path, "export.parquet");
  writeFileSync(file, bytes);
  const options = [`--max-old-space-size=${HEAP_MIB}`, `--import=${MEASURE}`];
  const words = [...options, "-C", "source", COMMAND, file];
  const ended = spawnSync(process.execPath, words, { encoding: "utf8", timeout: WITHIN_MS });
  const lines = ended.stderr.trimEnd().split("\n");
  return { status: ended.status, lines: lines.slice(0, -1), mib: Number(lines.at(-1)) / 1024 };
}

/** Changes the pages of a column. */
function page(column: string, change: (page: Page) => Page | void): Forgery {
  return { pages: { column, change: (pages) => pages.map((own) => change(own) ?? own) } };
}

/** What the header says of the values. */
const head = ({ header }: Page): ThriftStruct => fields(header[8]);

function footer(change: (footer: ThriftStruct) => unknown): Forgery {
  return {
    footer: (given) => {
      change(given);
      return given;
    },
  };
}

const gap = (isCounted: boolean) => ({ gap: { bytes: Buffer.from("gap"), isCounted } });

/** Values of a page as `size` zeros, which take almost no bytes. */
function bomb(size: number): (page: Page) => Page {
  return ({ header }) => {
    const body = zstdCompressSync(Buffer.alloc(size));
    return { header: { ...header, 3: body.length }, body };
  };
}

function dictionaryOf(count: number, values: Buffer): Page {
  const body = zstdCompressSync(values);
  return { header: { 1: 2, 2: values.length, 3: body.length, 7: { 1: count, 2: 0 } }, body };
}

const deep = Buffer.concat([Buffer.alloc(1_000_000, 0x1c), Buffer.alloc(1_000_001)]);

const HOSTILE: readonly [name: string, forgery: Forgery, message: RegExp][] = [
  [
    "a page of 2^31-1 values",
    page("metadata", (own) => void Object.assign(head(own), { 1: MOST, 3: MOST })),
    /^invalid: line 1: the column metadata of its row group cannot be read: the count of a page/,
  ],
  [
    "a page of 2^31-1 nulls",
    page("actor_id", (own) => {
      Object.assign(head(own), { 1: MOST, 2: MOST, 3: MOST });
    }),
    /the column actor_id .* the count of a page is not a number up to 40$/,
  ],
  [
    "a run of 2^30 nulls",
    page("erased", ({ body, header }) => {
      const run = Buffer.concat([varint(2n ** 31n), Buffer.of(0)]);
      const own = Buffer.concat([run, body.subarray(Number(fields(header[8])[5]))]);
      const size = Number(header[2]) - Number(fields(header[8])[5]) + run.length;
      const more = { ...fields(header[8]), 5: run.length };
      return { header: { ...header, 2: size, 3: own.length, 8: more }, body: own };
    }),
    /the column erased .* (a run is too long|the size of a page)/,
  ],
  [
    "a dictionary of 2^31-1 values",
    {
      pages: {
        column: "action",
        change: (pages) => [dictionaryOf(MOST, Buffer.from("\0\0\0\0")), ...pages],
      },
    },
    /the column action .* the count of its dictionary is not a number up to 40$/,
  ],
  [
    "a page that says it has 2^31-1 bytes",
    page("diff", (own) => void Object.assign(own.header, { 2: MOST })),
    /the column diff .* the size of a page/,
  ],
  [
    "a page that says it has fewer bytes",
    page("diff", (own) => void Object.assign(own.header, { 2: Number(own.header[2]) - 1 })),
    /the column diff .* cannot be read/,
  ],
  [
    "a page that says it takes 2^31-1 bytes in the file",
    footer((own) => Object.assign(columnIn(own, "proof"), { 7: BigInt(MOST) })),
    /the size of a column is not a number up to/,
  ],
  [
    "a page that inflates to a gigabyte",
    page("context", bomb(1024 * MIB)),
    /the column context .* cannot be read/,
  ],
  [
    "a page that inflates to a gigabyte, and says so",
    {
      ...page("context", (own) => {
        const { body, header } = bomb(1024 * MIB)(own);
        return { header: { ...header, 2: 1024 * MIB }, body };
      }),
      ...footer((own) => Object.assign(columnIn(own, "context"), { 6: BigInt(1024 * MIB) })),
    },
    /the size of a column is not a number up to/,
  ],
  [
    "a row group of 10^9 rows",
    footer((own) => {
      own[3] = groupIn(own)[3] = BigInt(BILLION);
      for (const column of list(groupIn(own)[1])) fields(fields(column)[3])[5] = BigInt(BILLION);
    }),
    /^invalid: the footer cannot be read: the rows of a row group is not a number up to 16384$/,
  ],
  [
    "10^9 row groups",
    footer((own) => (own[4] = new Raw(LIST, listHead(BILLION, STRUCT)))),
    /^invalid: the footer cannot be read: /,
  ],
  [
    "30 million row groups without columns",
    footer((own) => {
      const size = 30_000_000;
      own[4] = new Raw(LIST, Buffer.concat([listHead(size, STRUCT), Buffer.alloc(size)]));
    }),
    /^invalid: a row group is not stored as those of exports$/,
  ],
  [
    "a row group of 10^9 columns",
    footer((own) => (groupIn(own)[1] = new Raw(LIST, listHead(BILLION, STRUCT)))),
    /^invalid: the footer cannot be read: it has too many values$/,
  ],
  [
    "a row group of a million truths, which take no bytes",
    footer((own) => (groupIn(own)[1] = new Raw(LIST, listHead(1_000_000, 1)))),
    /^invalid: the footer cannot be read: it has too many values$/,
  ],
  [
    "10^9 entries",
    footer((own) => (own[5] = new Raw(LIST, listHead(BILLION, STRUCT)))),
    /^invalid: the footer cannot be read: it has too many values$/,
  ],
  [
    "a schema that nests a column in itself",
    footer((own) => Object.assign(fields(list(own[2])[1]), { 5: MOST })),
    /^invalid: the columns are not those of exports$/,
  ],
  [
    "a footer of a million structs in each other",
    footer((own) => (own[6] = new Raw(STRUCT, deep))),
    /^invalid: the footer cannot be read: it has too many values$/,
  ],
];

test.each(HOSTILE)("%s: refused, in little memory", (_, forgery, expected) => {
  const { lines, mib, status } = verify(forged(VALID, forgery));
  expect({ status, lines }).toEqual({ status: 1, lines: [expect.stringMatching(expected)] });
  expect(mib).toBeLessThan(MEMORY_MIB);
});

test("the same file, forged in nothing, is valid within that memory", () => {
  const { lines, mib, status } = verify(forged(VALID, {}));
  expect({ status, lines }).toEqual({ status: 0, lines: [] });
  expect(mib).toBeLessThan(MEMORY_MIB);
});

describe("a claim of the footer that would let a query see something else is refused:", () => {
  const statistics = (own: ThriftStruct, name: string): ThriftStruct =>
    fields(columnIn(own, name)[12]);

  test.each<[string, Forgery, RegExp]>([
    [
      "a lower bound above a value",
      footer((own) => (statistics(own, "action")[6] = Buffer.from("b"))),
      /the column action .* the footer has other bounds of its values$/,
    ],
    [
      "an upper bound below a value",
      footer((own) => (statistics(own, "sequence_number")[5] = Buffer.alloc(8))),
      /the column sequence_number .* the footer has other bounds of its values$/,
    ],
    [
      "a bound that is called exact, and is no value",
      footer((own) => (statistics(own, "action")[6] = Buffer.from("A"))),
      /the column action .* the footer has other bounds of its values$/,
    ],
    [
      "another count of nulls",
      footer((own) => (statistics(own, "actor_id")[3] = 39n)),
      /the column actor_id .* the footer has another count of its nulls$/,
    ],
    [
      "a count of distinct values",
      footer((own) => (statistics(own, "action")[4] = 1n)),
      /a column is not stored as those of exports$/,
    ],
    [
      "an entry that is not that of the manifest",
      footer((own) => {
        const entries = list(own[5]).map(fields);
        const count = entries.find((entry) => textOf(entry[1]) === "annals.event_count");
        if (count) count[2] = Buffer.from("41");
      }),
      /the footer's annals.event_count is another one$/,
    ],
    ["bytes behind the row groups", gap(true), /size_bytes is not that of the row groups$/],
    ["such bytes, not counted", gap(false), /size_bytes is not that of the row groups$/],
    ["fewer rows", footer((own) => (own[3] = 39n)), /the footer counts other rows/],
    [
      "times in milliseconds",
      footer((own) => {
        const time = list(own[2])
          .map(fields)
          .find((column) => textOf(column[4]) === "created_at");
        fields(fields(time?.[10])[8])[2] = { 1: {} };
      }),
      /the columns are not those of exports$/,
    ],
    [
      "a column under the name of another",
      footer((own) => list(own[2]).splice(2, 2, ...list(own[2]).slice(2, 4).toReversed())),
      /the columns are not those of exports$/,
    ],
    [
      "the values of another column",
      footer((own) => (columnIn(own, "hash")[9] = columnIn(own, "previous_hash")[9] ?? 0n)),
      /a column is not stored as those of exports$/,
    ],
    [
      "a filter in place of the values",
      footer((own) => (columnIn(own, "action")[14] = 4n)),
      /a column is not stored as those of exports$/,
    ],
    [
      "an index of pages",
      footer((own) => (fields(list(groupIn(own)[1])[0])[4] = 4n)),
      /a column is not stored as those of exports$/,
    ],
    [
      "an entry twice",
      footer((own) =>
        list(own[5]).unshift({ 1: Buffer.from("annals.chain"), 2: Buffer.from("x") }),
      ),
      /it has an entry twice$/,
    ],
  ])("%s", async (_, forgery, expected) => {
    expect(await verdictOf(forged(VALID, forgery))).toMatch(expected);
  });

  test("and none of that is in the file as it was", async () => {
    expect(await verdictOf(forged(VALID, {}))).toBe("Error: valid");
  });
});
