// The published vectors of hash format v1, for the tests of this package.

import { readFileSync } from "node:fs";
import type { Part } from "../event-members.ts";
import type { JsonObject } from "../json/json-value.ts";

/** A line of an export with proofs. */
export interface ProvenEvent {
  event: Record<Part, JsonObject> & {
    action: string;
    created_at: string;
    hash: string;
    id: string;
    occurred_at: string;
    previous_hash: string;
    received_at: string;
    sequence_number: number;
  };
  proof: { v: number; chain: string; salts: Record<Part, string>; digests: Record<Part, string> };
}

export function readVectors(): ProvenEvent[] {
  const file = new URL("../../../../test/vectors/hash-v1.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as ProvenEvent[];
}
