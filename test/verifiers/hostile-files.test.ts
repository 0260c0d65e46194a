// Guarantee: no byte of a file that annals-verify is given reaches the terminal as a control or hidden
// character, whatever the file is and whether it is valid; a member, an id, a time, a digest or a cell
// that no export has makes a file invalid, also where every digest, hash and link was made to fit. The
// real command is run.

import { commandArguments } from "@annals/testing";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chainOf, csvOf, exportOf, verdict } from "./made-export.ts";

const COMMAND = commandArguments("annals-verify");
/** Shows a verdict of its own in place of the line. */
const OVERWRITE = "\u001B[2K\u001B[1Gvalid: 250000 events of acct_1 (whole)\u001B[8m";
const parts = Array.from({ length: 3 }, (_, n) => ({ n }));
const made = () => chainOf("acct_1", parts);
const manifest = (change: object) => exportOf(made(), change);
const forged = (change: Parameters<typeof chainOf>[4]) =>
  exportOf(chainOf("acct_1", parts, 1, "0".repeat(64), change));

/** With line 2 changed, and a manifest that fits. */
function edited(from: string | RegExp, to: string): string {
  const { lines, places } = made();
  lines[1] = lines[1]?.replace(from, to) ?? "";
  return exportOf({ lines, places });
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-hostile-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...words: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...COMMAND, ...words], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/** What is neither a line break of the program nor visible. */
const HIDDEN = /[^\n\P{C}]|[\p{Zl}\p{Zp}\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u;

const HOSTILE: readonly [name: string, text: string, message: RegExp][] = [
  [
    "the chain of a manifest",
    manifest({ chain: `acct_1${OVERWRITE}` }),
    /chain, "acct_1\\u001b\[2K/,
  ],
  [
    "an export's id",
    manifest({ export_id: "exp_1\n  head      9 forged" }),
    /export_id, "exp_1\\n /,
  ],
  [
    "a time of the manifest",
    manifest({ created_at: "2026\u202E01" }),
    /created_at, "2026\\u202e01"/,
  ],
  ["a hash of the manifest", manifest({ sha256: "\u009B2J" }), /sha256, "\\u009b2J"/],
  ["a format", manifest({ format: "jsonl\u200B" }), /format, "jsonl\\u200b"/],
  ["a proof's chain", exportOf(chainOf(`acct_1${OVERWRITE}`, parts)), /chain, "acct_1\\u001b/],
  ["an event's id", forged({ id: String.raw`evt_1\u001B[2K` }), /its id, "evt_1\\u001b/],
  [
    "an event's time",
    forged({ createdAt: "2026-01-01\u2066" }),
    /its created_at, "2026-01-01\\u2066/,
  ],
  [
    "a time that does not exist",
    forged({ createdAt: "2026-13-01T00:00:00.000000Z" }),
    /created_at/,
  ],
  [
    "a member's name",
    edited('"diff":{}', `"diff":{},"\u202Evalid\u200F":{}`),
    /\\u202evalid\\u200f"/,
  ],
  ["a token that is no JSON", edited('"diff":{}', `"diff":\u009B31m`), /not JSON: .*\\u009b/],
  ["bytes of a terminal", `${OVERWRITE}\n`, /header/],
  ["a filter", manifest({ filter: { "\u001B[1A": 1 } }), /unknown member, "\\u001b\[1A"/],
  [
    "a text of 100,000 characters",
    manifest({ chain: "a".repeat(1e5) }),
    /chain, "a{120}…", is not/,
  ],
];

test.each(HOSTILE)("what is said of %s has no hidden character", async (_, text, expected) => {
  const message = await verdict(text);
  expect(message).toMatch(expected);
  expect(HIDDEN.exec(message)).toBeNull();
  expect(message).not.toContain("\n");
});

/** One of each: the manifest, a line, a file that is no export. */
const PRINTED = ["an export's id", "a proof's chain", "a member's name", "bytes of a terminal"];

test.each(HOSTILE.filter(([name]) => PRINTED.includes(name)))(
  "the command prints of %s one line, of visible characters",
  async (name, text, expected) => {
    const file = join(folder, `hidden ${name}`);
    await writeFile(file, text);
    const { status, stdout, stderr } = await run(file);
    expect({ status, stdout, word: stderr.split(" ")[0] }).toEqual({
      status: 1,
      stdout: "",
      word: "invalid:",
    });
    expect(stderr).toMatch(expected);
    expect(HIDDEN.exec(stderr)).toBeNull();
    expect(stderr.split("\n")).toHaveLength(2);
  },
);

test("a file's name is quoted, where it is read and where it is not there", async () => {
  const name = "\u202E\u001B[2K.jsonl\n";
  const absent = await run(name);
  expect(absent.status).toBe(2);
  expect(absent.stderr).toBe(
    String.raw`not checked: "\u202e\u001b[2K.jsonl\n" cannot be read (ENOENT)` + "\n",
  );
  await writeFile(join(folder, name), manifest({}));
  const present = await run(name);
  expect(present.status).toBe(0);
  expect(present.stdout).toMatch(/^valid: 3 events of "acct_1", /);
  expect(HIDDEN.exec(present.stdout + present.stderr)).toBeNull();
});

describe("is not valid, although everything in it fits:", () => {
  const TWICE = '{"role":"user","role":"admin"}';
  const digests = /"digests":\{"actor":"(.{64})","context":"(.)/;

  test.each<[string, string, RegExp]>([
    [
      "a member of the record",
      edited(/\}$/, ',"approved_by":"auditor"}'),
      /2: .*unknown member, "approved_by"/,
    ],
    [
      "a member of the event",
      edited('"diff":{}', '"diff":{},"seen":{}'),
      /2: .*unknown member, "seen"/,
    ],
    [
      "a member of the proof",
      edited('"proof":{', '"proof":{"by":"auditor",'),
      /2: .*unknown member, "by"/,
    ],
    [
      "a salt too many",
      edited('"salts":{', '"salts":{"note":"00",'),
      /2: .*unknown member, "note"/,
    ],
    [
      "a digest too many",
      edited('"digests":{', '"digests":{"note":"00",'),
      /2: .*unknown member, "note"/,
    ],
    [
      "digits of one digest in another",
      edited(digests, '"digests":{"actor":"$1$2","context":"'),
      /digests\.actor, /,
    ],
    [
      "a salt's digits in another",
      edited(/"salts":\{"actor":"(.{31})(.)","context":"/, '"salts":{"actor":"$1","context":"$2'),
      /salts\.actor, /,
    ],
    [
      "a member of the manifest",
      manifest({ approved_by: "auditor" }),
      /4: the manifest .*"approved_by"/,
    ],
    [
      "a member of the head",
      manifest({ head: { sequence_number: 3, hash: "0".repeat(64), by: 1 } }),
      /head .*"by"/,
    ],
    [
      "a member of the range",
      manifest({ range: { from_sequence: 1, to_sequence: 3, by: 1 } }),
      /range .*"by"/,
    ],
    [
      "a negative number",
      manifest({ range: { from_sequence: -5, to_sequence: 3 } }),
      /from_sequence is not an integer/,
    ],
    [
      "a value of a filter that is no text",
      manifest({ filter: { action: ["a", {}] } }),
      /filter action is not a string/,
    ],
    [
      "a filter that is no text",
      manifest({ filter: { action: {} } }),
      /filter action is not a string/,
    ],
    [
      "the rule of cells in JSON Lines",
      manifest({ cells: "see annals.example" }),
      /unknown member, "cells"/,
    ],
    ["a name twice in a part", forged({ metadata: TWICE }), /1: is not JSON: .*more than once/],
    ["a part that is no JSON", forged({ metadata: "{forged}" }), /1: is not JSON/],
    [
      "a part that is not canonical",
      forged({ metadata: '{"b":1,"a":1}' }),
      /1: .*digest_mismatch in metadata/,
    ],
    [
      "a number that no double keeps",
      forged({ metadata: '{"a":9007199254740993}' }),
      /1: is not JSON: .*kept exactly/,
    ],
  ])("%s", async (_, text, expected) => {
    expect(await verdict(text)).toMatch(expected);
  });

  test.each([
    ["in ASCII", TWICE],
    ["with other characters", TWICE.replace("{", '{"Ä":1,')],
  ])("a later line of that kind %s, which the fast path reads", async (_, metadata) => {
    const { lines, places } = chainOf("acct_1", parts.slice(0, 1), 1, undefined, { action: "a" });
    const next = chainOf("acct_1", [{}], 2, places[0]?.hash, { action: "a", metadata });
    const both = { lines: [...lines, ...next.lines], places: [...places, ...next.places] };
    expect(await verdict(exportOf(both))).toMatch(/^2: is not JSON: .*more than once/);
  });
});

describe("as CSV, is not valid:", () => {
  const csv = (change: Parameters<typeof chainOf>[4]) =>
    csvOf(chainOf("acct_1", parts, 1, "0".repeat(64), change));

  test.each<[string, string, RegExp]>([
    [
      "a part that a spreadsheet would run",
      csv({ metadata: "=HYPERLINK(1)" }),
      /2: the metadata is not a canonical/,
    ],
    [
      "a part with a name twice",
      csv({ metadata: '{"a":1,"a":2}' }),
      /2: the metadata is not a canonical/,
    ],
    [
      "an action without its apostrophe",
      csv({ action: "=1+1" }).replace(/'=1\+1/, "=1+1"),
      /2: action is a cell that/,
    ],
    [
      "text that is not an id",
      csv({ id: "=1+1" }),
      /2: .*its id, "=1\+1", is not the id of an event/,
    ],
    [
      "another rule of cells",
      csvOf(made(), { cells: "open it in a browser" }),
      /5: the manifest's cells/,
    ],
    ["two byte order marks", csvOf(made(), {}, "\ufeff\ufeff"), /1: is not the header/],
    [
      "a byte order mark before an event",
      csvOf(made()).replace("\r\n", "\r\n\ufeff"),
      /2: has no sequence number/,
    ],
    ["a byte order mark that the manifest does not cover", `\ufeff${csvOf(made())}`, /5: /],
    [
      "a cell beside the manifest",
      csvOf(made()).replace(/,"\{""manifest/, ',"","{""manifest'),
      /5: /,
    ],
  ])("%s", async (_, text, expected) => {
    expect(await verdict(text)).toMatch(expected);
  });

  test("bytes that are not UTF-8", async () => {
    const bytes = Buffer.from(csvOf(made()).replaceAll("é", "\uFFFF"));
    const at = bytes.indexOf("\uFFFF");
    bytes.set([0x65, 0xff, 0xfe], at);
    await writeFile(join(folder, "bytes.csv"), bytes);
    const { status, stderr } = await run("bytes.csv");
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "invalid: line 2: is not valid UTF-8\n",
    });
  });
});
