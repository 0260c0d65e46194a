// Guarantee: evidence.py, which shares no line with the service or annals-verify, accepts the worked examples
// of evidence and no change of them, and names the same reasons as annals-verify. It runs where python3 is on
// the path. In the fault suite it makes 500 changes.

import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  CHAIN,
  changed,
  type Files,
  line,
  lines,
  NO_QUORUM,
  ORIGIN,
  POLICY,
  rehashed,
  relisted,
  tarOf,
  vectorBytes,
  vectorFiles,
  withFile,
} from "./made-bundle.ts";
import { hasPython } from "../system/programs.ts";
import { agreed, type Given, python, verdict, verdictInTurn } from "./python-evidence.ts";

const VECTORS = join(import.meta.dirname, "../vectors/evidence");

const KNOWN = vectorBytes("known-checkpoint.txt");
const FULL = vectorFiles("full");
const PRUNED = vectorFiles("pruned");
const SEED = "20261126";

describe.runIf(hasPython)("evidence.py", () => {
  test("accepts the full bundle, and says what it has seen", () => {
    const { status, text } = verdict(FULL, { known: [KNOWN] });
    expect(text.split("\n")).toEqual([
      `valid: 500 events, 1 to 500 of ${CHAIN}`,
      `log: ${ORIGIN}, the chain's checkpoint has size 500`,
      "erased parts: 52, records: 1",
      "anchored by witnesses, from 2026-03-02 00:00:34 to 2026-03-06 00:00:34",
      "longest wait: 85569 s, sequence number 401",
      "older than the log, so without a wait: 100 events",
      "last head seen by w1 2026-03-06 00:00:34, w2 2026-03-06 00:00:34",
      `continues a known checkpoint of ${ORIGIN}, size 300`,
    ]);
    expect(status).toBe(0);
  });

  test("accepts the pruned bundle, whose first link is in the tree", async () => {
    const { status, text } = await verdictInTurn(PRUNED, { known: [KNOWN] });
    expect(text).toMatch(/^valid: 384 events, 257 to 640 .*\nerased parts: 222, records: 2\n/s);
    expect(status).toBe(0);
  });

  test("accepts no change of any file, and names a reason for each", () => {
    const paths = [...PRUNED.keys()].filter((name) => name !== "heads.jsonl");
    const { changes, reasons: least } = inject("form").evidence;
    const answers = [mutations("full", changes * 0.7), mutations("pruned", changes * 0.3, paths)];
    const [unchanged, reasons] = [
      answers.map(([first]) => first),
      answers.flatMap(([, ...all]) => all),
    ];
    expect(unchanged).toEqual(["unchanged: accepted: ", "unchanged: accepted: "]);
    expect(reasons).toHaveLength(changes);
    expect(reasons.filter((text) => !REASON.test(text))).toEqual([]);
    expect(new Set(reasons.map((text) => REASON.exec(text)?.[1])).size).toBeGreaterThanOrEqual(
      least,
    );
  });

  const REASON = new RegExp(
    `: (file_mis|file_malformed|signature_|(?:inclusion|chain|digest|hash|link|head|consistency)_mis|sequence_gap|` +
      `erased_value_present|erasure_unrecorded|quorum_missing|anchored_late|timestamp_invalid)`,
  );

  /** The answers for a bundle and its changes; a head of which no event has need may be left out of it. */
  function mutations(name: string, count: number, paths: readonly string[] = []): string[] {
    const folder = join(VECTORS, name);
    const policy = join(VECTORS, "policy.txt");
    const parameters = [folder, policy, String(count), SEED, ...paths];
    const { text } = python("evidence_mutations.py", parameters);
    return text.split("\n").map((each) => {
      const { message, reason, what } = JSON.parse(each) as Readonly<Record<string, string>>;
      return `${what}: ${reason}: ${message}`;
    });
  }
});

describe.runIf(hasPython)("the parts of evidence.py agree on the worked examples:", () => {
  const read = (name: string) => JSON.parse(String(vectorBytes(`${name}.json`))) as never;
  let all: Readonly<Record<string, unknown>>;
  const answers = (name: string): unknown => all[name];

  beforeAll(() => {
    all = JSON.parse(python("evidence_vectors.py", [VECTORS]).text);
  });

  test("keys, notes and the policy", () => {
    const given: {
      keys: Readonly<Record<string, { key_id: string }>>;
      valid: { by: string[] }[];
    } = read("note");
    expect(answers("note")).toEqual({
      ids: Object.values(given.keys).map((key) => key.key_id),
      valid: given.valid.map(({ by }) => by),
      invalid: ["signature_invalid", "signature_invalid", [], "not a note"],
      policy: ["log", "w1", "w2", "w3"],
    });
  });

  test("cosignatures of ML-DSA-44, where Python can verify them", () => {
    const given: { message: string } = read("cosignature-mldsa");
    const wrong = "signature_invalid";
    const expected = { message: given.message, valid: ["w4"], invalid: [wrong, wrong, wrong, []] };
    expect([null, expected]).toContainEqual(answers("cosignature-mldsa"));
  });

  test("trees, proofs and tile paths", () => {
    const given: {
      roots: Readonly<Record<string, string>>;
      inclusion: unknown[];
      consistency: unknown[];
      tile_paths: Readonly<Record<string, string>>;
    } = read("tree");
    const { 0: _, ...roots } = given.roots;
    expect(answers("tree")).toEqual({
      roots,
      included: given.inclusion.map(() => true),
      elsewhere: given.inclusion.map(() => false),
      consistent: given.consistency.map(() => true),
      longer: given.consistency.map(() => false),
      paths: Object.values(given.tile_paths),
    });
  });

  test.each([
    ["log", 500, 7],
    ["head-log", 8, 4],
  ])("the %s as it is served, and no log with a byte changed", (name, size, files) => {
    const { changed: found, ...log } = answers(name) as { changed: Record<string, unknown> };
    expect(log).toEqual({ size });
    expect(Object.keys(found)).toHaveLength(files);
    expect(Object.values(found).filter((answer) => typeof answer !== "string")).toEqual([]);
  });

  test("the map of heads", () => {
    const given: { maps: { root: string; heads: unknown[] }[] } = read("map");
    const { others, roots } = answers("map") as Record<"others" | "roots", string[][]>;
    expect(roots).toEqual(given.maps.map(({ heads, root }) => heads.map(() => root)));
    expect(others.flat().filter((root) => given.maps.some((map) => map.root === root))).toEqual([]);
  });
});

describe.runIf(hasPython)("evidence.py and annals-verify name the same reason:", () => {
  const events = (change: (text: string) => string) => changed(FULL, "events.jsonl", change);
  const heads = (change: (text: string) => string) => changed(FULL, "heads.jsonl", change);
  const without = (name: string) => {
    const files = new Map(FULL);
    files.delete(name);
    return files;
  };
  const flipped = (name: string) => {
    const bytes = Buffer.from(FULL.get(name) ?? "");
    bytes[5] = (bytes[5] ?? 0) ^ 1;
    return relisted(withFile(FULL, name, bytes));
  };
  const erase = (text: string) =>
    text
      .replace(/"actor":\{"id.*?\}\}/, '"actor":{}')
      .replace(/"\},"proof"/, '","erased":["actor"]},"proof"')
      .replace(/"actor":"[0-9a-f]{32}",/, "");
  const unseen = (text: string) => text.replace(/— w2[^"]*?\\n/, "");

  test.each<[string, string, Files | Buffer, Given?]>([
    ["file_mismatch", "a file that is missing", without("policy")],
    ["file_mismatch", "a file more", new Map(FULL).set("extra", Buffer.from("x"))],
    ["file_mismatch", "a file twice", tarOf([...FULL, ["policy", POLICY] as const])],
    ["file_mismatch", "a tar file without its end", tarOf(FULL).subarray(0, -1024)],
    ["file_malformed", "a line that is not JSON", events(line(7, (text) => text.slice(1)))],
    [
      "signature_missing",
      "unsigned",
      changed(FULL, "checkpoint", (text) => text.replace(/\n— .*/, "")),
    ],
    [
      "signature_invalid",
      "another size",
      changed(FULL, "checkpoint", (text) => text.replace("500", "501")),
    ],
    ["inclusion_mismatch", "another tile", flipped("tile/0/000")],
    ["inclusion_mismatch", "another partial tile", flipped("tile/0/001.p/244")],
    ["inclusion_mismatch", "a tile less", relisted(without("tile/1/000.p/1"))],
    [
      "inclusion_mismatch",
      "a tile more",
      relisted(withFile(FULL, "tile/0/009", Buffer.alloc(8192))),
    ],
    ["chain_mismatch", "another chain", events(line(7, (text) => text.replace(CHAIN, "acct_0")))],
    ["sequence_gap", "an event less", events(lines((all) => all.toSpliced(6, 1)))],
    ["sequence_gap", "no last event", events(lines((all) => all.slice(0, -1)))],
    ["sequence_gap", "not one event", events(() => "")],
    [
      "digest_mismatch",
      "another value",
      events(line(200, (text) => text.replace('"n":300', '"n":301'))),
    ],
    [
      "erased_value_present",
      "an erased value",
      events(line(1, (text) => text.replace('"actor":{}', '"actor":{"a":1}'))),
    ],
    [
      "hash_mismatch",
      "another action",
      events(line(9, (text) => text.replace('"action":"', '"action":"x'))),
    ],
    [
      "inclusion_mismatch",
      "hashed again",
      events(line(9, (text) => rehashed(text, (event) => (event["action"] = "x")))),
    ],
    [
      "link_mismatch",
      "another link",
      events(
        line(500, (text) => rehashed(text, (event) => (event["previous_hash"] = "0".repeat(64)))),
      ),
    ],
    ["erasure_unrecorded", "erased without a record", events(line(200, erase))],
    ["erasure_unrecorded", "erased after the record", events(line(460, erase))],
    [
      "head_mismatch",
      "epochs in another order",
      heads(lines((all) => all.toSpliced(0, 2, all[1] ?? "", all[0] ?? ""))),
    ],
    [
      "head_mismatch",
      "another head",
      heads(line(2, (text) => text.replace('"size":200', '"size":201'))),
    ],
    [
      "consistency_mismatch",
      "another proof",
      heads(
        line(2, (text) =>
          text.replace(/("consistency":\[")./, (_, before: string) => `${before}f`),
        ),
      ),
    ],
    ["quorum_missing", "without the last head", heads(lines((all) => all.slice(0, -1)))],
    ["quorum_missing", "one cosignature on the last head", heads(line(5, unseen))],
    ["anchored_late", "a day without its head", heads(lines((all) => all.toSpliced(2, 1)))],
    ["anchored_late", "a head that one witness has seen", heads(line(3, unseen))],
    ["anchored_late", "an epoch 1 that one witness has seen", heads(line(1, unseen))],
    ["anchored_late", "a shorter lag", FULL, { maxAnchorLag: 85_569 }],
    ["valid", "a longer lag", FULL, { maxAnchorLag: 85_571 }],
    [
      "checkpoint_conflict",
      "older than a known one",
      FULL,
      { known: [PRUNED.get("checkpoint") ?? KNOWN] },
    ],
    [
      "NotChecked",
      "a known one that is not signed",
      FULL,
      { known: [vectorBytes("head-log/checkpoint")] },
    ],
    ["NotChecked", "a policy without a quorum", FULL, { policy: vectorBytes("log/vkey") }],
    ["valid", "a policy without witnesses", FULL, { policy: NO_QUORUM }],
  ])("%s: %s", async (reason, _, files, given = {}) => {
    expect(await agreed(files, given)).toBe(reason);
  });
});
