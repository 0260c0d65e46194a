// Reads a line that a sink has written to a bucket: an event with its chain, and with its proof if the sink
// sends it. Called by check-object.ts. With a proof and all parts it recomputes the event. A line of another
// format, such as OCSF, has no hash of its own and is only counted.

import { type JsonObject, PARTS, readJson } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import { checkEvent, reading } from "../check-line.ts";
import type { Place } from "../manifest.ts";
import { READ_LIMITS, readEventOf } from "../read-event.ts";
import { anyObject, integerFrom, SHA256, textLike } from "../shape.ts";

export interface SinkLine {
  /** Undefined for a line of another format. */
  readonly place: Place | undefined;
  readonly isRecomputed: boolean;
}

/** Throws BadLine. `chain` is the one that the manifest names. */
export function readSinkLine(line: Buffer, chain: string): SinkLine {
  const value = reading(() => anyObject(readJson(line, READ_LIMITS), "the line"));
  if (value["sequence_number"] === undefined) return { place: undefined, isRecomputed: false };
  const { chain: own, proof, ...event } = value;
  if (own !== chain) throw new BadLine("an event of another chain");
  const place = {
    sequenceNumber: integerFrom(event["sequence_number"], 1, "its sequence_number"),
    hash: textLike(event["hash"], SHA256, "its hash"),
    previousHash: textLike(event["previous_hash"], SHA256, "its previous_hash"),
  };
  if (proof === undefined || !hasAllParts(event)) return { place, isRecomputed: false };
  checkEvent(
    reading(() => readEventOf(event, proof)),
    chain,
  );
  return { place, isRecomputed: true };
}

/** Whether the sink has left no part out. */
function hasAllParts(event: JsonObject): boolean {
  return PARTS.every((part) => event[part] !== undefined);
}
