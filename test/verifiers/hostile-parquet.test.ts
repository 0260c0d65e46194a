// Guarantee: what a Parquet file claims of its counts and sizes costs annals-verify neither memory nor time
// beyond what the bytes of the file are good for. It refuses the file with one line that says what is wrong.
// The real command is run with a small heap, and its memory is measured.

import { commandArguments } from "@annals/testing";
import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  columnIn,
  fields,
  footerWith,
  type Forgery,
  forged,
  groupIn,
  list,
  type Page,
} from "./forged-parquet.ts";
import { chainOf } from "./made-export.ts";
import { parquetOf } from "./made-parquet.ts";
import { LIST, listHead, Raw, STRUCT, type ThriftStruct, varint } from "./thrift-codec.ts";

const COMMAND = commandArguments("annals-verify");
const HEAP_MIB = 64;
const MEMORY_MIB = 320;
const WITHIN_MS = 60_000;
const MOST = 2 ** 31 - 1;
const BILLION = 1_000_000_000;
const MIB = 1024 * 1024;
/** Twice the memory that a process may take at most. */
const BOMB = 2 * MEMORY_MIB * MIB;
const PARTS = Array.from({ length: 40 }, (_, n) => ({ n }));
const VALID = parquetOf(chainOf("acct_1", PARTS));

/** Prints the largest memory of the process in KiB, as its last line. */
const MEASURE = `data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))`;

function verify(bytes: Buffer) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-parquet-"));
  const file = join(folder.path, "export.parquet");
  writeFileSync(file, bytes);
  const options = [`--max-old-space-size=${HEAP_MIB}`, `--import=${MEASURE}`];
  const words = [...options, ...COMMAND, file];
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
    footerWith((own) => Object.assign(columnIn(own, "proof"), { 7: BigInt(MOST) })),
    /the size of a column is not a number up to/,
  ],
  [
    "a page that inflates to more than that memory",
    page("context", bomb(BOMB)),
    /the column context .* cannot be read/,
  ],
  [
    "a page that inflates to more than that memory, and says so",
    {
      ...page("context", (own) => {
        const { body, header } = bomb(BOMB)(own);
        return { header: { ...header, 2: BOMB }, body };
      }),
      ...footerWith((own) => Object.assign(columnIn(own, "context"), { 6: BigInt(BOMB) })),
    },
    /the size of a column is not a number up to/,
  ],
  [
    "a row group of 10^9 rows",
    footerWith((own) => {
      own[3] = groupIn(own)[3] = BigInt(BILLION);
      for (const column of list(groupIn(own)[1])) fields(fields(column)[3])[5] = BigInt(BILLION);
    }),
    /^invalid: the footer cannot be read: the rows of a row group is not a number up to 16384$/,
  ],
  [
    "10^9 row groups",
    footerWith((own) => (own[4] = new Raw(LIST, listHead(BILLION, STRUCT)))),
    /^invalid: the footer cannot be read: /,
  ],
  [
    // Each as an object would take more than the heap.
    "3 million row groups without columns",
    footerWith((own) => {
      const size = 3_000_000;
      own[4] = new Raw(LIST, Buffer.concat([listHead(size, STRUCT), Buffer.alloc(size)]));
    }),
    /^invalid: a row group is not stored as those of exports$/,
  ],
  [
    "a row group of 10^9 columns",
    footerWith((own) => (groupIn(own)[1] = new Raw(LIST, listHead(BILLION, STRUCT)))),
    /^invalid: the footer cannot be read: it has too many values$/,
  ],
  [
    "a row group of a million truths, which take no bytes",
    footerWith((own) => (groupIn(own)[1] = new Raw(LIST, listHead(1_000_000, 1)))),
    /^invalid: the footer cannot be read: it has too many values$/,
  ],
  [
    "10^9 entries",
    footerWith((own) => (own[5] = new Raw(LIST, listHead(BILLION, STRUCT)))),
    /^invalid: the footer cannot be read: it has too many values$/,
  ],
  [
    "a schema that nests a column in itself",
    footerWith((own) => Object.assign(fields(list(own[2])[1]), { 5: MOST })),
    /^invalid: the columns are not those of exports$/,
  ],
  [
    "a schema of 30 MiB of bytes",
    footerWith((own) => (own[2] = Buffer.alloc(30 * MIB, 0xff))),
    /^invalid: the footer cannot be read: its field 2 has over 4096 bytes$/,
  ],
  [
    "a column of the schema with a name of 30 MiB",
    footerWith((own) => (fields(list(own[2])[1])[4] = Buffer.alloc(30 * MIB, 0xff))),
    /^invalid: the footer cannot be read: its field 2 has over 4096 bytes$/,
  ],
  [
    "a column of a row group with a name of 30 MiB",
    footerWith((own) => (columnIn(own, "proof")[3] = [Buffer.alloc(30 * MIB, 0xff)])),
    /^invalid: a column is not stored as those of exports$/,
  ],
  [
    "a column of a row group with the name of another behind its own",
    footerWith((own) => list(columnIn(own, "proof")[3]).push(Buffer.from("diff"))),
    /^invalid: a column is not stored as those of exports$/,
  ],
  [
    "an entry of 30 MiB",
    footerWith((own) => list(own[5]).push({ 1: Buffer.alloc(30 * MIB, 0xff), 2: Buffer.of() })),
    /^invalid: the footer cannot be read: its field 5 has over 8388608 bytes$/,
  ],
  [
    "a footer of a million structs in each other",
    footerWith((own) => (own[6] = new Raw(STRUCT, deep))),
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
