// The objects that a sink writes to a bucket, in a folder, by the code of the service.

import {
  type Manifest,
  manifestOf,
  objectName,
} from "@annals/webhook-dispatcher/src/sinks/types/s3/s3-manifest.ts";
import { hash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { runSinks } from "annals-verify/sink-command";
import { chainOf } from "./made-export.ts";

const CHAIN = "acct_1";
const SINK = "sink_1";
const DAY = "2026-01-01";
const MADE = chainOf(
  CHAIN,
  Array.from({ length: 30 }, (_, n) => ({ n })),
);
const HASHES = MADE.places.map((place) => place.hash);

/** Lines as a sink writes them; the proof is left out if it is not wanted. */
export function linesOf(from: number, to: number, hasProof = true, made = MADE): string[] {
  return made.lines.slice(from - 1, to).map((line) => {
    const [event = "", proof = ""] = line.slice('{"event":'.length, -1).split(',"proof":');
    return `${event.slice(0, -1)},"chain":"${CHAIN}"${hasProof ? `,"proof":${proof}` : ""}}`;
  });
}

type ManifestOf = Parameters<typeof manifestOf>[1];
type HashName = "first_hash" | "last_hash" | "first_previous_hash";

interface Written {
  readonly from: number;
  readonly to: number;
  readonly replays?: number;
  readonly lines?: readonly string[];
  readonly before?: Manifest | undefined;
  /** What the manifest says otherwise. */
  readonly claims?: Partial<Pick<ManifestOf, "to" | "count" | HashName>>;
}

export const nameOf = ({ from, replays = 0, to }: Written) =>
  objectName({ accountId: CHAIN, day: DAY, from, to, replays });

/** Writes an object and its manifest, as the service does. */
export async function write(folder: string, written: Written): Promise<Manifest> {
  const { before, claims, from, to, lines = linesOf(from, to) } = written;
  const object = nameOf(written);
  const body = zstdCompressSync(lines.map((line) => `${line}\n`).join(""));
  const manifest = manifestOf(before, {
    chain: CHAIN,
    sink: SINK,
    from,
    to,
    count: lines.length,
    first_hash: HASHES[from - 1] ?? "",
    last_hash: HASHES[to - 1] ?? "",
    first_previous_hash: HASHES[from - 2] ?? "0".repeat(64),
    object,
    body,
    ...claims,
  });
  await mkdir(dirname(join(folder, object)), { recursive: true });
  await writeFile(join(folder, object), body);
  await writeFile(join(folder, `${object}.manifest.json`), manifest.bytes);
  return manifest;
}

/** Replaces an object, and what its manifest says of its bytes. */
export async function replaceObject(
  folder: string,
  name: string,
  change: (object: Buffer) => Buffer,
): Promise<void> {
  const file = join(folder, name);
  const bytes = change(await readFile(file));
  const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8")) as object;
  const claims = { bytes: bytes.length, sha256: hash("sha256", bytes) };
  await writeFile(file, bytes);
  await writeFile(`${file}.manifest.json`, `${JSON.stringify({ ...manifest, ...claims })}\n`);
}

/** What annals-verify says of a folder, with names in it. */
export async function sinkVerdict(folder: string): Promise<string> {
  const outcome = await runSinks({
    path: folder,
    endpoint: undefined,
    environment: () => ({}),
    wait: async () => {},
    onProgress: () => {},
  });
  const [[name, text] = ["", ""]] = Object.entries(outcome);
  return `${name}: ${text.replaceAll(`${folder}/`, "")}`;
}
