// Guarantee: annals-verify gives the pieces of a large export or bundle to several threads, and its verdict
// is that of one thread that reads from start to end.

import { describe, expect, test } from "vitest";
import {
  bundleOf,
  CHAIN,
  changed as changedIn,
  line as lineOf,
  rehashed,
  verdictOf,
  verifyBundle,
} from "./made-bundle.ts";
import { chainOf, csvOf, exportOf, verdict, verify } from "./made-export.ts";

/** Several pieces of a megabyte. */
const large = Array.from({ length: 60 }, (_, n) => ({ n, text: "x".repeat(50_000) }));
const valid = exportOf(chainOf("acct_1", large));
/** With the event of line `at` changed, and a manifest that was not. */
const changed = (...at: readonly number[]): string =>
  at.reduce(
    (text, line) => text.replace(`"metadata":{"n":${line - 1},`, `"metadata":{"n":-1,`),
    valid,
  );

test("valid", async () => {
  expect(await verify(valid)).toMatchObject({ events: 60, linksChecked: 60, linksUnchecked: 0 });
});

test("the first line at fault is named, whichever thread is the first to find one", async () => {
  expect(await verdict(changed(58))).toMatch(/^58: .*digest_mismatch in metadata/);
  expect(await verdict(changed(60, 40, 2))).toMatch(/^2: .*digest_mismatch in metadata/);
});

test("a link that is broken between two events that are each valid", async () => {
  const made = chainOf("acct_1", large);
  const other = chainOf("acct_1", large.slice(30, 31), 31, "b".repeat(64));
  made.lines.splice(30, 1, other.lines[0] ?? "");
  expect(await verdict(exportOf(made))).toMatch(/^31: link_mismatch/);
});

test("without its manifest: another chain in the midst of it, or the end", async () => {
  const cut = valid.slice(0, valid.lastIndexOf('{"manifest"'));
  expect(await verdict(cut)).toMatch(/^61: the manifest is missing/);
  const other = chainOf("acct_2", large);
  const mixed = [...cut.split("\n").slice(0, 50), ...other.lines.slice(50)].join("\n");
  expect(await verdict(mixed)).toMatch(/^51: .*another chain, "acct_2"/);
});

test("followed by a line after a fault", async () => {
  expect(await verdict(`${changed(20)}{}\n`)).toMatch(/^20: .*digest_mismatch/);
  expect(await verdict(`${valid}{}\n`)).toMatch(/^62: follows the manifest/);
});

describe("a bundle of evidence", () => {
  const made = chainOf(CHAIN, large);
  const hashes = made.places.map(({ hash }) => hash);
  const bundle = bundleOf(made.lines, hashes);
  const forged = (...changes: readonly [number: number, change: (text: string) => string][]) =>
    changes.reduce(
      (files, [number, change]) => changedIn(files, "events.jsonl", lineOf(number, change)),
      bundle,
    );
  const other = (text: string) => text.replace('"metadata":{"n":', '"metadata":{"n":9');

  test("valid", async () => {
    expect(await verifyBundle(bundle)).toMatchObject({ events: 60, linksUnchecked: 0 });
  });

  test("the first line at fault is named, whichever thread is the first to find one", async () => {
    expect(await verdictOf(forged([58, other]))).toMatch(/^digest_mismatch: .* line 58: /);
    expect(await verdictOf(forged([60, other], [40, other], [2, other]))).toMatch(
      /^digest_mismatch: events.jsonl line 2: sequence number 2: metadata /,
    );
    expect(await verdictOf(forged([31, () => "{}"], [40, other]))).toMatch(
      /^file_malformed: events.jsonl line 31: /,
    );
  });

  test("a number that is missing comes before what is wrong with the event after it", async () => {
    const without = changedIn(forged([41, other]), "events.jsonl", (text) =>
      text.split("\n").toSpliced(39, 1).join("\n"),
    );
    expect(await verdictOf(without)).toMatch(/^sequence_gap: .* line 40: .* 41: 40 is missing/);
  });

  test("another event between two that are each valid, and an end that was cut off", async () => {
    const replaced = forged([31, (text) => rehashed(text, (event) => (event["action"] = "x"))]);
    expect(await verdictOf(replaced)).toMatch(/^inclusion_mismatch: .* line 31: /);
    const cut = (text: string) => text.slice(0, -1);
    expect(await verdictOf(changedIn(bundle, "events.jsonl", cut))).toMatch(
      /^file_malformed: events.jsonl: the end was cut off/,
    );
    expect(await verdictOf(changedIn(forged([59, other]), "events.jsonl", cut))).toMatch(
      /^digest_mismatch: .* line 59: /,
    );
  });
});

test("as CSV", async () => {
  const made = chainOf("acct_1", large);
  const csv = csvOf(made);
  expect(await verify(csv)).toMatchObject({ events: 60, linksChecked: 60 });
  expect(await verdict(csv.replace('""n"":38,', '""n"":39,'))).toMatch(/^40: .*digest_mismatch/);
});
