// The request of a time stamp (RFC 3161) over SHA-256 of a checkpoint. Called by worker/time-stamps.ts.
// Nothing of the answer is trusted here: the ledger reads it.

import { createHash } from "node:crypto";
import { ask, type Asked } from "@annals/chassis";

const SHA256 = Buffer.from("300d06096086480165030402010500", "hex");
const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const SEQUENCE = 0x30;
const VERSION = Buffer.from("020101", "hex");
const WITH_CERTIFICATE = Buffer.from("0101ff", "hex");
const OK = 200;

/** Rejects if no answer comes. `nonce` has at most 64 bytes, as a positive DER integer. */
export async function askForTimeStamp(
  to: Omit<Asked, "content">,
  checkpoint: string,
  nonce: Buffer,
  signal: AbortSignal,
): Promise<Buffer> {
  const digest = createHash("sha256").update(checkpoint).digest();
  const imprint = element(SEQUENCE, SHA256, element(OCTET_STRING, digest));
  const given = [VERSION, imprint, element(INTEGER, nonce), WITH_CERTIFICATE];
  const body = element(SEQUENCE, ...given);
  const content = { type: "application/timestamp-query", body };
  const answer = await ask({ ...to, content }, signal);
  if (answer.status !== OK) throw new Error(`status ${answer.status}`);
  return answer.body;
}

/** A DER element of fewer than 128 bytes. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag, contents.length), contents]);
}
