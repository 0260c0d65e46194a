// Guarantee: other programs find in what the service writes the same rows and files as annals-verify: pandas,
// pyarrow and DuckDB in exports, zstd and DuckDB in objects of sinks and archives, GNU tar in bundles. Of
// files that were made to show them something else, which is tried here, annals-verify accepts none. Readers
// that are not there are left out, and a line says so.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { has } from "../system/needs.ts";
import { columnIn, fields, footerWith, forged, list } from "./forged-parquet.ts";
import {
  type Files,
  tarHeader,
  tarOf,
  vectorFiles,
  verdictOf as bundleVerdict,
} from "./made-bundle.ts";
import { chainOf, csvOf, exportOf, verdict } from "./made-export.ts";
import { parquetOf, verdictOf } from "./made-parquet.ts";
import { linesOf, nameOf, replaceObject, sinkVerdict, write } from "./made-sink.ts";
import { pythonReaders } from "./python-readers.ts";

const MADE = chainOf(
  "acct_1",
  Array.from({ length: 40 }, (_, n) => ({ n, text: "é€😀\u{2028}\u{85}\u{feff}" })),
);
const ROWS = MADE.places.map((place, at) => [
  place.sequence_number,
  `a.${at} "é"`,
  "u_1",
  "",
  place.hash,
]);
const PARQUET = parquetOf(MADE);
const LINES = linesOf(1, 30);
const ZSTD = zstdCompressSync(LINES.map((line) => `${line}\n`).join(""));
const FORGED =
  '{"sequence_number":31,"action":"admin.approved","actor":{"id":"ceo"},"target":{},"hash":""}';
const FRAMES = Buffer.concat([ZSTD, zstdCompressSync(`${FORGED}\n`)]);

/** pandas takes two columns under each other's names. */
const PANDAS = {
  index_columns: ["actor_id", "target_id"],
  column_indexes: [],
  columns: [
    {
      field_name: "actor_id",
      name: "target_id",
      pandas_type: "unicode",
      numpy_type: "object",
      metadata: null,
    },
    {
      field_name: "target_id",
      name: "actor_id",
      pandas_type: "unicode",
      numpy_type: "object",
      metadata: null,
    },
  ],
};
const swapped = forged(
  PARQUET,
  footerWith((own) =>
    list(own[5]).splice(-1, 0, {
      1: Buffer.from("pandas"),
      2: Buffer.from(JSON.stringify(PANDAS)),
    }),
  ),
);
/** DuckDB leaves out a row group whose largest number is below what is asked for. */
const hidden = forged(
  PARQUET,
  footerWith((own) => {
    const statistics = fields(columnIn(own, "sequence_number")[12]);
    [statistics[5], statistics[6]] = [Buffer.alloc(8), Buffer.alloc(8)];
  }),
);
/** A cell with quotes and a line break, which the service quotes, and without quotes around it. */
const BROKEN = chainOf("acct_1", [{}, {}], 1, undefined, { action: 'a"b\r\nc"d' });
const unquoted = csvOf({
  ...BROKEN,
  records: BROKEN.records.map((record) => record.replace('"a""b\r\nc""d"', 'a"b\r\nc"d')),
});

const folder = mkdtempSync(join(tmpdir(), "annals-readers-"));
afterAll(() => rmSync(folder, { recursive: true }));

const GIVEN: Readonly<Record<string, Buffer | string>> = {
  "export.jsonl": exportOf(MADE),
  "export.csv": csvOf(MADE),
  "export.parquet": PARQUET,
  "object.jsonl.zst": ZSTD,
  "swapped.parquet": swapped,
  "hidden.parquet": hidden,
  "broken.csv": csvOf(BROKEN),
  "unquoted.csv": unquoted,
  "frames.jsonl.zst": FRAMES,
};
const pathOf = (name: string) => join(folder, name);
for (const [name, bytes] of Object.entries(GIVEN)) writeFileSync(pathOf(name), bytes);

/** What each reader finds in each file. */
const found = await readAll();

async function readAll(): Promise<
  Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
> {
  const readers = await pythonReaders();
  if (readers === undefined) return undefined;
  const script = join(import.meta.dirname, "other_readers.py");
  const { stderr, stdout } = spawnSync(
    readers.command,
    [script, ...Object.keys(GIVEN).map(pathOf)],
    {
      encoding: "utf8",
      env: { ...process.env, ...readers.environment },
      maxBuffer: 1 << 26,
    },
  );
  expect(stderr).toBe("");
  const names = Object.keys(GIVEN);
  return Object.fromEntries(
    (JSON.parse(stdout) as object[]).map((each, at) => [names[at], each]),
  ) as never;
}

/** Whether a program is there; of tar, the one of GNU. */
function hasProgram(command: "tar" | "zstd"): boolean {
  const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
  return has(command, status === 0 && (command !== "tar" || stdout.includes("GNU tar")));
}

describe("in a genuine file each reader finds the rows that were hashed:", () => {
  test.each(["export.jsonl", "export.csv", "export.parquet"])("%s", async (name) => {
    expect(await said(name)).toBe("Error: valid");
    for (const [reader, rows] of Object.entries(found?.[name] ?? {}))
      expect(rows, reader).toEqual(ROWS);
  });
});

async function said(name: string): Promise<string> {
  const bytes = GIVEN[name] ?? "";
  return Buffer.isBuffer(bytes) ? verdictOf(bytes) : verdict(bytes);
}

describe("a file that shows a reader something else is refused:", () => {
  test.each([
    ["swapped.parquet", "export.parquet", /the entries of the footer/],
    ["hidden.parquet", "export.parquet", /other bounds of its values/],
    ["unquoted.csv", "broken.csv", /has other quotes/],
  ])("%s", async (name, genuine, expected) => {
    expect(await said(genuine)).toBe("Error: valid");
    expect(await said(name)).toMatch(expected);
    if (found === undefined) return;
    // Otherwise nothing would have to refuse it.
    const [seen, own] = [found[name], found[genuine]];
    const isOther = (reader: string) =>
      JSON.stringify(seen?.[reader]) !== JSON.stringify(own?.[reader]);
    expect(Object.keys(own ?? {}).some(isOther)).toBe(true);
  });

  test("an object of a sink with a second frame of zstd", async () => {
    const bucket = mkdtempSync(join(folder, "bucket-"));
    await write(bucket, { from: 1, to: 30 });
    expect(await sinkVerdict(bucket)).toMatch(/^valid: valid: 30 events /);
    await replaceObject(bucket, nameOf({ from: 1, to: 30 }), () => FRAMES);
    expect(await sinkVerdict(bucket)).toMatch(/^invalid: .* has bytes behind its zstd frame$/);
    if (hasProgram("zstd")) {
      const lines = (name: string) =>
        spawnSync("zstd", ["-dc", pathOf(name)], { encoding: "utf8" }).stdout.split("\n");
      expect(lines("object.jsonl.zst").slice(0, -1)).toEqual(LINES);
      expect(lines("frames.jsonl.zst").slice(0, -1)).toEqual([...LINES, FORGED]);
    }
    if (found === undefined) return;
    const hashes = (name: string) => {
      const rows = found[name]?.["DuckDB"];
      return Array.isArray(rows) ? rows.map((row: readonly unknown[]) => row.at(-1)) : rows;
    };
    const own = LINES.map((line) => (JSON.parse(line) as { hash: string }).hash);
    expect(hashes("object.jsonl.zst")).toEqual(own);
    expect(hashes("frames.jsonl.zst")).toEqual([...own, ""]);
  });
});

describe("a bundle:", () => {
  const FULL = vectorFiles("full");

  /** The files that GNU tar finds. */
  function extracted(tar: Buffer): Files {
    const own = mkdtempSync(join(folder, "tar-"));
    writeFileSync(join(own, "own.tar"), tar);
    const run = (...words: string[]) => spawnSync("tar", words, { cwd: own, encoding: "utf8" });
    const names = run("-tf", "own.tar").stdout.split("\n").slice(0, -1);
    expect(run("-xf", "own.tar").stderr).toBe("");
    return new Map(names.map((name) => [name, readFileSync(join(own, name))]));
  }

  /** The header of a tile with its folder in the field that GNU tar does not read after its own magic. */
  function withPrefix(): Buffer {
    const blocks = [...FULL].flatMap(([name, bytes]) => {
      const header = tarHeader(name, bytes.length);
      if (name === "tile/0/000") {
        header.fill(0, 0, 100);
        header.write("000");
        header.write("tile/0", 345);
        header.write("ustar  \0", 257);
        header.write("        ", 148);
        const sum = header.reduce((total, byte) => total + byte, 0);
        header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
      }
      return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
    });
    return Buffer.concat([...blocks, Buffer.alloc(1024)]);
  }

  test("GNU tar finds the files that were checked, and in another form others", async () => {
    expect(await bundleVerdict(FULL)).toBe("valid");
    expect(await bundleVerdict(withPrefix())).toMatch(/^file_mismatch: /);
    if (!hasProgram("tar")) return;
    expect(extracted(tarOf(FULL))).toEqual(FULL);
    expect([...extracted(withPrefix()).keys()]).not.toContain("tile/0/000");
  });
});
