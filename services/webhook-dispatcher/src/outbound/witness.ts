// The request add-checkpoint of a witness (c2sp.org/tlog-witness): a checkpoint, with a proof from what the
// witness has seen. Called by workers/anchors.ts. Nothing of the answer is trusted here: the ledger verifies
// the signatures.

import { type Answer, post, type Posted } from "./post.ts";

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
  | { readonly outcome: "refused" | "failed"; readonly reason: string };

const SIZE_TYPE = "text/x.tlog.size";
const SIZE = /^(0|[1-9]\d{0,15})\n$/;
const OK = 200;
const CONFLICT = 409;
const SERVER_ERROR = 500;

/** Resolves whatever the witness does. */
export async function addCheckpoint(
  to: Pick<Posted, "extraAuthorities" | "timeoutMs" | "url">,
  shown: Shown,
  signal: AbortSignal,
): Promise<WitnessAnswer> {
  try {
    const sent = { ...to, contentType: "text/plain; charset=utf-8", body: bodyOf(shown) };
    return read(await post(sent, signal));
  } catch (error) {
    return { outcome: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
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
  return { outcome: status >= SERVER_ERROR ? "failed" : "refused", reason: `status ${status}` };
}
