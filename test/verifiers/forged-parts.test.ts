// Guarantees: a line whose digests fit any bytes in place of a part is valid exactly when these are the
// canonical text of an object; one whose digest does not fit a part is not valid. The first line of its kind
// is parsed, the others are read by the fast path, which must not differ.

import { canonicalJson, type JsonValue, leafHash, leafText, PARTS, readJson } from "@annals/event";
import { eventJson, proofJson } from "@annals/event";
import fc from "fast-check";
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { BadLine, verifyFile } from "annals-verify";
import { exportOf, type Made } from "./made-export.ts";
import { temporaryFile } from "./temporary-file.ts";

const CHAIN = "acct_1";
const MARK = '{"mark":1}';
const SALTS = Buffer.alloc(80, 7);

/** The line of an event that shows these bytes as its metadata; every digest fits `metadata`. */
function lineOf(
  metadata: Buffer,
  sequenceNumber: number,
  previousHash: string,
  shown: Buffer = metadata,
) {
  const texts = { actor: "{}", context: "{}", diff: "{}", metadata: MARK, target: "{}" };
  const digests = PARTS.map((part, at) => {
    const bytes = part === "metadata" ? metadata : Buffer.from(texts[part]);
    const salted = Buffer.concat([SALTS.subarray(at * 16, at * 16 + 16), bytes]);
    return Buffer.from(hash("sha256", salted, "hex"), "hex");
  });
  const time = "2026-01-01T00:00:00.000000Z";
  const times = { createdAt: time, occurredAt: time, receivedAt: time };
  const own = {
    action: "a",
    chain: CHAIN,
    id: `evt_${sequenceNumber}`,
    previousHash,
    sequenceNumber,
  };
  const members = { ...own, ...times, digests: Buffer.concat(digests) };
  const eventHash = leafHash(leafText(members));
  const proof = proofJson({ chain: CHAIN, salts: SALTS, digests: members.digests });
  const event = eventJson({ ...members, ...texts, hash: eventHash });
  // One character per byte.
  const line = `{"event":${event},"proof":${proof}}`.replace(MARK, () => shown.toString("latin1"));
  const place = { sequence_number: sequenceNumber, hash: eventHash, previous_hash: previousHash };
  return { line, place };
}

/** Whether a file is valid whose second line has the digests of `metadata`, and may show other bytes. */
async function isValid(metadata: Buffer, shown?: Buffer): Promise<boolean> {
  const first = lineOf(Buffer.from("{}"), 1, "0".repeat(64));
  const second = lineOf(metadata, 2, first.place.hash, shown);
  const made: Omit<Made, "records"> = {
    lines: [first.line, second.line],
    places: [first.place, second.place],
  };
  // The manifest is ASCII, and its digest is of the bytes.
  const body = Buffer.from(made.lines.map((line) => `${line}\n`).join(""), "latin1");
  const change = { size_bytes: body.length, sha256: hash("sha256", body) };
  using file = temporaryFile(Buffer.from(exportOf(made, change), "latin1"));
  try {
    await verifyFile(file.path);
    return true;
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    return false;
  }
}

function isCanonicalObject(bytes: Buffer): boolean {
  let value: JsonValue;
  try {
    value = readJson(bytes, { maxDepth: 31, maxValues: 1_000 });
  } catch {
    return false;
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Buffer.from(canonicalJson(value)).equals(bytes);
}

const TEXTS = [
  '{"a":1,"b":[true,null,"x\\n"],"c":{"d":-0.5,"é":"€😀"}}',
  '{"a\\n":0.30000000000000004,"n":1e+21,"t":"\\u001b"}',
  '{"\ud83d\ude00":1,"\ufb33":{"id":"}","meta":"\\""}}',
].map((text) => Buffer.from(text));
const PIECES = Array.from('{}[]:,"\\ 019.-+eub\u0001é').map((piece) => Buffer.from(piece));

test("the texts are valid as they are", async () => {
  for (const text of TEXTS) expect(await isValid(text), String(text)).toBe(true);
});

test("a text in place of the one whose digest is there is not valid", async () => {
  expect(await isValid(Buffer.from('{"n":7}'))).toBe(true);
  expect(await isValid(Buffer.from('{"n":7}'), Buffer.from('{"n":8}'))).toBe(false);
});

test("changed in one place they are valid exactly when they are canonical", async () => {
  let valid = 0;
  const bytes = fc.constantFrom(
    ...PIECES,
    Buffer.of(),
    Buffer.of(0xff),
    Buffer.of(0xed, 0xa0, 0x80),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...TEXTS),
    fc.nat(60),
    fc.nat(2),
    bytes,
    async (text, at, removed, added) => {
      const changed = Buffer.concat([text.subarray(0, at), added, text.subarray(at + removed)]);
      if (changed.includes("\n")) return;
      const isRight = isCanonicalObject(changed);
      if (isRight) valid += 1;
      expect(await isValid(changed), JSON.stringify(String(changed))).toBe(isRight);
    },
  );
  await fc.assert(property, {
    examples: [[TEXTS[0] as Buffer, 18, 0, Buffer.of(0xff)]],
  });
  expect(valid).toBeGreaterThan(0);
});
