// Guarantees: the answer of a time stamping authority gives its time only if it is of this digest and has the
// nonce of the request. No answer, however it is cut or changed, is anything but a time or a fault.

import fc from "fast-check";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TimeStampFault } from "./der.ts";
import { stampedTime } from "./time-stamp.ts";

const VECTOR = new URL("../../../test/vectors/evidence/timestamp.json", import.meta.url);
const given = JSON.parse(readFileSync(VECTOR, "utf8")) as {
  readonly checkpoint: string;
  readonly response_base64: string;
};

const DIGEST = createHash("sha256").update(given.checkpoint).digest();
const NONCE = Buffer.from("4011223344556677", "hex");
const TIME = "20261123013422Z";
const TIME_S = Date.UTC(2026, 10, 23, 1, 34, 22) / 1_000;
const TAG = {
  integer: 2,
  octets: 4,
  oid: 6,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
};
const OID = {
  sha256: "608648016503040201",
  signedData: "2a864886f70d010702",
  info: "2a864886f70d0109100104",
};

function der(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const contents = Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)),
  );
  const { length } = contents;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...size), contents]);
}

/** An answer without a signature, which the ledger does not verify. */
function answerOf({
  nonce = NONCE,
  digest = DIGEST,
  status = "00",
  time = TIME,
  hash = OID.sha256,
}) {
  const imprint = der(TAG.sequence, der(TAG.sequence, der(TAG.oid, hash)), der(TAG.octets, digest));
  const accuracy = der(TAG.sequence, der(TAG.integer, "01"));
  const info = der(
    TAG.sequence,
    der(TAG.integer, "01"),
    der(TAG.oid, "2a0304"),
    imprint,
    der(TAG.integer, "07"),
    der(TAG.time, Buffer.from(time)),
    accuracy,
    ...(nonce.length > 0 ? [der(TAG.integer, nonce)] : []),
  );
  const content = der(
    TAG.sequence,
    der(TAG.oid, OID.info),
    der(TAG.context0, der(TAG.octets, info)),
  );
  const signedData = der(TAG.sequence, der(TAG.integer, "03"), der(TAG.set), content, der(TAG.set));
  const token = der(TAG.sequence, der(TAG.oid, OID.signedData), der(TAG.context0, signedData));
  return der(TAG.sequence, der(TAG.sequence, der(TAG.integer, status)), token);
}

test("the time of an answer to this request", () => {
  expect(stampedTime(answerOf({}), DIGEST, NONCE)).toBe(TIME_S);
  const exact = answerOf({ time: "20261123013422.25Z", status: "01" });
  expect(stampedTime(exact, DIGEST, NONCE)).toBe(TIME_S + 0.25);
});

test.each([
  ["another digest", { digest: Buffer.alloc(32) }, "is of something else"],
  ["another hash", { hash: "608648016503040202" }, "is of something else"],
  ["another nonce", { nonce: Buffer.from("4011223344556678", "hex") }, "is for another request"],
  ["no nonce", { nonce: Buffer.alloc(0) }, "is for another request"],
  ["a refusal", { status: "02" }, "was not granted"],
  ["no time", { time: "2026" }, "has a time that is not valid"],
])("an answer with %s is refused", (_, changes, fault) => {
  expect(() => stampedTime(answerOf(changes), DIGEST, NONCE)).toThrow(new TimeStampFault(fault));
});

test("an answer of a real authority that has no nonce is of this digest, and refused", () => {
  const answer = Buffer.from(given.response_base64, "base64");
  expect(() => stampedTime(answer, DIGEST, NONCE)).toThrow("is for another request");
  expect(() => stampedTime(answer, DIGEST, Buffer.alloc(0))).toThrow("is for another request");
  expect(() => stampedTime(answer, Buffer.alloc(32), NONCE)).toThrow("is of something else");
});

test("a changed or cut answer is a time or a fault", () => {
  const whole = answerOf({});
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), (at, byte, isCut) => {
      const answer = Buffer.from(isCut ? whole.subarray(0, at) : whole);
      if (!isCut) answer[at] = byte;
      try {
        expect(Number.isFinite(stampedTime(answer, DIGEST, NONCE))).toBe(true);
        expect(isCut).toBe(false);
      } catch (error) {
        expect(error).toBeInstanceOf(TimeStampFault);
      }
    }),
  );
});
