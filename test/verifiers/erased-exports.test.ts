// Guarantee: an export with erased parts is valid to annals-verify, as JSON Lines and as CSV, and to
// verify.py; each counts them. All three refuse a value or a salt that is still there, another digest,
// and an erased part that no later record names. None refuses a file that need not have the record.

import { type JsonObject, type Part, PARTS } from "@annals/event";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { erasedLine, erasure, recordedChain, recordOfLine } from "./made-erasure.ts";
import { chainOf, csvOf, exportOf, type Made, verdict, verify } from "./made-export.ts";
import { hasPython } from "../system/programs.ts";
import { pythonInTurn, VERIFY } from "./python-evidence.ts";

const ERASURE = "annals.erasure";
const BOTH: readonly Part[] = ["actor", "context"];
const SALT = "0".repeat(32);

type Erased = Readonly<Record<number, readonly Part[]>>;
type Edit = (line: string) => string;

/** Events 1 and 3 with parts erased, as record 4 says. `edit` changes line 3. */
const erasedChain = (edit: Edit = (line) => line): Made =>
  recordedChain(
    "acct_1",
    { action: ERASURE, metadata: erasure("1,3", BOTH) },
    { 1: BOTH, 3: BOTH },
    (line, number) => (number === 3 ? edit(line) : line),
  );

const recorded = (metadata: JsonObject, erased: Erased, action = ERASURE): Made =>
  recordedChain("acct_1", { action, metadata }, erased);

/** What verify.py says of an export. */
async function saidByPython(text: string): Promise<string> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-erased-"));
  const file = join(folder.path, "export.jsonl");
  writeFileSync(file, text);
  return (await pythonInTurn(VERIFY, [file])).text;
}

const REASON = /\w+_(?:mismatch|present|unrecorded) in \w+|hash_mismatch/;

/** The reason and the part that a verifier names, or all that it says. */
const named = (said: string): string => REASON.exec(said)?.[0] ?? said;

/** What each of the verifiers that can run here names: of JSON Lines, and of CSV. */
async function reasons(made: Made, change: object = {}): Promise<string[]> {
  const text = exportOf(made, change);
  return [
    named(await verdict(text)),
    ...(hasPython ? [named(await saidByPython(text))] : []),
    named(await verdict(csvOf(made, change))),
  ];
}

/** The same reason from each of them, or another one for CSV. */
const all = (reason: string, inCsv = reason): string[] => [
  reason,
  ...(hasPython ? [reason] : []),
  inCsv,
];

describe("valid:", () => {
  test.each<[string, Made, number]>([
    ["parts that a record names", erasedChain(), 4],
    [
      "each part of an event",
      recorded({ through_sequence: 3 }, { 2: PARTS }, "annals.retention"),
      5,
    ],
    ["a record that is erased but for its metadata", recorded(erasure("1"), { 1: ["actor"] }), 1],
  ])("%s", async (_, made, erasedParts) => {
    const expected = { events: 6, erasedParts, erasuresUnchecked: 0 };
    expect(await verify(exportOf(made))).toMatchObject(expected);
    expect(await verify(csvOf(made))).toMatchObject(expected);
    if (hasPython)
      expect(await saidByPython(exportOf(made))).toBe(
        `valid: 6 events, ${erasedParts} erased parts`,
      );
  });

  test.each<[string, object]>([
    ["a filter", { filter: { actor_id: "u_1" } }],
    ["an end before the head", { head: { sequence_number: 9, hash: "f".repeat(64) } }],
  ])("%s may keep the record out of the file, and it is counted", async (_, change) => {
    const made = recorded(erasure("1-2"), { 1: ["actor"], 3: BOTH, 5: ["diff"] });
    const expected = { erasedParts: 4, erasuresUnchecked: 3 };
    expect(await verify(exportOf(made, change))).toMatchObject(expected);
    expect(await verify(csvOf(made, change))).toMatchObject(expected);
    if (hasPython)
      expect(await saidByPython(exportOf(made, change))).toBe(
        "valid: 6 events, 4 erased parts, of which 3 have their record elsewhere",
      );
  });
});

describe("refused by all:", () => {
  const salted: Edit = (line) => line.replace('"salts":{', `"salts":{"actor":"${SALT}",`);
  test.each<[string, string, Edit]>([
    [
      "erased_value_present in context",
      "a value under an erased part",
      (line) => line.replace('"context":{}', '"context":{"ip":"203.0.113.7"}'),
    ],
    [
      "hash_mismatch",
      "another digest",
      (line) => line.replace(/("digests":{"actor":").{4}/, "$10000"),
    ],
  ])("%s: %s", async (reason, _, edit) => {
    expect(await reasons(erasedChain(edit))).toEqual(all(reason));
  });

  test("the salt of an erased part, also one of zeros: what it is a salt of is not there", async () => {
    // A CSV record says by the missing salt alone that a part is erased.
    const expected = all("erased_value_present in actor", "digest_mismatch in actor");
    expect(await reasons(erasedChain(salted))).toEqual(expected);
    const whole = chainOf("acct_1", [{}, {}, {}]).lines[2] ?? "";
    const [own] = /"salts":{"actor":"\w+",/.exec(whole) ?? [];
    const kept: Edit = (line) => line.replace('"salts":{', own ?? "");
    expect(await reasons(erasedChain(kept))).toEqual(expected);
  });

  test("a salt that is missing of a part that is not erased, which a CSV record would say is erased", async () => {
    const without: Edit = (line) => line.replace(/"diff":"[0-9a-f]{32}",/, "");
    const expected = all("digest_mismatch in diff", "erasure_unrecorded in diff");
    expect(await reasons(erasedChain(without))).toEqual(expected);
  });

  test.each<[string, JsonObject, Erased, string?]>([
    ["without a record", {}, { 2: ["actor"] }, "user.login"],
    ["that the record does not name", erasure("1,3"), { 1: ["actor"], 2: ["actor"] }],
    ["of which the record names another part", erasure("2", ["context"]), { 2: ["actor"] }],
    ["after its record", erasure("2,5"), { 5: ["actor"] }],
    ["of the record itself", erasure("4"), { 4: ["actor"] }],
    ["whose record lost its metadata", erasure("2"), { 2: ["actor"], 4: ["metadata"] }],
    ["whose record has another action", erasure("2"), { 2: ["actor"] }, "annals.erasure.requested"],
    ["whose record has another form", erasure("3,2"), { 2: ["actor"] }],
    ["whose record has a sixth part", { ...erasure("2"), parts: ["actor", "x"] }, { 2: ["actor"] }],
    ["beyond the retention", { through_sequence: 1 }, { 2: ["actor"] }, "annals.retention"],
  ])("erasure_unrecorded: a part %s", async (_, metadata, erased, action) => {
    expect(await reasons(recorded(metadata, erased, action))).toEqual(
      all("erasure_unrecorded in actor"),
    );
  });

  test("a record that was changed to name more", async () => {
    const more: Edit = (line) => line.replace('"sequence_numbers":"1"', '"sequence_numbers":"1-2"');
    const made = recordedChain(
      "acct_1",
      { action: ERASURE, metadata: erasure("1") },
      { 1: ["actor"], 2: ["actor"] },
      more,
    );
    expect(await reasons(made)).toEqual(all("digest_mismatch in metadata"));
  });

  test.each([
    ["[]"],
    ['["context","actor"]'],
    ['["actor","actor"]'],
    ['["id"]'],
    ['"actor"'],
    ["null"],
  ])("%s as the member erased", async (erased) => {
    const made = erasedChain((line) => line.replace(/"erased":\[.*?\]/, `"erased":${erased}`));
    expect(await verdict(exportOf(made))).toMatch(/^3: is not an event with its proof: /);
    if (hasPython) expect(await saidByPython(exportOf(made))).toMatch(/^invalid: line 3: /);
  });
});

test("the sequence number is named, and no line: what is missing is the record", async () => {
  const made = recorded({}, { 2: ["actor"] }, "user.login");
  const said = "sequence number 2: erasure_unrecorded in actor";
  expect(await verdict(exportOf(made))).toBe(`undefined: ${said}`);
  if (hasPython) expect(await saidByPython(exportOf(made))).toBe(`invalid: ${said}`);
});

test("lines without a manifest, as of a list, need the record", async () => {
  const { lines } = erasedChain();
  const text = (some: readonly string[]) => some.map((line) => `${line}\n`).join("");
  if (!hasPython) return;
  expect(await saidByPython(text(lines))).toBe("valid: 6 events, 4 erased parts");
  expect(await saidByPython(text(lines.slice(0, 3)))).toBe(
    "invalid: sequence number 1: erasure_unrecorded in actor",
  );
});

test("an erased event and its record in the pieces of different threads", async () => {
  const large = Array.from({ length: 40 }, (_, n) => ({ n, text: "x".repeat(100_000) }));
  const before = chainOf("acct_1", large);
  const record = { action: ERASURE, id: "evt_41" };
  const after = chainOf("acct_1", [erasure("2-3")], 41, before.places.at(-1)?.hash, record);
  const lines = [...before.lines, ...after.lines].map((line, at) =>
    at === 1 || at === 2 ? erasedLine(line, ["actor"]) : line,
  );
  const made = {
    lines,
    records: lines.map(recordOfLine),
    places: [...before.places, ...after.places],
  };
  const expected = { events: 41, erasedParts: 2, erasuresUnchecked: 0 };
  expect(await verify(exportOf(made))).toMatchObject(expected);
  expect(await verify(csvOf(made))).toMatchObject(expected);
});
