// heads.jsonl of a bundle in another head log, which the keys of the worked examples sign: what an operator
// makes who holds the log's key, and what a log that follows another one has. Witnesses see all of it.

import { entryHash, HeadMap, proveInclusion } from "@annals/tlog";
import { CHAIN, type Files, ORIGIN, signedCheckpoint } from "./made-bundle.ts";
import { nodesOf, rootOfLeaves } from "./made-log.ts";

/** Of a line of heads.jsonl. */
export interface HeadClaim {
  readonly entry: string;
  readonly head: { readonly size: number; readonly root: string };
  readonly consistency: readonly string[];
}

interface MadeHeads {
  readonly origin?: string;
  readonly signer?: "log" | "next";
  /** The heads that the log states, and their proofs: those of the bundle by default. */
  readonly change?: (heads: readonly HeadClaim[]) => readonly HeadClaim[];
  /** The first two heads have checkpoints of one size and two roots. */
  readonly isForked?: boolean;
}

/** The first entry is of another kind, so that epoch 1 covers nothing. The account is alone in the map. */
export function madeHeads(files: Files, made: MadeHeads = {}): Buffer {
  const { change = (heads) => heads, isForked = false, origin = ORIGIN, signer = "log" } = made;
  const lines = String(files.get("heads.jsonl")).trimEnd().split("\n");
  const heads = change(lines.map((line) => JSON.parse(line) as HeadClaim));
  const entries = heads.map(entryOf);
  const leaves = ['{"kind":"succeeds"}', ...entries].map((entry) => entryHash(Buffer.from(entry)));
  const texts = heads.map((head, at) => {
    const epoch = at + 2;
    const isInFork = isForked && at === 0;
    const log = isInFork
      ? [...leaves.slice(0, epoch), entryHash(Buffer.from("fork"))]
      : leaves.slice(0, epoch);
    const seconds = secondsOf(head) + 4;
    const seen = { w1: seconds, w2: seconds };
    const checkpoint = signedCheckpoint(origin, log.length, rootOfLeaves(log), seen, signer);
    const proof = proveInclusion(epoch - 1, log.length, nodesOf(log));
    const inclusion = proof.map((hash) => hash.toString("hex"));
    return JSON.stringify({ ...head, epoch, entry: entries[at], path: [], checkpoint, inclusion });
  });
  return Buffer.from(`${texts.join("\n")}\n`);
}

function entryOf(claim: HeadClaim, at: number): string {
  const map = new HeadMap();
  const { root, size } = claim.head;
  map.set({ chain: CHAIN, size, root: Buffer.from(root, "hex") });
  const heads = map.root().toString("hex");
  return JSON.stringify({ epoch: at + 2, heads, kind: "heads", time: timeOf(claim), v: 1 });
}

function timeOf({ entry }: HeadClaim): string {
  return /"time":"([^"]*)"/.exec(entry)?.[1] ?? "";
}

function secondsOf(claim: HeadClaim): number {
  return Date.parse(`${timeOf(claim).slice(0, 19)}Z`) / 1000;
}
