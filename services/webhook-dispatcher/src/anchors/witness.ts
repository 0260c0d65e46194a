// The requests to a witness (c2sp.org/tlog-witness): add-checkpoint, with a proof from what the witness has
// seen, and the newest checkpoint that it has cosigned. Called by worker/anchors.ts. Nothing of an answer is
// trusted here: the ledger verifies the signatures.

import { createHash } from "node:crypto";
import { type Answer, ask, type Asked, reasonOf } from "@annals/chassis";

/** The address of add-checkpoint. */
export type WitnessAddress = Omit<Asked, "content">;

export interface Shown {
  /** What the witness has seen. */
  readonly oldSize: bigint;
  readonly proof: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

export type WitnessAnswer =
  | { readonly outcome: "cosigned"; readonly lines: string }
  /** It has seen this size. */
  | { readonly outcome: "conflict"; readonly seenSize: bigint }
  /** `inconsistent`: what it has seen does not lead to the checkpoint. */
  | { readonly outcome: "failed" | "inconsistent" | "refused"; readonly reason: string };

const SIZE_TYPE = "text/x.tlog.size";
const SIZE = /^(0|[1-9]\d{0,15})\n$/;
const OK = 200;
const CONFLICT = 409;
const UNPROCESSABLE = 422;
const SERVER_ERROR = 500;

/** Resolves whatever the witness does. */
export async function addCheckpoint(
  to: WitnessAddress,
  shown: Shown,
  signal: AbortSignal,
): Promise<WitnessAnswer> {
  try {
    const content = { type: "text/plain; charset=utf-8", body: bodyOf(shown) };
    return read(await ask({ ...to, content }, signal));
  } catch (error) {
    return { outcome: "failed", reason: reasonOf(error) };
  }
}

/** The newest checkpoint of a log that the witness says it has cosigned. Rejects without an answer. */
export async function readView(
  to: WitnessAddress,
  origin: string,
  signal: AbortSignal,
): Promise<string> {
  const log = createHash("sha256").update(origin).digest("hex");
  const url = new URL(`${log}/checkpoint`, to.url);
  const { body, status } = await ask({ ...to, url }, signal);
  if (status !== OK) throw new Error(`status ${status}`);
  return body.toString("utf8");
}

function bodyOf({ checkpoint, oldSize, proof }: Shown): Buffer {
  const lines = proof.map((hash) => `${Buffer.from(hash).toString("base64")}\n`);
  return Buffer.from(`old ${oldSize}\n${lines.join("")}\n${checkpoint}`);
}

function read({ body, contentType, status }: Answer): WitnessAnswer {
  if (status === OK) return { outcome: "cosigned", lines: body.toString("utf8") };
  const [, size] = SIZE.exec(body.toString("latin1")) ?? [];
  if (status === CONFLICT && contentType.split(";")[0] === SIZE_TYPE && size !== undefined)
    return { outcome: "conflict", seenSize: BigInt(size) };
  if (status === UNPROCESSABLE) return { outcome: "inconsistent", reason: `status ${status}` };
  return { outcome: status >= SERVER_ERROR ? "failed" : "refused", reason: `status ${status}` };
}
