// The objects of a bucket by name, and their manifests: each says what its object has, and the SHA-256 of
// the manifest before it, so that an object that is gone can be named. Called by s3-receiver.ts. Nothing
// here may depend on the time: a batch that is sent again has the same bytes.

import { createHash } from "node:crypto";

const FORMAT = "annals-sink-manifest/1";

/** What a manifest hands to the next one. */
export interface ManifestState {
  readonly number: number;
  readonly sha256: string;
}

export interface Manifest extends ManifestState {
  readonly bytes: Buffer;
}

interface Contents {
  readonly chain: string;
  readonly sink: string;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly first_hash: string;
  readonly last_hash: string;
  readonly first_previous_hash: string;
  /** Name of the object, without the prefix of the sink. */
  readonly object: string;
  /** The object itself. */
  readonly body: Buffer;
}

export function objectName(given: {
  readonly accountId: string;
  readonly day: string;
  readonly from: number;
  readonly to: number;
  readonly replays: number;
}): string {
  const { accountId, day, from, replays, to } = given;
  const suffix = replays === 0 ? "" : `.r${replays}`;
  return `annals/v1/account=${accountId}/day=${day}/${from}-${to}${suffix}.jsonl.zst`;
}

export function manifestOf(before: ManifestState | undefined, contents: Contents): Manifest {
  const { body, chain, sink, ...described } = contents;
  const number = (before?.number ?? 0) + 1;
  const members = {
    format: FORMAT,
    chain,
    sink,
    number,
    ...described,
    bytes: body.length,
    sha256: sha256(body),
    previous: before?.sha256 ?? null,
  };
  const bytes = Buffer.from(`${JSON.stringify(members)}\n`);
  return { number, sha256: sha256(bytes), bytes };
}

export function readManifestState(state: string | undefined): ManifestState | undefined {
  return state === undefined ? undefined : (JSON.parse(state) as ManifestState);
}

export function newManifestState({ number, sha256: digest }: ManifestState): string {
  return JSON.stringify({ number, sha256: digest });
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
