// Parquet exports that no service made, and what annals-verify says of them.

import { fileForm } from "@annals/export/src/formats/rules/file-format.ts";
import { BadLine, verifyFile } from "annals-verify";
import { hash } from "node:crypto";
import type { Made } from "./made-export.ts";
import { temporaryFile } from "./temporary-file.ts";

interface Change {
  readonly includeProofs?: boolean;
  readonly eventCount?: number;
  /** Of the chain's number 1 on. */
  readonly filterJson?: string;
}

/** A Parquet file of these lines, by the code of the service, with a manifest that fits them. */
export function parquetOf({ lines, places }: Omit<Made, "records">, change: Change = {}): Buffer {
  const { includeProofs = true, filterJson = "{}" } = change;
  const form = fileForm("parquet", includeProofs);
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  // The bytes of a piece are valid until the next one is taken.
  const pieces = [form.body(text), form.rest()].flatMap((made) =>
    Array.from(made, (bytes) => Buffer.from(bytes)),
  );
  const body = Buffer.concat(pieces);
  const [first, last] = [places[0], places.at(-1)].map(
    (place) =>
      place && {
        sequenceNumber: BigInt(place.sequence_number),
        hash: place.hash,
        previousHash: place.previous_hash,
      },
  );
  const head = {
    id: "exp_1",
    accountId: "acct_1",
    format: "parquet" as const,
    includeProofs,
    filterJson,
    createdAt: "2026-01-02T00:00:00.000000Z",
    head: { sequence: last?.sequenceNumber ?? 0n, hash: last?.hash ?? "0".repeat(64) },
    range: { from: first?.sequenceNumber ?? 1n, to: last?.sequenceNumber ?? 0n },
  };
  const { eventCount = places.length } = change;
  const written = { eventCount, first, last, sizeBytes: body.length, sha256: hash("sha256", body) };
  return Buffer.concat([body, form.closing(head, written)]);
}

/** Verifies the bytes as a file. */
export async function verifyBytes(bytes: Buffer, options: { sha256?: string } = {}) {
  using file = temporaryFile(bytes);
  return await verifyFile(file.path, options);
}

/** What is said of a file that is not valid. */
export async function verdictOf(bytes: Buffer): Promise<string> {
  const fault: unknown = await verifyBytes(bytes).then(
    () => new Error("valid"),
    (error: unknown) => error,
  );
  return fault instanceof BadLine ? `${fault.line ?? ""}: ${fault.message}` : String(fault);
}
