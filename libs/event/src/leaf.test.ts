// Guarantee: the hashes of format v1 are those of the published vectors, to the byte, and an event of which
// anything that is hashed was changed is found.

import { describe, expect, test } from "vitest";
import { canonicalJson } from "./json/canonical-json.ts";
import { checkLeaf } from "./check-leaf.ts";
import type { StoredLeaf } from "./check-leaf.ts";
import { partDigest, leafHash, leafText, writePartDigest } from "./leaf.ts";
import { DIGEST_BYTES, GENESIS_HASH, SALT_BYTES } from "./leaf-text.ts";
import { type Part, PARTS } from "./event-members.ts";
import { readJson } from "./json/read-json.ts";
import { type ProvenEvent, readVectors } from "./testing/vectors.ts";

interface Vector extends ProvenEvent {
  canonical: Record<Part, string>;
  leaf: string;
}

const vectors = readVectors() as Vector[];

function stored({ event, proof, canonical }: Vector): StoredLeaf {
  const joined = (hex: Record<Part, string>) =>
    Buffer.from(PARTS.map((part) => hex[part]).join(""), "hex");
  return {
    action: event.action,
    chain: proof.chain,
    createdAt: event.created_at,
    digests: joined(proof.digests),
    hash: event.hash,
    id: event.id,
    occurredAt: event.occurred_at,
    parts: { ...canonical },
    previousHash: event.previous_hash,
    receivedAt: event.received_at,
    salts: joined(proof.salts),
    sequenceNumber: event.sequence_number,
  };
}

describe.each(vectors.map((vector) => [vector.event.id, vector] as const))(
  "vector %s",
  (_, vector) => {
    test("canonical texts", () => {
      for (const part of PARTS)
        expect(canonicalJson(vector.event[part])).toBe(vector.canonical[part]);
    });

    test("digests", () => {
      for (const part of PARTS) {
        const salt = Buffer.from(vector.proof.salts[part], "hex");
        expect(salt).toHaveLength(SALT_BYTES);
        const digest = vector.proof.digests[part];
        expect(partDigest(salt, vector.canonical[part]).toString("hex")).toBe(digest);
        const written = Buffer.alloc(2 * DIGEST_BYTES);
        const salts = Buffer.concat([Buffer.alloc(SALT_BYTES), salt]);
        writePartDigest(written, salts, 1, Buffer.from(vector.canonical[part]));
        expect(written.toString("hex")).toBe("00".repeat(DIGEST_BYTES) + digest);
      }
    });

    test("leaf, which is its own canonical text, and hash", () => {
      const leaf = leafText(stored(vector));
      expect(leaf).toBe(vector.leaf);
      expect(canonicalJson(readJson(Buffer.from(leaf), { maxDepth: 32, maxValues: 1_000 }))).toBe(
        leaf,
      );
      expect(leafHash(leaf)).toBe(vector.event.hash);
    });

    test("checkLeaf finds it whole", () => {
      expect(checkLeaf(stored(vector))).toBeUndefined();
    });
  },
);

test.each(PARTS.map((part, at) => [part, 1 << at] as const))(
  "checkLeaf finds an event whole without %s, if it is erased",
  (part, bit) => {
    const leaf = stored(vectors[0] as (typeof vectors)[number]);
    const salts = Buffer.from(leaf.salts);
    const at = PARTS.indexOf(part) * 16;
    salts.fill(0, at, at + 16);
    const parts = { ...leaf.parts, [part]: "{}" };
    expect(checkLeaf({ ...leaf, parts, salts, erased: bit })).toBeUndefined();
    expect(checkLeaf({ ...leaf, parts, salts })).toBe("digest_mismatch");
    expect(checkLeaf({ ...leaf, parts, erased: bit })).toBe("digest_mismatch");
    const kept = { ...leaf.parts, [part]: '{"kept":1}' };
    expect(checkLeaf({ ...leaf, parts: kept, salts, erased: bit })).toBe("digest_mismatch");
  },
);

test("the vectors are a chain from the genesis on", () => {
  expect(vectors.length).toBeGreaterThan(0);
  let previous = GENESIS_HASH;
  for (const [index, { event }] of vectors.entries()) {
    expect(event).toMatchObject({ previous_hash: previous, sequence_number: index + 1 });
    previous = event.hash;
  }
});

describe("checkLeaf finds a change of", () => {
  const whole = () => stored(vectors[0] as Vector);

  test.each(PARTS)("the part %s", (part) => {
    const leaf = whole();
    expect(checkLeaf({ ...leaf, parts: { ...leaf.parts, [part]: '{"forged":1}' } })).toBe(
      "digest_mismatch",
    );
    // The same value in another text is a change too: the stored text is the evidence.
    expect(checkLeaf({ ...leaf, parts: { ...leaf.parts, [part]: `${leaf.parts[part]} ` } })).toBe(
      "digest_mismatch",
    );
  });

  test.each([0, 1, 2, 3, 4])("salt or digest number %d", (index) => {
    const salted = whole();
    salted.salts.writeUInt8(salted.salts.readUInt8(index * 16 + 15) ^ 1, index * 16 + 15);
    expect(checkLeaf(salted)).toBe("digest_mismatch");
    const digested = whole();
    digested.digests.writeUInt8(digested.digests.readUInt8(index * 32 + 31) ^ 1, index * 32 + 31);
    expect(checkLeaf(digested)).toBe("digest_mismatch");
  });

  test("a part with its digest made to fit", () => {
    const leaf = whole();
    leaf.parts = { ...leaf.parts, diff: '{"forged":1}' };
    partDigest(leaf.salts.subarray(32, 48), leaf.parts.diff).copy(leaf.digests, 64);
    expect(checkLeaf(leaf)).toBe("hash_mismatch");
  });

  test.each<[string, Partial<StoredLeaf>]>([
    ["action", { action: "user.logout" }],
    ["chain", { chain: "acct_other" }],
    ["created_at", { createdAt: "2026-01-01T03:04:07.678902Z" }],
    ["hash", { hash: "f".repeat(64) }],
    ["id", { id: "evt_other" }],
    ["occurred_at", { occurredAt: "2026-01-01T03:04:05.678902Z" }],
    ["previous_hash", { previousHash: "f".repeat(64) }],
    ["received_at", { receivedAt: "2026-01-01T03:04:06.678902Z" }],
    ["sequence_number", { sequenceNumber: 2 }],
    ["sequence_number, to none", { sequenceNumber: 0 }],
    ["action, to half a character", { action: "\ud800" }],
  ])("%s", (_, change) => {
    expect(checkLeaf({ ...whole(), ...change })).toBe("hash_mismatch");
  });

  test("the length of salts or digests", () => {
    const leaf = whole();
    expect(checkLeaf({ ...leaf, salts: leaf.salts.subarray(1) })).toBe("digest_mismatch");
    expect(checkLeaf({ ...leaf, digests: Buffer.alloc(0) })).toBe("digest_mismatch");
  });
});

describe("leafText", () => {
  const members = () => stored(vectors[0] as Vector);

  test("escapes what a client may choose", () => {
    const leaf = leafText({ ...members(), action: 'a"\\\n€😀' });
    expect(leaf).toContain(String.raw`{"action":"a\"\\\n€😀","chain"`);
    expect(canonicalJson(readJson(Buffer.from(leaf), { maxDepth: 2, maxValues: 100 }))).toBe(leaf);
  });

  test("refuses what makes no leaf", () => {
    expect(() => leafText({ ...members(), sequenceNumber: 2 ** 53 })).toThrow(RangeError);
    expect(() => leafText({ ...members(), digests: Buffer.alloc(159) })).toThrow(RangeError);
    expect(() => leafText({ ...members(), action: "\udc00" })).toThrow(TypeError);
  });
});
