// Guarantee: annals-verify names the event or the head of a bundle that is not what was hashed, signed and
// seen, by the reason of the first check that it fails; and an event that witnesses have seen too late.

import type { JsonObject, Part } from "@annals/event";
import { DEFAULT_MAX_LAG_S } from "annals-verify";
import { describe, expect, test } from "vitest";
import {
  bundleOf,
  CHAIN,
  changed,
  line,
  lines,
  rehashed,
  vectorFiles,
  verdictOf,
} from "./made-bundle.ts";
import { erasure, recordedChain } from "./made-erasure.ts";

const FULL = vectorFiles("full");
const PRUNED = vectorFiles("pruned");

describe("steps 3 and 4, the events:", () => {
  const events = (change: (text: string) => string) => changed(FULL, "events.jsonl", change);
  const erase = (text: string) =>
    text
      .replace(/"actor":\{"id.*?\}\}/, '"actor":{}')
      .replace(/"\},"proof"/, '","erased":["actor"]},"proof"')
      .replace(/"actor":"[0-9a-f]{32}",/, "");
  const withoutRecord = (text: string) => text.replace('"annals.erasure"', '"annals.erasurf"');
  test.each<[string, string, (text: string) => string]>([
    [
      "a line that is not JSON",
      "file_malformed: events.jsonl line 7: ",
      line(7, (text) => text.slice(1)),
    ],
    [
      "a member more",
      "file_malformed: events.jsonl line 7: ",
      line(7, (text) => text.replace('"id"', '"x":1,"id"')),
    ],
    ["another chain", "chain_mismatch: ", line(7, (text) => text.replace(CHAIN, "acct_0"))],
    ["an event less", "sequence_gap: events.jsonl line 7: ", lines((all) => all.toSpliced(6, 1))],
    [
      "an event twice",
      "sequence_gap: events.jsonl line 8: ",
      lines((all) => all.toSpliced(6, 0, all[6] ?? "")),
    ],
    [
      "two events in another order",
      "sequence_gap: ",
      lines((all) => all.toSpliced(6, 2, all[7] ?? "", all[6] ?? "")),
    ],
    ["without the last event", "sequence_gap: the events end", lines((all) => all.slice(0, -1))],
    ["without events", "sequence_gap: there is not one", () => ""],
    [
      "another value",
      "digest_mismatch: events.jsonl line 200: ",
      line(200, (text) => text.replace('"n":300', '"n":301')),
    ],
    [
      "a salt less",
      "digest_mismatch: ",
      line(200, (text) => text.replace(/"diff":"[0-9a-f]{32}",/, "")),
    ],
    [
      "a value of an erased part",
      "erased_value_present: ",
      line(1, (text) => text.replace('"actor":{}', '"actor":{"id":"u"}')),
    ],
    [
      "a salt of an erased part",
      "erased_value_present: ",
      line(1, (text) => text.replace('"salts":{', `"salts":{"actor":"${"0".repeat(32)}",`)),
    ],
    [
      "another action",
      "hash_mismatch: ",
      line(9, (text) => text.replace('"action":"', '"action":"x')),
    ],
    [
      "another action, hashed again",
      "inclusion_mismatch: events.jsonl line 9: ",
      line(9, (text) => rehashed(text, (event) => (event["action"] = "x"))),
    ],
    [
      "another link, hashed again",
      "link_mismatch: events.jsonl line 500: ",
      line(500, (text) => rehashed(text, (event) => (event["previous_hash"] = "0".repeat(64)))),
    ],
    [
      "another last event, hashed again",
      "inclusion_mismatch: events.jsonl line 500: ",
      line(500, (text) => rehashed(text, (event) => (event["action"] = "x"))),
    ],
    [
      "a part that is erased without a record",
      "erasure_unrecorded: sequence number 200: actor",
      line(200, erase),
    ],
    [
      "a part that is erased after the record",
      "erasure_unrecorded: sequence number 460: actor",
      line(460, erase),
    ],
    ["a changed record", "hash_mismatch: events.jsonl line 450: ", withoutRecord],
    [
      "a record of which the metadata is changed",
      "digest_mismatch: events.jsonl line 450: ",
      (text) => text.replace('"parts":["actor","context"]', '"parts":["actor","context","diff"]'),
    ],
  ])("%s", async (_, expected, change) => {
    expect((await verdictOf(events(change))).slice(0, expected.length)).toBe(expected);
  });

  test("the first link of a bundle that begins later is that of the tree", async () => {
    const change = line(1, (text) =>
      rehashed(text, (event) => (event["previous_hash"] = "f".repeat(64))),
    );
    expect(await verdictOf(changed(PRUNED, "events.jsonl", change))).toMatch(
      /^link_mismatch: .*line 1:/,
    );
  });
});

describe("step 4, the records of a chain", () => {
  function chain(action: string, metadata: JsonObject, erased: Readonly<Record<number, Part[]>>) {
    const { lines: texts, places } = recordedChain(CHAIN, { action, metadata }, erased);
    return bundleOf(
      texts,
      places.map(({ hash }) => hash),
    );
  }

  test.each<[string, string, JsonObject, Readonly<Record<number, Part[]>>]>([
    ["valid", "annals.erasure", erasure("1-2,5"), { 1: ["actor"], 2: ["actor"] }],
    ["valid", "annals.retention", { through_sequence: 3 }, { 1: ["actor"], 3: ["diff", "target"] }],
    ["1: actor", "annals.erasure", erasure("2"), { 1: ["actor"], 2: ["actor"] }],
    ["1: diff", "annals.erasure", erasure("1"), { 1: ["actor", "diff"] }],
    ["5: actor", "annals.erasure", erasure("1,5"), { 5: ["actor"] }],
    ["4: actor", "annals.erasure", erasure("1,4"), { 4: ["actor"] }],
    ["5: actor", "annals.retention", { through_sequence: 9 }, { 5: ["actor"] }],
    ["3: actor", "annals.retention", { through_sequence: 2 }, { 3: ["actor"] }],
    ["1: actor", "annals.erasure", erasure("1"), { 1: ["actor"], 4: ["metadata"] }],
    ["1: actor", "annals.erasure", erasure("2,1"), { 1: ["actor"] }],
    ["1: actor", "annals.erasure.requested", erasure("1"), { 1: ["actor"] }],
  ])("%s: %s of %j", async (expected, action, metadata, erased) => {
    const verdict = await verdictOf(chain(action, metadata, erased));
    const named = `erasure_unrecorded: sequence number ${expected} is erased`;
    expect(verdict.slice(0, expected === "valid" ? undefined : named.length)).toBe(
      expected === "valid" ? "valid" : named,
    );
  });
});

/** Another first digit of the first hash in a list. */
function firstHash(text: string, name: string): string {
  return text.replace(new RegExp(`("${name}":\\[")(.)`), (_, before: string, digit: string) =>
    digit === "0" ? `${before}1` : `${before}0`,
  );
}

describe("step 5, the heads:", () => {
  const heads = (change: (text: string) => string) => changed(FULL, "heads.jsonl", change);
  const times = (text: string, pattern: RegExp, to: string) => text.replace(pattern, to);
  test.each<[string, RegExp, (text: string) => string]>([
    [
      "a line that is not JSON",
      /^file_malformed: heads.jsonl line 2/,
      line(2, (text) => `${text}}`),
    ],
    [
      "a wrong cosignature",
      /^signature_invalid: heads.jsonl line 2/,
      line(2, (text) => text.replace("P3dLV4", "P3dLV5")),
    ],
    [
      "a wrong signature of the log",
      /^signature_invalid: /,
      line(2, (text) => text.replace("lkaWDQ", "lkaWDR")),
    ],
    [
      "without the log's signature",
      /^signature_missing: /,
      line(2, (text) => text.replace("— log.", "— lag.")),
    ],
    [
      "the epochs in another order",
      /^head_mismatch: .*rise/,
      lines((all) => [all[1] ?? "", all[0] ?? "", ...all.slice(2)]),
    ],
    ["another entry", /^head_mismatch: /, line(2, (text) => times(text, /:30\.0/, ":31.0"))],
    ["another path", /^head_mismatch: .*line 2: .*map/, line(2, (text) => firstHash(text, "path"))],
    [
      "another head",
      /^head_mismatch: .*line 2: .*map/,
      line(2, (text) => text.replace('"size":200', '"size":201')),
    ],
    [
      "another account's head",
      /^head_mismatch: .*another chain/,
      line(2, (text) => text.replace(CHAIN, "acct_0")),
    ],
    [
      "another proof of inclusion",
      /^head_mismatch: .*not in the tree/,
      line(2, (text) => firstHash(text, "inclusion")),
    ],
    [
      "another proof of consistency",
      /^consistency_mismatch: /,
      line(2, (text) => firstHash(text, "consistency")),
    ],
    ["without the last line", /^quorum_missing: /, lines((all) => all.slice(0, -1))],
    ["without a line", /^quorum_missing: /, () => ""],
    [
      "one cosignature on the last line",
      /^quorum_missing: /,
      line(5, (text) => text.replace(/— w2[^"]*?\\n/, "")),
    ],
  ])("%s", async (_, expected, change) => {
    expect(await verdictOf(heads(change))).toMatch(expected);
  });
});

describe("step 6, anchored_late:", () => {
  const drop = (at: number) =>
    changed(
      FULL,
      "heads.jsonl",
      lines((all) => all.toSpliced(at, 1)),
    );

  test("a wait that is longer than the lag allowed, whose default is 26 hours", async () => {
    expect(await verdictOf(FULL, { maxAnchorLag: 85_571 })).toBe("valid");
    expect(await verdictOf(FULL, { maxAnchorLag: 85_569 })).toMatch(
      /^anchored_late: sequence number 101: anchored 85570 s/,
    );
    expect(DEFAULT_MAX_LAG_S).toBe(93_600);
  });

  test("events of a day whose head is left out, and of one that no quorum has seen", async () => {
    expect(await verdictOf(drop(2))).toMatch(/^anchored_late: sequence number 201: /);
    const unseen = line(3, (text) => text.replace(/— w2[^"]*?\\n/, ""));
    expect(await verdictOf(changed(FULL, "heads.jsonl", unseen))).toMatch(
      /^anchored_late: sequence number 201: /,
    );
  });

  test("events that only epoch 1 excepts, once it is left out or no quorum has seen it", async () => {
    expect(await verdictOf(drop(0))).toMatch(/^anchored_late: sequence number 1: /);
    const unseen = line(1, (text) => text.replace(/— w2[^"]*?\\n/, ""));
    expect(await verdictOf(changed(FULL, "heads.jsonl", unseen))).toMatch(
      /^anchored_late: sequence number 1: /,
    );
  });
});
