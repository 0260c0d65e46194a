// The lines of a spool's files: 16 hex digits of the SHA-256 of the JSON, a space, the JSON. Called by
// folder.ts and spool-tracker.ts.

import { createHash } from "node:crypto";

const DIGITS = 16;
const NEWLINE = 0x0a;
const SPACE = 0x20;

export function lineOf(text: string): Buffer {
  return Buffer.from(`${digestOf(Buffer.from(text))} ${text}\n`);
}

export interface Lines {
  /** The events as JSON. */
  readonly texts: readonly string[];
  /** Lines whose digest does not fit, with their ends. */
  readonly damaged: readonly Buffer[];
  /** Bytes of the whole lines; what comes behind them is a torn one. */
  readonly whole: number;
}

export function readLines(data: Buffer): Lines {
  const texts: string[] = [];
  const damaged: Buffer[] = [];
  let start = 0;
  for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, start)) {
    const json = data.subarray(start + DIGITS + 1, end);
    const isWhole =
      data[start + DIGITS] === SPACE &&
      data.toString("latin1", start, start + DIGITS) === digestOf(json);
    if (isWhole) texts.push(json.toString());
    else damaged.push(data.subarray(start, end + 1));
    start = end + 1;
  }
  return { texts, damaged, whole: start };
}

/** The lines of a file that is complete: what comes behind its last newline is damaged, too. */
export function readSealed(data: Buffer): Lines {
  const lines = readLines(data);
  if (lines.whole === data.length) return lines;
  return { ...lines, damaged: [...lines.damaged, data.subarray(lines.whole)], whole: data.length };
}

function digestOf(json: Buffer): string {
  return createHash("sha256").update(json).digest("hex").slice(0, DIGITS);
}
