// Recomputes the hash of an event from what the interface returned of it, as a third party would.
// Called by tests.

import {
  canonicalJson,
  partDigest,
  PARTS,
  type JsonObject,
  leafHash,
  leafText,
  readJson,
} from "@annals/event";

export interface Proof {
  readonly v: number;
  readonly chain: string;
  readonly salts: Readonly<Record<string, string>>;
  readonly digests: Readonly<Record<string, string>>;
}

/**
 * `answer` is the text of the event as the interface sent it. Throws where a digest is not that of
 * its part.
 */
export function recomputedHash(answer: string, proof: Proof): string {
  const event = readJson(Buffer.from(answer), { maxDepth: 64, maxValues: 100_000 }) as JsonObject;
  const digests = PARTS.map((field) => {
    const salt = Buffer.from(proof.salts[field] ?? "", "hex");
    const digest = partDigest(salt, canonicalJson(event[field] ?? null));
    if (salt.length !== 16 || digest.toString("hex") !== proof.digests[field]) {
      throw new Error(`the digest of ${field} is not that of its value`);
    }
    return digest;
  });
  return leafHash(
    leafText({
      action: event["action"] as string,
      chain: proof.chain,
      createdAt: event["created_at"] as string,
      digests: Buffer.concat(digests),
      id: event["id"] as string,
      occurredAt: event["occurred_at"] as string,
      previousHash: event["previous_hash"] as string,
      receivedAt: event["received_at"] as string,
      sequenceNumber: Number(event["sequence_number"]),
    }),
  );
}
