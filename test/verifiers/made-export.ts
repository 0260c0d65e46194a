// Exports with proofs that no service made, and what annals-verify says of them.

import {
  canonicalJson,
  CSV_CELLS,
  PARTS,
  partDigest,
  type JsonObject,
  leafHash,
  leafText,
} from "@annals/event";
import { csvHeader, csvManifest, eventCsv, eventJson, proofJson } from "@annals/event";
import { hash, randomBytes } from "node:crypto";
import { BadLine, verifyFile } from "annals-verify";
import { temporaryFile } from "./temporary-file.ts";

export interface Made {
  /** As JSON Lines, and as CSV. */
  readonly lines: string[];
  readonly records: string[];
  readonly places: { sequence_number: number; hash: string; previous_hash: string }[];
}

/**
 * A chain of `parts.length` events as the lines of an export. `forged` replaces members before anything is
 * hashed: every digest and hash fits, as in a file of an attacker who made all of it.
 */
export function chainOf(
  chain: string,
  parts: readonly JsonObject[],
  from = 1,
  before = "0".repeat(64),
  forged: {
    id?: string;
    action?: string;
    createdAt?: string;
    metadata?: string;
    contexts?: readonly string[];
  } = {},
): Made {
  const made: Made = { lines: [], records: [], places: [] };
  let previousHash = before;
  for (const [index, metadata] of parts.entries()) {
    const texts = {
      actor: '{"id":"u_1"}',
      context: forged.contexts?.[index] ?? "{}",
      diff: "{}",
      metadata: forged.metadata ?? canonicalJson(metadata),
      target: "{}",
    };
    const salts = randomBytes(80);
    const digests = Buffer.concat(
      PARTS.map((field, place) =>
        partDigest(salts.subarray(place * 16, place * 16 + 16), texts[field]),
      ),
    );
    const time = `2026-01-01T00:00:00.${String(index).padStart(6, "0")}Z`;
    const members = {
      action: forged.action ?? `a.${index} "é"`,
      chain,
      createdAt: forged.createdAt ?? time,
      digests,
      id: forged.id ?? `evt_${index}`,
      occurredAt: time,
      previousHash,
      receivedAt: time,
      sequenceNumber: from + index,
    };
    const own = leafHash(leafText(members));
    const event = { ...members, ...texts, hash: own };
    const proof = proofJson({ chain, salts, digests });
    made.lines.push(`{"event":${eventJson(event)},"proof":${proof}}`);
    made.records.push(eventCsv(event, proof));
    made.places.push({ sequence_number: from + index, hash: own, previous_hash: previousHash });
    previousHash = own;
  }
  return made;
}

/** An export of these lines, with a manifest that says what is there. */
export function exportOf({ lines, places }: Omit<Made, "records">, change: object = {}): string {
  const body = lines.map((line) => `${line}\n`).join("");
  return `${body}${manifestOf(body, places, change)}\n`;
}

/** The same as CSV. */
export function csvOf(
  { records, places }: Omit<Made, "lines">,
  change: object = {},
  opening = "",
): string {
  const body = `${opening}${csvHeader(true)}${records.join("")}`;
  return `${body}${csvManifest(manifestOf(body, places, { format: "csv", cells: CSV_CELLS, ...change }), true)}`;
}

function manifestOf(body: string, places: Made["places"], change: object): string {
  const last = places.at(-1) ?? null;
  const manifest = JSON.stringify({
    v: 1,
    export_id: "exp_1",
    chain: "acct_1",
    format: "jsonl",
    include_proofs: true,
    filter: {},
    created_at: "2026-01-02T00:00:00.000000Z",
    head: { sequence_number: last?.sequence_number ?? 0, hash: last?.hash ?? "0".repeat(64) },
    range: {
      from_sequence: places[0]?.sequence_number ?? 1,
      to_sequence: last?.sequence_number ?? 0,
    },
    event_count: places.length,
    first: places[0] ?? null,
    last,
    size_bytes: Buffer.byteLength(body),
    sha256: hash("sha256", body),
    ...change,
  });
  return `{"manifest":${manifest},"manifest_sha256":"${hash("sha256", manifest)}"}`;
}

/** Verifies a text as the file that it is. */
export async function verify(text: string) {
  using file = temporaryFile(text);
  return await verifyFile(file.path);
}

/** What is said of an export that is not valid. */
export async function verdict(text: string): Promise<string> {
  const fault: unknown = await verify(text).then(
    () => new Error("valid"),
    (error: unknown) => error,
  );
  return fault instanceof BadLine ? `${fault.line}: ${fault.message}` : String(fault);
}
