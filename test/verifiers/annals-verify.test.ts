// annals-verify finds every kind of tampering with an export, names the first bad line, and raises
// no false alarm over values of every kind; its fast way and its slow way take the same decision.
// No service takes part: the exports are made here, from leaves.

import {
  canonicalJson,
  FIELDS,
  fieldDigest,
  type JsonObject,
  leafHash,
  leafText,
} from "@annals/chain";
import { eventJson, proofJson } from "@annals/contract";
import { hash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BadLine, verifyFile } from "annals-verify";

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-verify-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Made {
  readonly lines: string[];
  readonly places: { sequence_number: number; hash: string; previous_hash: string }[];
}

/** A chain of `parts.length` events as the lines of an export. */
function chainOf(
  chain: string,
  parts: readonly JsonObject[],
  from = 1,
  before = "0".repeat(64),
): Made {
  const made: Made = { lines: [], places: [] };
  let previousHash = before;
  for (const [index, metadata] of parts.entries()) {
    const texts = {
      actor: '{"id":"u_1"}',
      context: "{}",
      diff: "{}",
      metadata: canonicalJson(metadata),
      target: "{}",
    };
    const salts = randomBytes(80);
    const digests = Buffer.concat(
      FIELDS.map((field, place) =>
        fieldDigest(salts.subarray(place * 16, place * 16 + 16), texts[field]),
      ),
    );
    const time = `2026-01-01T00:00:00.${String(index).padStart(6, "0")}Z`;
    const members = {
      action: `a.${index} "é"`,
      chain,
      createdAt: time,
      digests,
      id: `evt_${index}`,
      occurredAt: time,
      previousHash,
      receivedAt: time,
      sequenceNumber: from + index,
    };
    const own = leafHash(leafText(members));
    const event = eventJson({ ...members, ...texts, hash: own });
    made.lines.push(`{"event":${event},"proof":${proofJson({ chain, salts, digests })}}`);
    made.places.push({ sequence_number: from + index, hash: own, previous_hash: previousHash });
    previousHash = own;
  }
  return made;
}

/** An export of these lines, with a manifest that says what is there. */
function exportOf({ lines, places }: Made, change: object = {}): string {
  const body = lines.map((line) => `${line}\n`).join("");
  const last = places.at(-1) ?? null;
  const manifest = JSON.stringify({
    v: 1,
    export_id: "exp_1",
    chain: "acct_1",
    format: "jsonl",
    include_proofs: true,
    filter: {},
    created_at: "2026-01-02T00:00:00.000000Z",
    head: { sequence_number: last?.sequence_number ?? 0, hash: last?.hash ?? "0".repeat(64) },
    range: {
      from_sequence: places[0]?.sequence_number ?? 1,
      to_sequence: last?.sequence_number ?? 0,
    },
    event_count: lines.length,
    first: places[0] ?? null,
    last,
    size_bytes: Buffer.byteLength(body),
    sha256: hash("sha256", body),
    ...change,
  });
  return `${body}{"manifest":${manifest},"manifest_sha256":"${hash("sha256", manifest)}"}\n`;
}

async function verify(text: string) {
  files += 1;
  const file = join(folder, `${files}.jsonl`);
  await writeFile(file, text);
  return verifyFile(file);
}

/** What is said of an export that is not valid. */
async function verdict(text: string): Promise<string> {
  const fault: unknown = await verify(text).then(
    () => new Error("valid"),
    (error: unknown) => error,
  );
  return fault instanceof BadLine ? `${fault.line}: ${fault.message}` : String(fault);
}

const parts = Array.from({ length: 10 }, (_, n) => ({ n }));

describe("valid", () => {
  test("a whole chain", async () => {
    const report = await verify(exportOf(chainOf("acct_1", parts)));
    expect(report).toMatchObject({ events: 10, linksChecked: 10, linksUnchecked: 0 });
  });

  test("no events", async () => {
    expect(await verify(exportOf({ lines: [], places: [] }))).toMatchObject({ events: 0 });
  });

  test("a later part of a chain: the link to the event before it is not checked, and counted", async () => {
    const made = chainOf("acct_1", parts, 5, "a".repeat(64));
    expect(await verify(exportOf(made))).toMatchObject({ linksChecked: 9, linksUnchecked: 1 });
  });

  test("a filtered export may have gaps; links over them are not checked, and counted", async () => {
    const made = chainOf("acct_1", parts);
    const kept = [0, 1, 4, 5, 6, 9];
    const some = {
      lines: kept.map((at) => made.lines[at] ?? ""),
      places: kept.flatMap((at) => made.places[at] ?? []),
    };
    const report = await verify(exportOf(some, { filter: { action: "a" } }));
    expect(report).toMatchObject({ events: 6, linksChecked: 4, linksUnchecked: 2 });
    expect(await verdict(exportOf(some))).toMatch(/^3: sequence_gap: sequence number 3/);
  });

  test("lines written anew with other white space and order of members mean the same", async () => {
    const made = chainOf("acct_1", parts);
    made.lines[4] = JSON.stringify(JSON.parse(made.lines[4] ?? ""), null, 1).replaceAll("\n", " ");
    expect(await verify(exportOf(made))).toMatchObject({ events: 10 });
  });

  test("values of every kind raise no false alarm", async () => {
    const values = fc.sample(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), 300);
    const safe = values.filter((value) => !JSON.stringify(value).includes("\\u0000"));
    const made = chainOf(
      "acct_1",
      safe.map((value) => JSON.parse(JSON.stringify(value))),
    );
    expect(await verify(exportOf(made))).toMatchObject({ events: safe.length });
  });
});

/**
 * Writes line `at` (from 0) anew, with `from` replaced; a manifest that fits hides the change from
 * digests of the file.
 */
function edited(at: number, from: string | RegExp, to: string): string {
  const made = chainOf("acct_1", parts);
  const line = made.lines[at] ?? "";
  made.lines[at] = line.replace(from, to);
  expect(made.lines[at]).not.toBe(line);
  return exportOf(made);
}

/** The events of `made` in another order or number, and a manifest that was made for them. */
function arranged(order: readonly number[], change: object = {}): string {
  const made = chainOf("acct_1", parts);
  const lines = order.map((at) => made.lines[at] ?? "");
  const places = order.flatMap((at) => made.places[at] ?? []);
  const range = { from_sequence: 1, to_sequence: 10 };
  return exportOf(
    { lines, places },
    { head: { sequence_number: 10, hash: made.places[9]?.hash }, range, ...change },
  );
}

describe("not valid, although the manifest was made anew to fit", () => {
  test.each([
    [
      "a value",
      edited(3, '"metadata":{"n":3}', '"metadata":{"n":4}'),
      /^4: .*digest_mismatch in metadata/,
    ],
    ["a time", edited(3, /"occurred_at":"2026/, '"occurred_at":"2025'), /^4: .*hash_mismatch/],
    ["an action", edited(3, '"action":"a.3', '"action":"a.4'), /^4: .*hash_mismatch/],
    ["a hash", edited(3, /"hash":"./, '"hash":"x'), /^4: .*hash_mismatch/],
    [
      "a sequence number",
      edited(3, '"sequence_number":4', '"sequence_number":5'),
      /^4: .*hash_mismatch/,
    ],
    [
      "a salt",
      edited(3, /"salts":\{"actor":".{4}/, '"salts":{"actor":"0000'),
      /^4: .*digest_mismatch in actor/,
    ],
    [
      "a digest",
      edited(3, /"digests":\{"actor":".{4}/, '"digests":{"actor":"0000'),
      /^4: .*digest_mismatch/,
    ],
    ["a member twice", edited(3, '"diff":{}', '"diff":{},"diff":{}'), /^4: is not JSON/],
    ["a member more", edited(3, '"diff":{}', '"diff":{},"note":{}'), /^4: is not an event/],
    ["no JSON", edited(3, '"proof"', '"proof'), /^4: is not JSON/],
    [
      "an event deleted",
      arranged([0, 1, 2, 4, 5, 6, 7, 8, 9]),
      /^4: sequence_gap: sequence number 4/,
    ],
    ["an event twice", arranged([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9]), /^4: .*comes twice/],
    ["two events swapped", arranged([0, 1, 3, 2, 4, 5, 6, 7, 8, 9]), /^3: sequence_gap/],
    [
      "the tail cut",
      arranged([0, 1, 2, 3, 4]),
      /^6: sequence_gap: the events end at sequence number 5, the range at 10/,
    ],
    ["the head of the file cut", arranged([5, 6, 7, 8, 9]), /^1: sequence_gap: sequence number 1/],
    [
      "another head",
      arranged([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], {
        head: { sequence_number: 10, hash: "f".repeat(64) },
      }),
      /^11: head_mismatch/,
    ],
    ["another account", exportOf(chainOf("acct_2", parts)), /^1: .*another chain, acct_2/],
  ])("%s", async (_, text, expected) => {
    expect(await verdict(text)).toMatch(expected);
  });

  test("a fork: an event that does not link to the one before", async () => {
    const made = chainOf("acct_1", parts);
    const other = chainOf("acct_1", parts.slice(0, 4), 4, "b".repeat(64));
    made.lines.splice(3, 1, other.lines[0] ?? "");
    expect(await verdict(exportOf(made))).toMatch(/^4: link_mismatch/);
  });
});

describe("the manifest", () => {
  const whole = exportOf(chainOf("acct_1", parts));

  test.each([
    ["edited", whole.replace('"event_count":10', '"event_count":11'), /^11: manifest_mismatch/],
    ["cut off", whole.slice(0, whole.lastIndexOf('{"manifest"')), /^11: the manifest is missing/],
    ["cut in the middle", whole.slice(0, -20), /^11: the manifest is not whole/],
    ["followed by a line", `${whole}{}\n`, /^12: stands after the manifest/],
    ["of another version", exportOf(chainOf("acct_1", parts), { v: 2 }), /^11: the version/],
    [
      "with another digest of the file",
      exportOf(chainOf("acct_1", parts), { sha256: "0".repeat(64) }),
      /^11: manifest_mismatch: sha256/,
    ],
    [
      "of an export without proofs",
      exportOf({ lines: [], places: [] }, { include_proofs: false }),
      /without proofs/,
    ],
    ["of a file cut within an event", whole.slice(0, 3_000), /^3: is not JSON/],
    ["of an empty file", "", /^1: the file is empty/],
  ])("%s", async (_, text, expected) => {
    expect(await verdict(text)).toMatch(expected);
  });
});
