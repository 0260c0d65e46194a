// Guarantee: annals-verify accepts a bundle of evidence exactly if the caller's policy and checkpoints bear
// it out, and names the first fault by its reason. What was not checked is said, and never taken as valid.

import type { EvidenceOptions } from "annals-verify";
import { KEY_TYPE, keyOf, parseVkey, vkeyOf } from "@annals/tlog";
import { describe, expect, test } from "vitest";
import {
  CHAIN,
  changed,
  type Files,
  lines,
  NEXT_VKEY,
  NO_QUORUM,
  ORIGIN,
  POLICY,
  relisted,
  signedCheckpoint,
  tarOf,
  vectorBytes,
  vectorFiles,
  verdictOf,
  verifyBundle,
  withFile,
} from "./made-bundle.ts";
import { madeHeads } from "./made-heads.ts";

const KNOWN = vectorBytes("known-checkpoint.txt");
const FULL = vectorFiles("full");
const PRUNED = vectorFiles("pruned");

describe("valid:", () => {
  test("the full bundle, with its erasure", async () => {
    expect(await verifyBundle(FULL, { known: [KNOWN] })).toMatchObject({
      events: 500,
      linksUnchecked: 0,
      erasedParts: 52,
      records: 1,
      excepted: 100,
      unanchored: 0,
      anchoredBy: "witnesses",
      known: 1,
      waited: { sequenceNumber: 401 },
      witnesses: [{ witness: "w1" }, { witness: "w2" }],
    });
  });

  test("the pruned bundle, whose first link is in the tree", async () => {
    expect(await verifyBundle(PRUNED, { known: [KNOWN] })).toMatchObject({
      events: 384,
      linksUnchecked: 0,
      records: 2,
      excepted: 0,
    });
  });

  test("a bundle with a filter, whose links over gaps are counted", async () => {
    const kept = changed(
      changed(FULL, "bundle.json", (text) =>
        text.replace('"filter": {}', '"filter": {"action": "x"}'),
      ),
      "events.jsonl",
      lines((all) => all.filter((each, at) => at % 7 === 0 || each.includes('"annals.'))),
    );
    const report = await verifyBundle(kept);
    expect(report.bundle.isFiltered).toBe(true);
    expect(report.linksUnchecked).toBeGreaterThan(50);
  });

  test("without a quorum in the policy the result says that nothing is anchored", async () => {
    expect(await verifyBundle(FULL, { policy: NO_QUORUM })).toMatchObject({
      anchoredBy: undefined,
      excepted: 0,
      unanchored: 500,
    });
  });
});

describe("step 1, file_mismatch:", () => {
  const files = (change: (files: Files) => void): Files => {
    const copy = new Map(FULL);
    change(copy);
    return copy;
  };
  const twice = tarOf([...FULL, ["policy", Buffer.from("other")] as const]);
  test.each<[string, Files | Buffer]>([
    ["a file that is missing", files((all) => all.delete("policy"))],
    ["a file more", files((all) => all.set("extra", Buffer.from("x")))],
    ["no bundle.json", files((all) => all.delete("bundle.json"))],
    ["another byte", files((all) => all.set("policy", Buffer.from("quorum none\n")))],
    ["a file that is in the tar file twice", twice],
    ["a tar file that was cut off", tarOf(FULL).subarray(0, 700_000)],
    ["a tar file without its end", tarOf(FULL).subarray(0, -1024)],
    ["an empty file", Buffer.alloc(0)],
    ["no tar file", Buffer.from("x".repeat(2048))],
    ["a link in the tar file", linked()],
    ["another version", changed(FULL, "bundle.json", (text) => text.replace('"v": 1', '"v": 2'))],
  ])("%s", async (_, given) => {
    expect(await verdictOf(given)).toMatch(/^file_mismatch: /);
  });

  /** The first entry is a symbolic link, by its type. */
  function linked(): Buffer {
    const tar = tarOf(FULL);
    tar[156] = 0x32;
    const sum = Number.parseInt(tar.toString("latin1", 148, 154), 8) + 2;
    tar.write(sum.toString(8).padStart(6, "0"), 148);
    return tar;
  }
});

describe("step 2, the checkpoint and its tree:", () => {
  const another = Buffer.from(`log ${String(vectorBytes("log/vkey"))}\nquorum none\n`);
  const withoutTile = new Map(FULL);
  withoutTile.delete("tile/1/000.p/1");
  const extra = withFile(FULL, "tile/0/009", Buffer.alloc(8192));
  const flip = (name: string) => {
    const bytes = Buffer.from(FULL.get(name) ?? "");
    bytes[5] = (bytes[5] ?? 0) ^ 1;
    return relisted(withFile(FULL, name, bytes));
  };
  test.each<[string, RegExp, Files, Partial<EvidenceOptions>]>([
    ["no log of the policy", /^signature_missing: checkpoint/, FULL, { policy: another }],
    [
      "without its signature",
      /^signature_missing: checkpoint/,
      changed(FULL, "checkpoint", (text) => text.replace(/\n— .*/, "")),
      {},
    ],
    [
      "another size",
      /^signature_invalid: checkpoint/,
      changed(FULL, "checkpoint", (text) => text.replace("\n500\n", "\n501\n")),
      {},
    ],
    [
      "the checkpoint of the head log",
      /^signature_missing: checkpoint/,
      relisted(withFile(FULL, "checkpoint", vectorBytes("head-log/checkpoint"))),
      {},
    ],
    [
      "a changed tile",
      /^inclusion_mismatch: tile\/0\/000 is not the entry/,
      flip("tile/0/000"),
      {},
    ],
    [
      "a changed partial tile",
      /^inclusion_mismatch: the tiles do not give the root/,
      flip("tile/0/001.p/244"),
      {},
    ],
    ["a changed tile of level 1", /^inclusion_mismatch: /, flip("tile/1/000.p/1"), {}],
    ["a tile that is missing", /^inclusion_mismatch: .*missing/, relisted(withoutTile), {}],
    ["a tile too many", /^inclusion_mismatch: .*does not have/, relisted(extra), {}],
    [
      "a range beyond the tree",
      /^inclusion_mismatch: .*cover/,
      changed(FULL, "bundle.json", (text) =>
        text.replace('"to_sequence": 500', '"to_sequence": 501'),
      ),
      {},
    ],
  ])("%s", async (_, expected, files, options) => {
    expect(await verdictOf(files, options)).toMatch(expected);
  });
});

describe("a log that follows another one", () => {
  const origin = `${ORIGIN}/2`;
  const next = keyOf(origin, KEY_TYPE.ed25519, parseVkey(NEXT_VKEY).publicKey);
  const policy = Buffer.from(
    String(POLICY).replace(/^log .*$/m, (old) => `${old}\nlog ${vkeyOf(next)}`),
  );
  const [, , root = ""] = String(FULL.get("checkpoint")).split("\n");
  const checkpoint = (size: number, base64: string, of: string, signer: "log" | "next") =>
    Buffer.from(
      signedCheckpoint(`${of}/${CHAIN}`, size, Buffer.from(base64, "base64"), {}, signer),
    );
  const files = changed(
    new Map([
      ...FULL,
      ["heads.jsonl", madeHeads(FULL, { origin, signer: "next" })],
      ["checkpoint", checkpoint(500, root, origin, "next")],
    ]),
    "bundle.json",
    (text) => text.replace(`"origin": "${ORIGIN}"`, `"origin": "${origin}"`),
  );

  test("excepts no event, unless a known checkpoint of the old log covers it", async () => {
    expect(await verdictOf(files, { policy })).toBe("valid");
    const options = { policy, maxAnchorLag: 80_000 };
    expect(await verdictOf(files, options)).toMatch(/^anchored_late: sequence number 1: /);
    // The whole of the chain was in the old log.
    const known = [checkpoint(500, root, ORIGIN, "log")];
    expect(await verifyBundle(files, { ...options, known })).toMatchObject({
      excepted: 500,
      earlierOrigins: [`${ORIGIN}/${CHAIN}`],
    });
    expect(await verdictOf(files, { ...options, known: [KNOWN] })).toMatch(
      /^anchored_late: sequence number 301: /,
    );
    const other = [checkpoint(300, Buffer.alloc(32, 1).toString("base64"), ORIGIN, "log")];
    expect(await verdictOf(files, { policy, known: other })).toMatch(/^checkpoint_conflict: /);
  });
});

describe("step 7, known checkpoints:", () => {
  const signed = (size: number, root: Buffer) =>
    Buffer.from(signedCheckpoint(`${ORIGIN}/${CHAIN}`, size, root));

  test("one that the bundle does not continue, and one that is newer", async () => {
    const other = signed(300, Buffer.alloc(32, 1));
    expect(await verdictOf(FULL, { known: [KNOWN, other] })).toMatch(
      /^checkpoint_conflict: .*does not continue/,
    );
    const newer = PRUNED.get("checkpoint") ?? KNOWN;
    expect(await verdictOf(FULL, { known: [newer] })).toMatch(/^checkpoint_conflict: .*older/);
  });

  test("nothing is checked without a policy that can be used", async () => {
    for (const policy of [Buffer.alloc(0), Buffer.from("quorum w1\n"), vectorBytes("log/vkey")])
      expect(await verdictOf(FULL, { policy })).toMatch(/^NotChecked: the policy /);
    expect(await verdictOf(FULL, { timestampAuthorities: Buffer.from("x") })).toMatch(
      /^NotChecked: /,
    );
  });

  test("nothing is checked against one that the policy does not trust, or without tiles for it", async () => {
    const untrusted = Buffer.from(String(KNOWN).replace("KefT4AOI", "KefT4AOJ"));
    for (const known of [untrusted, Buffer.from("x"), vectorBytes("head-log/checkpoint")])
      expect(await verdictOf(FULL, { known: [known] })).toMatch(/^NotChecked: /);
    const [first] = String(PRUNED.get("heads.jsonl")).split("\n");
    const { head } = JSON.parse(first ?? "") as { head: { size: number; root: string } };
    const early = signed(head.size, Buffer.from(head.root, "hex"));
    expect(await verdictOf(PRUNED, { known: [early] })).toBe("valid");
    const later = withoutEarlyTiles();
    expect(await verdictOf(later)).toBe("valid");
    expect(await verdictOf(later, { known: [early] })).toMatch(/^NotChecked: .*has no tiles/);
  });

  /** Events from 300 on, and no tile that ends before. */
  function withoutEarlyTiles(): Files {
    const files = new Map(PRUNED);
    files.delete("tile/0/000");
    const events = lines((all) => all.slice(300 - 257));
    return changed(changed(files, "events.jsonl", events), "bundle.json", (text) =>
      text.replace('"from_sequence": 257', '"from_sequence": 300'),
    );
  }
});
