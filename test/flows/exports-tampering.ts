// The ten ways to tamper with an export: each makes a file that is as good as somebody without the service
// could make it. Where a kind touches events, the manifest is made anew to fit, so that neither its count nor
// its digests but only the chain can give the change away. Called by exports.test.ts.

import { PARTS, partDigest, leafHash, leafText } from "@annals/event";
import { eventJson, proofJson } from "@annals/event";
import { hash, randomBytes } from "node:crypto";

interface ExportedEvent {
  readonly sequence_number: number;
  readonly hash: string;
  readonly previous_hash: string;
}

/** A file of JSON Lines with proofs. */
export interface ExportFile {
  /** One an event. */
  readonly lines: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
}

interface Tampering {
  readonly kind: string;
  /** What is said of the first bad line, after `line N: `. */
  readonly says: RegExp;
  /** The bad line, from 1. */
  readonly line: number;
  /** The text of the file. `other` is an export of another account. */
  readonly text: (file: ExportFile, other: ExportFile) => string;
}

/** Events that the export has to have. */
export const TAMPERED_EVENTS = 300;
/** The line, from 0, and the line, from 1, that is tampered with. */
const AT = 149;
const LINE = AT + 1;

export const TAMPERINGS: readonly Tampering[] = [
  {
    kind: "a value edited",
    line: LINE,
    says: /digest_mismatch in diff/,
    text: edited(/"title":"b/, '"title":"c'),
  },
  {
    kind: "a time edited",
    line: LINE,
    says: /hash_mismatch/,
    text: edited(/"occurred_at":"2/, '"occurred_at":"1'),
  },
  {
    kind: "an event deleted",
    line: LINE,
    says: /sequence_gap: sequence number 150/,
    text: rearranged((lines) => lines.toSpliced(AT, 1)),
  },
  {
    kind: "an event inserted, with a proof of its own that is right and a link that fits",
    line: LINE + 1,
    says: /sequence number 150: comes twice/,
    text: (file) => fitted(file, file.lines.toSpliced(AT, 0, forged(file))),
  },
  {
    kind: "two events reordered",
    line: LINE,
    says: /sequence_gap: sequence number 150/,
    text: rearranged((lines) => lines.toSpliced(AT, 2, lines[AT + 1] ?? "", lines[AT] ?? "")),
  },
  {
    kind: "an event duplicated",
    line: LINE + 1,
    says: /sequence number 150: comes twice/,
    text: rearranged((lines) => lines.toSpliced(AT, 0, lines[AT] ?? "")),
  },
  {
    kind: "the tail cut",
    line: LINE,
    says: /sequence_gap: the events end at sequence number 149/,
    text: rearranged((lines) => lines.slice(0, AT)),
  },
  {
    kind: "salts swapped",
    line: LINE,
    says: /digest_mismatch in actor/,
    text: edited(
      /"salts":\{"actor":"(\w+)","context":"(\w+)"/,
      '"salts":{"actor":"$2","context":"$1"',
    ),
  },
  {
    kind: "an event spliced in from another account",
    line: LINE,
    says: /another chain/,
    text: (file, other) => fitted(file, file.lines.toSpliced(AT, 1, other.lines[AT] ?? "")),
  },
  {
    kind: "the manifest edited, and its digest with it",
    line: TAMPERED_EVENTS + 1,
    says: /manifest_mismatch/,
    text: ({ lines, manifest }) => written(lines, { ...manifest, event_count: lines.length + 1 }),
  },
];

/** Takes the text of an export apart. */
export function readExport(text: string): ExportFile {
  const lines = text.trimEnd().split("\n");
  const { manifest } = JSON.parse(lines.pop() ?? "") as ExportFile;
  return { lines, manifest };
}

/** The file as it came. */
export function untouched({ lines, manifest }: ExportFile): string {
  return written(lines, manifest);
}

function edited(from: RegExp, to: string): Tampering["text"] {
  return rearranged((lines) => {
    const line = lines[AT] ?? "";
    const changed = line.replace(from, to);
    if (changed === line) throw new Error(`${from} is not in ${line}`);
    return lines.toSpliced(AT, 1, changed);
  });
}

function rearranged(change: (lines: readonly string[]) => readonly string[]): Tampering["text"] {
  return (file) => fitted(file, change(file.lines));
}

/** With all of the manifest that describes the events made anew; range and head stay. */
function fitted({ manifest }: ExportFile, lines: readonly string[]): string {
  const body = lines.map((line) => `${line}\n`).join("");
  return written(lines, {
    ...manifest,
    event_count: lines.length,
    first: placeOf(lines[0]),
    last: placeOf(lines.at(-1)),
    size_bytes: Buffer.byteLength(body),
    sha256: hash("sha256", body),
  });
}

function written(lines: readonly string[], manifest: object): string {
  const text = JSON.stringify(manifest);
  const last = `{"manifest":${text},"manifest_sha256":"${hash("sha256", text)}"}`;
  return [...lines, last, ""].join("\n");
}

function eventOf(line: string | undefined): ExportedEvent {
  return (JSON.parse(line ?? "") as { readonly event: ExportedEvent }).event;
}

function placeOf(line: string | undefined) {
  const { sequence_number, hash: own, previous_hash } = eventOf(line);
  return { sequence_number, hash: own, previous_hash };
}

/** An event that stands for itself and links to the one before its place. */
function forged({ lines, manifest }: ExportFile): string {
  const before = eventOf(lines[AT - 1]);
  const chain = String(manifest["chain"]);
  const parts = { actor: "{}", context: "{}", diff: "{}", metadata: '{"n":0}', target: "{}" };
  const salts = randomBytes(PARTS.length * 16);
  const digests = Buffer.concat(
    PARTS.map((field, at) => partDigest(salts.subarray(at * 16, at * 16 + 16), parts[field])),
  );
  const time = "2026-01-01T00:00:00.000000Z";
  const members = {
    action: "doc.forged",
    chain,
    createdAt: time,
    digests,
    id: "evt_forged",
    occurredAt: time,
    previousHash: before.hash,
    receivedAt: time,
    sequenceNumber: before.sequence_number + 1,
  };
  const event = eventJson({ ...members, ...parts, hash: leafHash(leafText(members)) });
  return `{"event":${event},"proof":${proofJson({ chain, salts, digests })}}`;
}
