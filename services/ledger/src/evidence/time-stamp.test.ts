// Guarantees: the answer of a time stamping authority gives its time only if it is of this digest and has the
// nonce of the request. No answer, however it is cut or changed, is anything but a fault.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stampedTime, TimeStampFault } from "./time-stamp.ts";

const VECTOR = new URL("../../../../test/vectors/evidence/timestamp.json", import.meta.url);
const given = JSON.parse(readFileSync(VECTOR, "utf8")) as {
  readonly checkpoint: string;
  readonly response_base64: string;
};
const answer = Buffer.from(given.response_base64, "base64");
const digest = createHash("sha256").update(given.checkpoint).digest();
