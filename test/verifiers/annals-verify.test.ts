// Guarantee: annals-verify finds every kind of tampering with an export, names the first bad line, and raises
// no false alarm over values of every kind; its fast path and its slow path decide the same. No service runs:
// the exports are made here, from leaves.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chainOf, exportOf, verdict, verify } from "./made-export.ts";

const parts = Array.from({ length: 10 }, (_, n) => ({ n }));

describe("valid", () => {
  test("a complete chain", async () => {
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
    const filters = [
      { action: "a" },
      { actor_id: ["a", "b"] },
      { received_to: "2026-01-31T09:30Z" },
    ];
    for (const filter of filters)
      expect(await verify(exportOf(some, { filter }))).toMatchObject({
        events: 6,
        linksChecked: 4,
        linksUnchecked: 2,
      });
    expect(await verdict(exportOf(some))).toMatch(/^3: sequence_gap: sequence number 3/);
  });

  test("lines with other white space and another order of members are valid too", async () => {
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
    ["a hash", edited(3, /"hash":"./, '"hash":"x'), /^4: .*its hash, "x.*, is not 64 lower-case/],
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
    ["an event twice", arranged([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9]), /^4: .*appears twice/],
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
    ["another account", exportOf(chainOf("acct_2", parts)), /^1: .*another chain, "acct_2"/],
  ])("%s", async (_, text, expected) => {
    expect(await verdict(text)).toMatch(expected);
  });

  test("an event inserted, with a proof of its own that is right and a link that fits", async () => {
    const made = chainOf("acct_1", parts);
    const forged = chainOf("acct_1", [{ n: "forged" }], 4, made.places[2]?.hash);
    made.lines.splice(3, 0, forged.lines[0] ?? "");
    made.places.splice(3, 0, ...forged.places);
    expect(await verdict(exportOf(made))).toMatch(/^5: sequence number 4: appears twice/);
  });

  test("an event of another account, with a link that fits", async () => {
    const made = chainOf("acct_1", parts);
    const other = chainOf("acct_2", [{ n: 3 }], 4, made.places[2]?.hash);
    made.lines.splice(3, 1, other.lines[0] ?? "");
    expect(await verdict(exportOf(made))).toMatch(/^4: .*another chain, "acct_2"/);
  });

  test("salts swapped, and salts in capitals", async () => {
    const two = /"salts":\{"actor":"(\w+)","context":"(\w+)"/;
    expect(await verdict(edited(3, two, '"salts":{"actor":"$2","context":"$1"'))).toMatch(
      /^4: .*digest_mismatch in actor/,
    );
    const made = chainOf("acct_1", parts);
    const capitals = (salts: string) =>
      salts.replaceAll(/"[0-9a-f]{32}"/g, (hex) => hex.toUpperCase());
    made.lines[3] = (made.lines[3] ?? "").replace(/"salts":\{[^}]*\}/, capitals);
    expect(await verdict(exportOf(made))).toMatch(/^4: is not an event/);
  });

  test("a fork: an event that does not link to the one before", async () => {
    const made = chainOf("acct_1", parts);
    const other = chainOf("acct_1", parts.slice(0, 4), 4, "b".repeat(64));
    made.lines.splice(3, 1, other.lines[0] ?? "");
    expect(await verdict(exportOf(made))).toMatch(/^4: link_mismatch/);
  });
});

describe("the manifest", () => {
  const valid = exportOf(chainOf("acct_1", parts));

  test.each([
    ["edited", valid.replace('"event_count":10', '"event_count":11'), /^11: manifest_mismatch/],
    ["cut off", valid.slice(0, valid.lastIndexOf('{"manifest"')), /^11: the manifest is missing/],
    ["cut in the middle", valid.slice(0, -20), /^11: the manifest is not complete/],
    ["followed by a line", `${valid}{}\n`, /^12: follows the manifest/],
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
    [
      "of a file cut within an event",
      valid.slice(0, 3_000),
      /^3: the end was cut off: is not JSON/,
    ],
    ["of an empty file", "", /^1: the file is empty/],
  ])("%s", async (_, text, expected) => {
    expect(await verdict(text)).toMatch(expected);
  });
});
