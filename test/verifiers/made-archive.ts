// Archives for tests: a bundle whose events are in a file of their own, and what the verifiers say of both.

import { hash } from "node:crypto";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Files, relisted, verdictOf } from "./made-bundle.ts";

export interface Archive {
  readonly evidence: Files;
  /** The text of the events. */
  readonly events: Buffer;
}

const EVENTS = "events.jsonl";
const INDEX = "bundle.json";
/** Bytes of a block of a zstd frame. */
const BLOCK_BYTES = 128 * 1024;

/** The archive with the events of a bundle. */
export function archiveOf(files: Files): Archive {
  const evidence = new Map(files);
  const events = evidence.get(EVENTS) ?? Buffer.alloc(0);
  evidence.delete(EVENTS);
  return { evidence: naming(relisted(evidence), events), events };
}

/** The evidence of an archive, whose bundle.json names this text, or what `change` makes of its member. */
export function naming(
  evidence: Files,
  events: Buffer,
  change: (listed: { sha256: string; size: number }) => unknown = (listed) => listed,
): Files {
  const index = JSON.parse(String(evidence.get(INDEX))) as object;
  const listed = change({ sha256: hash("sha256", events), size: events.length });
  return new Map(evidence).set(INDEX, Buffer.from(JSON.stringify({ ...index, events: listed })));
}

/** A zstd frame of blocks that are not compressed, so that a test knows the place of each byte. */
export function rawFrame(text: Buffer, descriptors: readonly number[] = [0, 0x38]): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < text.length; at += BLOCK_BYTES) {
    const content = text.subarray(at, at + BLOCK_BYTES);
    const header = Buffer.alloc(3);
    const isLast = at + BLOCK_BYTES >= text.length;
    header.writeUIntLE((content.length << 3) | Number(isLast), 0, 3);
    blocks.push(header, content);
  }
  return Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd, ...descriptors), ...blocks]);
}

/** What annals-verify says of evidence with this file of events. */
export async function archiveVerdict(evidence: Files, events: Buffer): Promise<string> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-archive-"));
  const path = join(folder.path, "events");
  writeFileSync(path, events);
  return await verdictOf(evidence, { events: path });
}
