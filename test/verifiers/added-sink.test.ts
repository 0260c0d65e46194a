// Guarantee: whatever is added to the objects of a sink, with a manifest that fits, annals-verify refuses:
// bytes before and behind the one zstd frame, a line that it could not check among those that it can, a file
// in the folder of a day. So a query over the bucket finds the events that were checked, and no more.

import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { chainOf } from "./made-export.ts";
import { linesOf, nameOf, replaceObject, sinkVerdict, write } from "./made-sink.ts";

const NAME = nameOf({ from: 1, to: 5 });
const FORGED = JSON.stringify({ id: "evt_9", action: "admin.approved", actor: { id: "ceo" } });
const SKIPPABLE = Buffer.from("502a4d180100000078", "hex");

type Lines = readonly string[];

/** What annals-verify says of a folder with one object, changed by `tamper`. */
async function outcomeOf(
  tamper: (folder: string) => Promise<unknown> = async () => {},
  lines: Lines = linesOf(1, 5),
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "annals-added-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await write(folder, { from: 1, to: 5, lines });
  await tamper(folder);
  return await sinkVerdict(folder);
}

const replace = (folder: string, change: (object: Buffer) => Buffer): Promise<void> =>
  replaceObject(folder, NAME, change);

const OTHERS: readonly [string, Buffer][] = [
  ["a frame with a forged event", zstdCompressSync(`${FORGED}\n`)],
  ["a frame of no bytes", zstdCompressSync("")],
  ["a skippable frame", SKIPPABLE],
  ["a plain line", Buffer.from(`${FORGED}\n`)],
  ["a zero", Buffer.of(0)],
  ["a gzip member", gzipSync(`${FORGED}\n`)],
];

test("what the service writes is valid", async () => {
  expect(await outcomeOf()).toMatch(/^valid: valid: 5 events .*5 hashes recomputed, 0 not/s);
  expect(await outcomeOf((folder) => replace(folder, (same) => same))).toMatch(/^valid: /);
});

describe("with a size and a SHA-256 that fit:", () => {
  test.each(OTHERS)("%s behind the object, and before it", async (_, other) => {
    const behind = (own: Buffer) => Buffer.concat([own, other]);
    expect(await outcomeOf((folder) => replace(folder, behind))).toMatch(
      /^invalid: ".*1-5\.jsonl\.zst" has bytes behind its zstd frame$/,
    );
    const before = (own: Buffer) => Buffer.concat([other, own]);
    expect(await outcomeOf((folder) => replace(folder, before))).toMatch(
      /^invalid: ".*1-5\.jsonl\.zst" (?:has bytes behind|does not begin with) /,
    );
  });
});

describe("a line, of which the manifest knows:", () => {
  const added: readonly [string, string, RegExp][] = [
    ["without a number", FORGED, /is of another format/],
    ["of another format", '{"class_uid":3004}', /is of another format/],
    ["without its proof", linesOf(5, 5, false)[0] ?? "", /is of another format|another/],
    ["that is blank", "", /is not JSON/],
    ["that begins with a byte order mark", `\uFEFF${linesOf(3, 3)[0]}`, /is not JSON/],
    [
      "with a member twice",
      `${FORGED.slice(0, -1)},"id":"evt_1"}`,
      /is not JSON: .*more than once/,
    ],
    ["with a carriage return", `${linesOf(3, 3)[0]}\r`, /has a carriage return/],
    ["with NUL behind it", `${linesOf(3, 3)[0]}\0`, /is not JSON/],
    ["that has another one behind it", `${linesOf(3, 3)[0]}${FORGED}`, /is not JSON/],
  ];
  test.each(added)("%s", async (_, line, expected) => {
    const own = linesOf(1, 5);
    for (const at of [1, 3, 5]) {
      const lines = own.toSpliced(at, 0, line);
      const said = await outcomeOf(undefined, lines);
      expect(said).toMatch(/^invalid: /);
      if (at === 3) expect(said).toMatch(expected);
    }
  });

  test("events of another day than their folder", async () => {
    const other = nameOf({ from: 1, to: 5 }).replace("2026-01-01", "2026-01-02");
    const said = await outcomeOf(async (folder) => {
      const text = await readFile(join(folder, `${NAME}.manifest.json`), "utf8");
      await mkdir(dirname(join(folder, other)), { recursive: true });
      await rename(join(folder, NAME), join(folder, other));
      await writeFile(
        join(folder, `${other}.manifest.json`),
        text.replace("2026-01-01", "2026-01-02"),
      );
      await rm(join(folder, `${NAME}.manifest.json`));
    });
    expect(said).toMatch(/^invalid: .*an event of another day than 2026-01-02/);
  });
});

describe("a file in the folder of a day:", () => {
  test.each([
    "51-60.jsonl",
    "51-60.jsonl.gz",
    "a.parquet",
    ".hidden",
    "_SUCCESS",
    "x/51-60.jsonl.zst",
  ])("%s", async (name) => {
    const said = await outcomeOf(async (folder) => {
      const file = join(folder, dirname(NAME), name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${FORGED}\n`);
    });
    expect(said).toMatch(/^invalid: ".*" does not belong to the objects of a sink/);
  });

  test("an object without a manifest is named, and no event of it is counted", async () => {
    const name = nameOf({ from: 6, to: 9 });
    const said = await outcomeOf((folder) =>
      writeFile(join(folder, name), zstdCompressSync(FORGED)),
    );
    expect(said).toMatch(/^valid: valid: 5 events /);
    expect(said).toContain(`so they were not checked: read the events without them\n  "${name}"\n`);
  });

  test("a link, which another reader follows, is not checked", async () => {
    const link = (folder: string) =>
      symlink("/dev/null", join(folder, dirname(NAME), "6-9.jsonl.zst"));
    expect(await outcomeOf(link)).toMatch(/^notChecked: ".*6-9\.jsonl\.zst" is a link/);
  });

  test("a file elsewhere is not one of the sinks", async () => {
    expect(await outcomeOf((folder) => writeFile(join(folder, "notes.txt"), "x"))).toMatch(
      /^valid/,
    );
  });
});

describe("in the manifest:", () => {
  test.each([
    ["a member more", /^\{/, '{"approved_by":"auditor",', /more than 14 members/],
    ["a member twice", /^\{/, '{"count":6,', /more than once/],
    ["text behind it", /$/, "{}", /is not JSON/],
    [
      "the name of another account",
      /account=acct_1/,
      "account=acct_2",
      /another object|is not named after/,
    ],
  ])("%s", async (_, from, to, expected) => {
    const said = await outcomeOf(async (folder) => {
      const file = join(folder, `${NAME}.manifest.json`);
      await writeFile(file, (await readFile(file, "utf8")).trimEnd().replace(from, to));
    });
    expect(said).toMatch(expected);
    expect(said).toMatch(/^invalid: /);
  });
});

test("events of another chain with the same numbers are no part of it", async () => {
  const lines = linesOf(1, 5, true, chainOf("acct_1", [{}, {}, {}, {}, {}]));
  expect(await outcomeOf(undefined, lines)).toMatch(/^invalid: .*its first event is not that/);
});
