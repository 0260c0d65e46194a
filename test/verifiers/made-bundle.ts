// Bundles of evidence for tests: the worked examples of test/vectors/evidence as files in memory, changed as
// a test likes, and written as a tar file. Their keys are in the examples, so that a test can sign again.

import { leafHash, leafText, PARTS } from "@annals/event";
import { tarHeader as serviceHeader } from "@annals/export/src/formats/rules/tar.ts";
import {
  append,
  checkpointText,
  cosign,
  EMPTY_TREE,
  entryHash,
  HeadMap,
  noteSigner,
  noteText,
  rootOf,
  TILE_WIDTH,
  tilePath,
  tileRoot,
  tilesOf,
} from "@annals/tlog";
import { createHash } from "node:crypto";
import { type EvidenceOptions, type EvidenceReport, verifyEvidence } from "annals-verify";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFile } from "./temporary-file.ts";

export type Files = Map<string, Buffer>;

const VECTORS = join(import.meta.dirname, "../vectors/evidence");

export const vectorBytes = (path: string): Buffer => readFileSync(join(VECTORS, path));

const NOTES = JSON.parse(vectorBytes("note.json").toString()) as {
  readonly keys: Readonly<Record<string, Readonly<Record<"seed" | "name" | "vkey", string>>>>;
};

/** The key with which the log of the examples goes on. */
export const NEXT_VKEY = NOTES.keys["next"]?.vkey ?? "";

export const POLICY = vectorBytes("policy.txt");
export const NO_QUORUM = Buffer.from(String(POLICY).replace("quorum any2", "quorum none"));
export const ORIGIN = "log.example.com/vectors";
export const CHAIN = "acct_29a6a5e3c39862766d20";

const INDEX = "bundle.json";

/** The files of a worked example. */
export function vectorFiles(name: "full" | "pruned"): Files {
  const paths = readdirSync(join(VECTORS, name), { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => statSync(join(VECTORS, name, path)).isFile());
  return new Map(files.toSorted().map((path) => [path, vectorBytes(`${name}/${path}`)]));
}

/** The same with another text of one file, and a bundle.json that names what the files are now. */
export function changed(files: Files, name: string, change: (text: string) => string): Files {
  return relisted(withFile(files, name, Buffer.from(change(String(files.get(name))))));
}

export function withFile(files: Files, name: string, bytes: Buffer): Files {
  return new Map(files).set(name, bytes);
}

export function relisted(files: Files): Files {
  const index = JSON.parse(String(files.get(INDEX))) as Record<string, unknown>;
  const listed = [...files].filter(([name]) => name !== INDEX);
  index["files"] = Object.fromEntries(
    listed.map(([name, bytes]) => {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return [name, { sha256, size: bytes.length }];
    }),
  );
  return new Map(files).set(INDEX, Buffer.from(JSON.stringify(index, undefined, 1)));
}

/** A tar file of the ustar format, as the service writes it. */
export function tarOf(files: Iterable<readonly [string, Buffer]>): Buffer {
  const blocks = [...files].flatMap(([name, bytes]) => [
    tarHeader(name, bytes.length),
    bytes,
    Buffer.alloc((512 - (bytes.length % 512)) % 512),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** The block before a file. */
export const tarHeader = (name: string, size: number): Buffer => serviceHeader(name, size, 0);

/** A line of events.jsonl, changed, with the hash that it then has. */
export function rehashed(line: string, change: (event: Record<string, unknown>) => void): string {
  const record = JSON.parse(line) as {
    event: Record<string, string> & { sequence_number: number };
    proof: { chain: string; digests: Record<string, string> };
  };
  const { event, proof } = record;
  change(event);
  const text = leafText({
    action: event["action"] ?? "",
    chain: proof.chain,
    createdAt: event["created_at"] ?? "",
    digests: Buffer.from(PARTS.map((part) => proof.digests[part]).join(""), "hex"),
    id: event["id"] ?? "",
    occurredAt: event["occurred_at"] ?? "",
    previousHash: event["previous_hash"] ?? "",
    receivedAt: event["received_at"] ?? "",
    sequenceNumber: event.sequence_number,
  });
  event["hash"] = leafHash(text);
  return JSON.stringify(record);
}

export const seedOf = (id: string): Buffer => Buffer.from(NOTES.keys[id]?.seed ?? "", "hex");

/** A checkpoint as the log of the examples signs it, cosigned by witnesses at times in seconds. */
export function signedCheckpoint(
  origin: string,
  size: number,
  root: Buffer,
  cosigned: Readonly<Record<string, number>> = {},
  signer: "log" | "next" = "log",
): string {
  const text = checkpointText({ origin, size, root });
  const signatures = [
    noteSigner(origin, seedOf(signer)).sign(text),
    ...Object.entries(cosigned).map(([id, time]) =>
      cosign(NOTES.keys[id]?.name ?? "", seedOf(id), text, time),
    ),
  ];
  return noteText({ text, signatures });
}

/** A bundle of these events of a new chain, all of which epoch 1 covers. */
export function bundleOf(texts: readonly string[], hashes: readonly string[]): Files {
  const events = Buffer.from(texts.map((text) => `${text}\n`).join(""));
  return relisted(new Map([["events.jsonl", events], ...filesOver(hashes)]));
}

/** The other files of a bundle over the events with these hashes. Its bundle.json lists no files. */
export function filesOver(hashes: readonly string[]): Files {
  const leaves = hashes.map((hash) => Buffer.from(hash, "hex"));
  const size = leaves.length;
  const root = rootOf(append(EMPTY_TREE, leaves));
  const head = { chain: CHAIN, root: root.toString("hex"), size, v: 1 };
  const map = new HeadMap();
  map.set({ ...head, root });
  const time = "2026-03-02T00:00:30.000000Z";
  const heads = map.root().toString("hex");
  const entry = JSON.stringify({ epoch: 1, heads, kind: "heads", time, v: 1 });
  const seen = { w1: 1_772_409_634, w2: 1_772_409_634 };
  const checkpoint = signedCheckpoint(ORIGIN, 1, entryHash(Buffer.from(entry)), seen);
  const line = { epoch: 1, entry, head, path: [], checkpoint, inclusion: [], consistency: [] };
  const index = JSON.parse(String(vectorBytes("full/bundle.json"))) as object;
  return new Map([
    ["checkpoint", Buffer.from(signedCheckpoint(`${ORIGIN}/${CHAIN}`, size, root))],
    ...tilesOver(leaves),
    ["heads.jsonl", Buffer.from(`${JSON.stringify(line)}\n`)],
    ["bundle.json", Buffer.from(JSON.stringify({ ...index, to_sequence: size, files: {} }))],
  ]);
}

function tilesOver(leaves: readonly Buffer[]): [string, Buffer][] {
  let hashes = leaves;
  return Array.from(tilesOf(leaves.length), ({ index, level, width }) => {
    if (index === 0 && level > 0) {
      const full = Math.floor(hashes.length / TILE_WIDTH);
      hashes = Array.from({ length: full }, (_, at) => tileRoot(bytesOf(at, TILE_WIDTH)));
    }
    return [tilePath({ index, level, width }), bytesOf(index, width)];
  });

  function bytesOf(index: number, width: number): Buffer {
    return Buffer.concat(hashes.slice(index * TILE_WIDTH, index * TILE_WIDTH + width));
  }
}

/** Verifies a bundle, or a file that is to be one. */
export async function verifyBundle(
  files: Files | Buffer,
  options: Partial<EvidenceOptions> = {},
): Promise<EvidenceReport> {
  using file = temporaryFile(Buffer.isBuffer(files) ? files : tarOf(files));
  return await verifyEvidence(file.path, { policy: POLICY, ...options });
}

/** The reason and message of the fault, the name and message of another error, or `valid`. */
export async function verdictOf(
  files: Files | Buffer,
  options: Partial<EvidenceOptions> = {},
): Promise<string> {
  try {
    await verifyBundle(files, options);
    return "valid";
  } catch (error) {
    const { message, name, reason = name } = error as Error & { readonly reason?: string };
    return `${reason}: ${message}`;
  }
}

/** Changes the lines of a text. */
export const lines =
  (change: (all: string[]) => string[]) =>
  (text: string): string => {
    const changedLines = change(text.trimEnd().split("\n"));
    return changedLines.length === 0 ? "" : `${changedLines.join("\n")}\n`;
  };

/** Changes one line, which counts from 1. */
export const line = (number: number, change: (text: string) => string) =>
  lines((all) => all.map((each, at) => (at + 1 === number ? change(each) : each)));
