// Export files as JSON Lines: one line an event, the manifest last. With proofs a line is
// {"event":...,"proof":...}, what docs/hash-chain.md and its verifiers read; without, it is the
// event alone.

import { eventJson, proofJson } from "@annals/contract";
import type { Encoder, ExportedEvent } from "./encoder.ts";

export function jsonlEncoder(includeProofs: boolean): Encoder {
  return {
    opening: "",
    record: includeProofs ? lineWithProof : (event) => `${eventJson(event)}\n`,
    closing: (manifest) => `${manifest}\n`,
  };
}

function lineWithProof(event: ExportedEvent): string {
  if (!event.proof) throw new TypeError(`event ${event.id} came without its proof`);
  return `{"event":${eventJson(event)},"proof":${proofJson(event.proof)}}\n`;
}
