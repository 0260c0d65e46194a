// Guarantee: evidence.py and annals-verify name the same reason also for faults that only the holder of the
// log's key can make, for what a signature or a proof hides, and for what only the form of a file shows.

import {
  checkpointText,
  KEY_TYPE,
  keyOf,
  noteSigner,
  noteText,
  parseCheckpoint,
  parseNote,
  parseVkey,
  vkeyOf,
} from "@annals/tlog";
import type { JsonObject, Part } from "@annals/event";
import { describe, expect, test } from "vitest";
import {
  bundleOf,
  CHAIN,
  changed,
  type Files,
  line,
  lines,
  NEXT_VKEY,
  NO_QUORUM,
  ORIGIN,
  POLICY,
  relisted,
  seedOf,
  signedCheckpoint,
  tarOf,
  vectorBytes,
  vectorFiles,
  verifyBundle,
  withFile,
} from "./made-bundle.ts";
import { erasure, recordedChain } from "./made-erasure.ts";
import { type HeadClaim, madeHeads } from "./made-heads.ts";
import { hasPython } from "../system/programs.ts";
import { agreed, type Given, hasPythonAndOpenssl, verdictInTurn } from "./python-evidence.ts";

const FULL = vectorFiles("full");
const heads = (change: (text: string) => string) => changed(FULL, "heads.jsonl", change);

type Case = [reason: string, what: string, files: Files | Buffer, given?: Given];

describe.runIf(hasPython)("signatures:", () => {
  const root = Buffer.from(String(FULL.get("checkpoint")).split("\n")[2] ?? "", "base64");
  const misnamed = checkpointText({ origin: `${ORIGIN}/acct_2`, size: 500, root });
  const signatures = [noteSigner(`${ORIGIN}/${CHAIN}`, seedOf("log")).sign(misnamed)];
  const otherId = String(POLICY).replace(/(log \S+\+)8327e096/, "$18327e097");

  test.each<Case>([
    ["NotChecked", "a vkey whose id is another one", FULL, { policy: Buffer.from(otherId) }],
    [
      "signature_missing",
      "a checkpoint of another origin than its signer",
      changed(FULL, "checkpoint", () => noteText({ text: misnamed, signatures })),
    ],
    [
      "signature_invalid",
      "a wrong cosignature",
      heads(line(2, (text) => text.replace("P3dLV4", "P3dLV5"))),
    ],
    ["signature_invalid", "a second form of a signature", changed(FULL, "checkpoint", malleated)],
  ])("%s: %s", async (reason, _, files, given) => {
    expect(await agreed(files, given)).toBe(reason);
  });

  /** Adds the order of the curve to S, which a lax verifier takes modulo the order. */
  function malleated(text: string): string {
    const note = parseNote(text);
    const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
    const [signature] = note.signatures;
    const bytes = Buffer.from(signature?.bytes ?? "");
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString("hex")}`) + order;
    const sum = Buffer.from(s.toString(16).padStart(64, "0"), "hex");
    bytes.set(sum.toReversed(), 32);
    return noteText({
      text: note.text,
      signatures: note.signatures.map((each) => ({ ...each, bytes })),
    });
  }
});

describe.runIf(hasPython)("a head log that the holder of its key made:", () => {
  const made = (change: (all: readonly HeadClaim[]) => readonly HeadClaim[], isForked = false) =>
    relisted(withFile(FULL, "heads.jsonl", madeHeads(FULL, { change, isForked })));
  const withHead = (all: readonly HeadClaim[], at: number, head: HeadClaim | undefined) =>
    head === undefined ? all : all.with(at, head);
  const otherRoot = ({ head, ...claim }: HeadClaim): HeadClaim => ({
    ...claim,
    head: { ...head, root: "5".repeat(64) },
  });
  const swapped = ([first, second, third, ...rest]: readonly HeadClaim[]) =>
    [first, third, second, ...rest].filter((each) => each !== undefined);

  test.each<Case>([
    ["valid", "the same heads", made((all) => all), { maxAnchorLag: 90_000 }],
    [
      "consistency_mismatch",
      "a head with another root, whose proof leads to the checkpoint",
      made((all) => withHead(all, 1, all[1] && otherRoot(all[1]))),
    ],
    ["consistency_mismatch", "sizes that fall", made(swapped)],
    ["consistency_mismatch", "two roots of the head log at one size", made((all) => all, true)],
    [
      "head_mismatch",
      "an entry whose proof is another one",
      heads(
        line(2, (text) =>
          text.replace(/("inclusion":\[")(.)/, (_, before: string, digit: string) =>
            digit === "0" ? `${before}1` : `${before}0`,
          ),
        ),
      ),
    ],
  ])("%s: %s", async (reason, _, files, given) => {
    expect(await agreed(files, given)).toBe(reason);
  });

  test("valid: a head that a quorum saw later than the one after it", async () => {
    const late = heads(
      line(2, (text) => {
        const claim = JSON.parse(text) as { readonly checkpoint: string };
        const { origin, root, size } = parseCheckpoint(parseNote(claim.checkpoint).text);
        const time = Date.parse("2026-04-03T00:00:00Z") / 1000;
        const checkpoint = signedCheckpoint(origin, size, root, { w1: time, w2: time });
        return JSON.stringify({ ...claim, checkpoint });
      }),
    );
    expect(await agreed(late)).toBe("anchored_late");
    expect(await agreed(late, { maxAnchorLag: 200_000 })).toBe("valid");
  });

  const FOLLOWING = `${ORIGIN}/2`;
  const FULL_ROOT = Buffer.from(String(FULL.get("checkpoint")).split("\n")[2] ?? "", "base64");

  /** The full bundle, from a log that follows the one of the worked examples. */
  function following(signer: "log" | "next"): Files {
    const own = signedCheckpoint(`${FOLLOWING}/${CHAIN}`, 500, FULL_ROOT, {}, signer);
    const files = new Map([
      ...FULL,
      ["heads.jsonl", madeHeads(FULL, { origin: FOLLOWING, signer })] as const,
      ["checkpoint", Buffer.from(own)] as const,
    ]);
    return changed(files, "bundle.json", (text) =>
      text.replace(`"origin": "${ORIGIN}"`, `"origin": "${FOLLOWING}"`),
    );
  }

  test("a log that follows another with the same key: its policy names the new one alone", async () => {
    const { publicKey } = parseVkey(/^log (.*)$/m.exec(String(POLICY))?.[1] ?? "");
    const vkey = vkeyOf(keyOf(FOLLOWING, KEY_TYPE.ed25519, publicKey));
    const policy = Buffer.from(String(POLICY).replace(/^log .*$/m, `log ${vkey}`));
    const of = (log: string, signer?: "next") =>
      Buffer.from(signedCheckpoint(`${log}/${CHAIN}`, 500, FULL_ROOT, {}, signer));
    const files = following("log");
    const given = { policy, maxAnchorLag: 60 };
    expect(await agreed(files, given)).toBe("anchored_late");
    expect(await agreed(files, { ...given, known: [of(ORIGIN)] })).toBe("valid");
    // Another key has signed it, or it is of another account.
    const foreign = Buffer.from(signedCheckpoint(`${ORIGIN}/acct_other`, 500, FULL_ROOT));
    for (const known of [of(ORIGIN, "next"), foreign])
      expect(await agreed(files, { ...given, known: [known] })).toBe("NotChecked");
  });

  test("checkpoint_conflict: a known checkpoint of the log before, which events wait for", async () => {
    const next = keyOf(FOLLOWING, KEY_TYPE.ed25519, parseVkey(NEXT_VKEY).publicKey);
    const policy = Buffer.from(String(POLICY).replace(/^log .*$/m, `$&\nlog ${vkeyOf(next)}`));
    const files = following("next");
    const other = signedCheckpoint(`${ORIGIN}/${CHAIN}`, 300, Buffer.alloc(32, 1));
    const known = [Buffer.from(other)];
    expect(await agreed(files, { policy, maxAnchorLag: 60 })).toBe("anchored_late");
    expect(await agreed(files, { policy, maxAnchorLag: 60, known })).toBe("checkpoint_conflict");
    // Without a quorum nothing is older than the log.
    const same = [Buffer.from(signedCheckpoint(`${ORIGIN}/${CHAIN}`, 500, FULL_ROOT))];
    const none = Buffer.from(String(policy).replace("quorum any2", "quorum none"));
    const report = await verifyBundle(files, { policy: none, known: same });
    expect(report).toMatchObject({ excepted: 0, unanchored: 500 });
    expect((await verdictInTurn(files, { policy: none, known: same })).text).toContain(
      "\nnot anchored: 500 events\n",
    );
  });
});

describe.runIf(hasPython)("the form of the files:", () => {
  const whole = tarOf(FULL);
  const sizes = [...FULL.values()].map((bytes) => bytes.length);
  /** The first byte after the first file, which is before the next block. */
  const afterFirst = 512 + (sizes[0] ?? 0);
  const withByte = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at] = 1;
    return bytes;
  };
  const filter = (files: Files) =>
    changed(files, "bundle.json", (text) => text.replace('"filter": {}', '"filter": {"a": 1}'));
  const sevenths = lines((all) =>
    all.filter((each, at) => at % 7 === 0 || each.includes('"annals.')),
  );
  const back = lines((all) => all.toSpliced(3, 2, all[4] ?? "", all[3] ?? ""));

  test.each<Case>([
    ["file_mismatch", "without the second block of zeros", whole.subarray(0, -512)],
    ["file_mismatch", "a byte after the end of the tar file", withByte(whole.length - 1)],
    ["file_mismatch", "a byte after the end of a file", withByte(afterFirst)],
    [
      "file_mismatch",
      "a file that is listed and does not belong there",
      relisted(withFile(FULL, "extra", Buffer.from("x"))),
    ],
    [
      "inclusion_mismatch",
      "a range beyond the checkpoint",
      changed(FULL, "bundle.json", (text) =>
        text.replace('"to_sequence": 500', '"to_sequence": 501'),
      ),
    ],
    [
      "file_malformed",
      "a last line without its end",
      changed(FULL, "events.jsonl", (text) => text.slice(0, -1)),
    ],
    [
      "file_malformed",
      "a last head without its end",
      changed(FULL, "heads.jsonl", (text) => text.slice(0, -1)),
    ],
    ["valid", "a filter", filter(changed(FULL, "events.jsonl", sevenths))],
    [
      "sequence_gap",
      "numbers that go back under a filter",
      filter(changed(FULL, "events.jsonl", (text) => back(sevenths(text)))),
    ],
    [
      "erased_value_present",
      "the salt of an erased part",
      changed(
        FULL,
        "events.jsonl",
        line(1, (text) => text.replace('"salts":{', `"salts":{"actor":"${"0".repeat(32)}",`)),
      ),
    ],
  ])("%s: %s", async (reason, _, files, given) => {
    expect(await agreed(files, given)).toBe(reason);
  });
});

describe.runIf(hasPython)("records of erasures:", () => {
  function recorded(metadata: JsonObject, erased: Readonly<Record<number, Part[]>>): Files {
    const made = recordedChain(CHAIN, { action: "annals.erasure", metadata }, erased);
    const hashes = made.places.map(({ hash }) => hash);
    return bundleOf(made.lines, hashes);
  }
  const sixth = { ...erasure("1"), parts: ["actor", "x"] };
  const both = erasure("1", ["actor", "context"]);

  test.each<Case>([
    ["valid", "of events before it", recorded(erasure("1,3"), { 1: ["actor"], 3: ["actor"] })],
    ["erasure_unrecorded", "of a later event", recorded(erasure("1,5"), { 5: ["actor"] })],
    ["erasure_unrecorded", "of itself", recorded(erasure("1,4"), { 4: ["actor"] })],
    [
      "erasure_unrecorded",
      "whose own metadata is erased",
      recorded(erasure("1"), { 1: ["actor"], 4: ["metadata"] }),
    ],
    ["erasure_unrecorded", "that names a sixth part", recorded(sixth, { 1: ["actor"] })],
    ["file_malformed", "in another order", recorded(both, { 1: ["context", "actor"] })],
  ])("%s: %s", async (reason, _, files, given) => {
    expect(await agreed(files, given)).toBe(reason);
  });
});

describe.runIf(hasPythonAndOpenssl)("time stamps:", () => {
  const given = JSON.parse(String(vectorBytes("timestamp.json"))) as Readonly<
    Record<"checkpoint" | "response_base64" | "ca_pem", string>
  >;
  const named = (size: number) =>
    relisted(
      new Map([
        ...FULL,
        [`timestamps/${size}.tsr`, Buffer.from(given.response_base64, "base64")],
        [`timestamps/${size}.checkpoint`, Buffer.from(given.checkpoint)],
      ]),
    );
  const authorities = Buffer.from(given.ca_pem);

  test("timestamp_invalid: a token that is named after another size", async () => {
    expect(await agreed(named(8), { policy: NO_QUORUM, authorities })).toBe("valid");
    expect(await agreed(named(7), { policy: NO_QUORUM, authorities })).toBe("timestamp_invalid");
  });
});
