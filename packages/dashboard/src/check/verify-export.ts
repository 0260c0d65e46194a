// Verifies an export in the browser: every digest, hash and link, the range, the manifest. Called by
// check-worker.ts. It reads JSON Lines; npx annals-verify also reads CSV and files of any size.

import { checkEvent, GENESIS_HASH, type Proof, type ProvableEvent } from "@annals/proof";
import { Fault } from "./fault.ts";
import { isFiltered, type Manifest, readManifest } from "./manifest.ts";
import type { Report } from "./messages.ts";
import { sha256Of } from "./sha256.ts";

export { Fault } from "./fault.ts";

/** The file is in memory as a whole. */
const MAX_BYTES = 100 * 1024 * 1024;

/** Events that are checked together, and then told of. */
const GROUP = 200;

const LINE_FEED = 0x0a;
const BRACE = 0x7b;

interface Options {
  /** What the service shows for the export. */
  readonly sha256: string | undefined;
  readonly onProgress: (done: number) => void;
}

interface Line {
  readonly event: ProvableEvent;
  readonly proof: Proof;
}

/** Rejects with Fault, which names the first line that is not valid. */
export async function verifyExport(file: Blob, { sha256, onProgress }: Options): Promise<Report> {
  if (file.size > MAX_BYTES)
    throw new Fault("The file is larger than 100 MiB: verify it with npx annals-verify.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  const end = bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length;
  const bodyEnd = end === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
  if (end > 0 && bytes[0] !== BRACE)
    throw new Fault("The file is not JSON Lines: verify CSV with npx annals-verify.");
  const manifest = await readManifest(textOf(bytes.subarray(bodyEnd, end)));
  if (!manifest.include_proofs)
    throw new Fault("The export was made without proofs: nothing in it can be recomputed.");
  const walk = new Walk(manifest);
  await walkLines(bytes.subarray(0, bodyEnd), walk, onProgress);
  walk.end();
  const whole = await sha256Of(bytes);
  const body = await sha256Of(bytes.subarray(0, bodyEnd));
  if (manifest.size_bytes !== bodyEnd || manifest.sha256 !== body)
    throw new Fault("manifest_mismatch: the file before the manifest has another SHA-256.");
  if (sha256 !== undefined && sha256 !== whole)
    throw new Fault(`sha256_mismatch: the service shows ${sha256}, the file has ${whole}.`);
  return walk.report(whole);
}

async function walkLines(
  bytes: Uint8Array,
  walk: Walk,
  onProgress: (done: number) => void,
): Promise<void> {
  let from = 0;
  let number = 0;
  while (from < bytes.length) {
    const group: Line[] = [];
    while (from < bytes.length && group.length < GROUP) {
      const end = bytes.indexOf(LINE_FEED, from);
      group.push(lineOf(bytes.subarray(from, end), number + group.length + 1));
      from = end + 1;
    }
    const checks = await Promise.all(group.map(({ event, proof }) => checkEvent(event, proof)));
    for (const [at, check] of checks.entries()) {
      number += 1;
      const line = group[at];
      if (line) atLine(number, () => walk.take(line, check));
    }
    onProgress(from);
  }
}

function lineOf(bytes: Uint8Array, number: number): Line {
  return atLine(number, () => {
    const { event, proof } = JSON.parse(textOf(bytes)) as Partial<Line>;
    if (typeof event !== "object" || typeof proof !== "object")
      throw new Fault("is no event with its proof");
    return { event, proof };
  });
}

/** Names the line in what is thrown. */
function atLine<T>(number: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const message = error instanceof Fault ? error.message : "cannot be read";
    throw new Fault(`Line ${number}: ${message}`);
  }
}

const textOf = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(bytes);

/** Walks along the events: order, gaps, links, and whether they are what the manifest claims. */
class Walk {
  readonly #manifest: Manifest;
  #first: ProvableEvent | undefined;
  #last: ProvableEvent | undefined;
  #events = 0;
  #linksChecked = 0;

  constructor(manifest: Manifest) {
    this.#manifest = manifest;
  }

  take({ event, proof }: Line, check: Awaited<ReturnType<typeof checkEvent>>): void {
    const { sequence_number: number, previous_hash: previousHash } = event;
    const { chain, range } = this.#manifest;
    if (check.state === "unchecked")
      throw new Fault(`sequence number ${number}: the proof is of an unknown version`);
    const part = Object.entries(check.parts).find(([, state]) => state !== "verified");
    if (part) throw new Fault(`sequence number ${number}: digest_mismatch in ${part[0]}`);
    if (check.hash !== "verified") throw new Fault(`sequence number ${number}: hash_mismatch`);
    if (proof.chain !== chain)
      throw new Fault(`sequence number ${number}: another chain, ${proof.chain}`);
    const last = this.#last?.sequence_number;
    if (last !== undefined && number <= last)
      throw new Fault(`sequence number ${number}: out of order`);
    const expected = last === undefined ? range.from_sequence : last + 1;
    if (number > range.to_sequence || number < range.from_sequence)
      throw new Fault(`sequence number ${number}: outside the range`);
    if (!isFiltered(this.#manifest) && number !== expected)
      throw new Fault(`sequence_gap: sequence number ${expected} is missing`);
    const before = number === 1 ? GENESIS_HASH : last === number - 1 ? this.#last?.hash : undefined;
    if (before !== undefined) this.#linksChecked += 1;
    if (before !== undefined && before !== previousHash)
      throw new Fault(`link_mismatch: sequence number ${number} does not link to the event before`);
    this.#first ??= event;
    this.#last = event;
    this.#events += 1;
  }

  end(): void {
    const { event_count: count, first, head, last, range } = this.#manifest;
    const reached = this.#last?.sequence_number ?? range.from_sequence - 1;
    if (count !== this.#events)
      throw new Fault(
        `manifest_mismatch: the file holds ${this.#events} events, the manifest says ${count}.`,
      );
    if (range.to_sequence > head.sequence_number)
      throw new Fault("manifest_mismatch: the range goes beyond the head.");
    if (
      !isFiltered(this.#manifest) &&
      range.to_sequence >= range.from_sequence &&
      reached !== range.to_sequence
    )
      throw new Fault(
        `sequence_gap: the events end at ${reached}, the range at ${range.to_sequence}.`,
      );
    if (first?.hash !== this.#first?.hash || last?.hash !== this.#last?.hash)
      throw new Fault("manifest_mismatch: the first and the last event are others.");
    if (reached === head.sequence_number && this.#last && this.#last.hash !== head.hash)
      throw new Fault("head_mismatch: the last event is not the head.");
  }

  report(sha256: string): Report {
    const { chain, created_at, export_id, head, range } = this.#manifest;
    return {
      exportId: export_id,
      chain,
      createdAt: created_at,
      from: range.from_sequence,
      to: range.to_sequence,
      isFiltered: isFiltered(this.#manifest),
      events: this.#events,
      linksChecked: this.#linksChecked,
      linksUnchecked: this.#events - this.#linksChecked,
      headHash: head.hash,
      sha256,
    };
  }
}
