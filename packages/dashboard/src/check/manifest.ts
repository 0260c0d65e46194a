// The manifest, the last line of an export (docs/exports.md): what the file claims to hold. Read by
// verify-export.ts.

import { Fault } from "./fault.ts";
import { sha256Of } from "./sha256.ts";

/** Both ends of what a file holds. */
interface Place {
  readonly sequence_number: number;
  readonly hash: string;
  readonly previous_hash: string;
}

export interface Manifest {
  readonly v: number;
  readonly export_id: string;
  readonly chain: string;
  readonly format: string;
  readonly include_proofs: boolean;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly head: { readonly sequence_number: number; readonly hash: string };
  readonly range: { readonly from_sequence: number; readonly to_sequence: number };
  readonly event_count: number;
  readonly first: Place | null;
  readonly last: Place | null;
  readonly size_bytes: number;
  readonly sha256: string;
}

const SHAPE = /^\{"manifest":(\{.*\}),"manifest_sha256":"([0-9a-f]{64})"\}$/s;

/** Filters that only bound the range and leave out no event within it. */
const BOUNDS: readonly string[] = ["after_sequence", "before_sequence"];

/** Rejects with Fault for a line that is no manifest, or whose digest is another. */
export async function readManifest(line: string): Promise<Manifest> {
  const [, text, digest] = SHAPE.exec(line) ?? [];
  if (text === undefined)
    throw new Fault("The manifest is missing: the end of the file was cut off.");
  if ((await sha256Of(new TextEncoder().encode(text))) !== digest)
    throw new Fault("manifest_mismatch: the manifest was changed.");
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.v !== 1) throw new Fault("The version of the manifest is unknown.");
  return manifest;
}

/** Whether a filter may have left out events of the range. */
export const isFiltered = ({ filter }: Manifest): boolean =>
  Object.keys(filter).some((name) => !BOUNDS.includes(name));
