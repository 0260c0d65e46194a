// Checks one line of JSON Lines: {"event":...,"proof":...}. Called by jsonl-record.ts. It parses the line
// strictly and recomputes the digest of each part from its canonical text, the leaf and the hash. It decides
// what is valid; fast-line.ts is faster for lines that are byte for byte as the service writes them.

import { JsonFault } from "@annals/event";
import { BadLine } from "./bad-line.ts";
import { eventFault } from "./event-fault.ts";
import { type ReadEvent, readEvent } from "./read-event.ts";

/** Throws BadLine. `chain` is the chain that the event must belong to. */
export function checkLine(line: Buffer, chain: string | undefined): ReadEvent {
  const event = reading(() => readEvent(line));
  checkEvent(event, chain);
  return event;
}

/**
 * Throws BadLine if the event belongs to another chain, a digest or the hash does not match, or an erased
 * part has a value or a salt.
 */
export function checkEvent(event: ReadEvent, chain: string | undefined): void {
  const fault = eventFault(event, chain);
  if (fault === undefined) return;
  const { part, reason } = fault;
  // The chain matches its pattern, so it needs no quotes to be safe; it has them as all texts of the file.
  const what = reason === "chain_mismatch" ? `another chain, "${event.chain}"` : reason;
  const where = part === undefined ? "" : ` in ${part}`;
  throw new BadLine(`sequence number ${event.sequenceNumber}: ${what}${where}`);
}

/** Throws BadLine for what cannot be read. */
export function reading<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonFault) throw new BadLine(`is not JSON: ${error.message}`);
    if (error instanceof BadLine)
      throw new BadLine(`is not an event with its proof: ${error.message}`);
    throw error;
  }
}
