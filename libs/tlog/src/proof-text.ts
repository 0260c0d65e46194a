// A proof of inclusion with its checkpoint as one text (c2sp.org/tlog-proof@v1), which third-party verifiers
// read. Parsing verifies nothing of it.

import { fromBase64, fromDecimal } from "./text/encoding.ts";
import { HASH_BYTES } from "./hash.ts";
import { MAX_NOTE_BYTES, type Note, noteText, parseNote } from "./text/note.ts";
import { MAX_PROOF_HASHES } from "./proofs.ts";
import { TlogError } from "./text/tlog-error.ts";

export interface ProofText {
  /** Opaque, and covered by nothing. */
  readonly extra: Buffer | undefined;
  readonly index: number;
  readonly hashes: readonly Buffer[];
  readonly checkpoint: Note;
}

const MAX_EXTRA_BYTES = 64 * 1024;

const HEADER = "c2sp.org/tlog-proof@v1";
const MAX_PROOF_BYTES = MAX_NOTE_BYTES + 2 * MAX_EXTRA_BYTES;

/** Throws TlogError: proof_malformed, or note_malformed for its checkpoint. */
export function parseProofText(text: string): ProofText {
  const end = text.indexOf("\n\n");
  if (text.length > MAX_PROOF_BYTES || end < 0) throw malformed();
  const [header, ...lines] = text.slice(0, end).split("\n");
  const extraLine = lines[0]?.startsWith("extra ") === true ? lines.shift() : undefined;
  const extra = extraLine === undefined ? undefined : bytesIn(extraLine.slice("extra ".length));
  const [indexLine = "", ...encoded] = lines;
  const index = indexLine.startsWith("index ")
    ? fromDecimal(indexLine.slice("index ".length))
    : undefined;
  const isExtra =
    extraLine === undefined || (extra !== undefined && extra.length <= MAX_EXTRA_BYTES);
  if (header !== HEADER || !isExtra || index === undefined || encoded.length > MAX_PROOF_HASHES)
    throw malformed();
  const hashes = encoded.map((line) => {
    const hash = bytesIn(line);
    if (hash?.length !== HASH_BYTES) throw malformed();
    return hash;
  });
  return { extra, index, hashes, checkpoint: parseNote(text.slice(end + 2)) };
}

export function proofText({ checkpoint, extra, hashes, index }: ProofText): string {
  const lines = [
    HEADER,
    ...(extra === undefined ? [] : [`extra ${extra.toString("base64")}`]),
    `index ${index}`,
    ...hashes.map((hash) => hash.toString("base64")),
  ];
  return `${lines.join("\n")}\n\n${noteText(checkpoint)}`;
}

function bytesIn(text: string): Buffer | undefined {
  const bytes = fromBase64(text);
  return bytes && Buffer.from(bytes);
}

function malformed(): TlogError {
  return new TlogError("proof_malformed", "is not a proof of inclusion with its checkpoint");
}
