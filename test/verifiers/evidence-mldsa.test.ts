// Guarantee: both verifiers count a cosignature of ML-DSA-44 and refuse a wrong one. Where Python cannot
// verify it, it counts for nothing, and the result says so.

import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY_TYPE, keyOf, noteText, parseNote, vkeyOf } from "@annals/tlog";
import { describe, expect, test } from "vitest";
import { changed, line, POLICY, vectorFiles, verifyBundle } from "./made-bundle.ts";
import { hasPython } from "../system/programs.ts";
import { agreed, hasPythonAndMlDsa, reasonOf, verdict } from "./python-evidence.ts";

const FULL = vectorFiles("full");

describe.runIf(hasPython)("cosignatures of ML-DSA-44:", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ml-dsa-44");
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-1312);
  const key = keyOf("w4.example.net", KEY_TYPE.mlDsa44Cosignature, raw);
  const policy = Buffer.from(
    String(POLICY)
      .replace(/^group/m, `witness w4 ${vkeyOf(key)}\n$&`)
      .replace("w1 w2 w3", "w1 w2 w3 w4"),
  );

  /** The last head, which w4 has seen in place of w2. */
  const seen = (flip: number) =>
    changed(
      FULL,
      "heads.jsonl",
      line(5, (text) => {
        const claim = JSON.parse(text) as { checkpoint: string };
        const note = parseNote(claim.checkpoint);
        const bytes = cosignature(note.text);
        bytes[bytes.length - 9] = (bytes.at(-9) ?? 0) ^ flip;
        const others = note.signatures.filter(({ name }) => !name.startsWith("w2."));
        const own = { name: key.name, keyId: key.id, bytes };
        const checkpoint = noteText({ text: note.text, signatures: [...others, own] });
        return JSON.stringify({ ...claim, checkpoint });
      }),
    );

  function cosignature(text: string): Buffer {
    const [origin = "", size = "", root = ""] = text.split("\n");
    const numbers = Buffer.alloc(24);
    numbers.writeBigUInt64BE(1_772_755_234n);
    numbers.writeBigUInt64BE(BigInt(size), 16);
    const message = Buffer.concat([
      Buffer.from("subtree/v1\n\0"),
      Buffer.of(key.name.length),
      Buffer.from(key.name),
      numbers.subarray(0, 8),
      Buffer.of(origin.length),
      Buffer.from(origin),
      numbers.subarray(8),
      Buffer.from(root, "base64"),
    ]);
    return Buffer.concat([numbers.subarray(0, 8), sign(null, message, privateKey)]);
  }

  test.each(hasPythonAndMlDsa ? ["cryptography"] : [])(
    "count where they are right, and are refused where not, with the package %s",
    async () => {
      expect(await agreed(seen(0), { policy })).toBe("valid");
      expect(await agreed(seen(1), { policy })).toBe("signature_invalid");
      expect(await agreed(seen(0))).toBe("quorum_missing");
    },
  );

  test("count for nothing where Python lacks the package, which the result says", async () => {
    expect((await verifyBundle(FULL, { policy })).uncounted).toEqual([]);
    using folder = mkdtempDisposableSync(join(tmpdir(), "annals-packages-"));
    writeFileSync(join(folder.path, "cryptography.py"), "raise ImportError\n");
    const packages = folder.path;
    expect(reasonOf(verdict(seen(0), { policy, packages }))).toBe("quorum_missing");
    expect(verdict(FULL, { policy, packages }).text).toMatch(
      /\nnot checked: cosignatures of w4, ML-DSA-44, without the package cryptography$/,
    );
  });
});
