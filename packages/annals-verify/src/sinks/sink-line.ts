// Reads a line that a sink has written to a bucket: an event with its chain, and with its proof if the sink
// sends it. Called by check-object.ts. With a proof and all parts it recomputes the event. A line of another
// format, such as OCSF, has no hash of its own and is only counted.

import { PARTS } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import { checkEvent, reading } from "../check-line.ts";
import type { Place } from "../manifest.ts";
import { readEventOf, readLine } from "../read-event.ts";
import { anyObject, integerFrom, SHA256, textLike, TIME } from "../shape.ts";
import type { SinkManifest } from "./sink-manifest.ts";

export interface SinkLine {
  /** What a sink's settings decide: the format, whether there is a proof, and the parts. */
  readonly kind: string;
  /** Undefined for a line of another format. */
  readonly place: Place | undefined;
  readonly isRecomputed: boolean;
}

/** Throws BadLine. `chain` and `day` are those that the manifest names. */
export function readSinkLine(
  line: Buffer,
  { chain, day }: Pick<SinkManifest, "chain" | "day">,
): SinkLine {
  const value = reading(() => anyObject(readLine(line), "the line"));
  if (value["sequence_number"] === undefined)
    return { kind: "other", place: undefined, isRecomputed: false };
  const { chain: own, proof, ...event } = value;
  if (own !== chain) throw new BadLine("an event of another chain");
  const place = {
    sequenceNumber: integerFrom(event["sequence_number"], 1, "its sequence_number"),
    hash: textLike(event["hash"], SHA256, "its hash"),
    previousHash: textLike(event["previous_hash"], SHA256, "its previous_hash"),
  };
  if (!textLike(event["created_at"], TIME, "its created_at").startsWith(day))
    throw new BadLine(`an event of another day than ${day}, which its folder names`);
  const parts = PARTS.filter((part) => event[part] !== undefined);
  const kind = [...parts, ...(proof === undefined ? [] : ["proof"])].join();
  if (proof === undefined || parts.length < PARTS.length)
    return { kind, place, isRecomputed: false };
  checkEvent(
    reading(() => readEventOf(event, proof)),
    chain,
  );
  return { kind, place, isRecomputed: true };
}
