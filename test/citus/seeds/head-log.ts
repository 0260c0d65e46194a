// The rows of the head log with which each statement begins. They have no account. Called by ledger.ts.

import { LATER, LONG_AGO, PROPOSAL } from "../cases/case.ts";
import type { Seeds } from "./seeds.ts";

const SHA256 = `\\x${"ab".repeat(32)}`;
const HASHES = `\\x${"cd".repeat(8_192)}`;

/** At least `count` rows of each table. Log 1 has no proposal and lacks nothing; the others do. */
export function headLogSeeds(count: number): Seeds {
  const rows = (rowOf: (number: number) => Seeds[string][number]) =>
    Array.from({ length: count }, (_, at) => rowOf(at + 1));
  return {
    logs: rows((log) => ({
      log,
      origin: `log.example/${log}`,
      size: 3,
      root: SHA256,
      frontier: SHA256,
      keys: SHA256,
      proposal: log === 1 ? null : "entry",
      proposal_buckets: log === 1 ? null : SHA256,
      proposal_heads: log === 1 ? null : PROPOSAL,
      proposal_parts: log === 1 ? 0 : 1,
      missing: log === 1 ? null : "missing",
      missing_size: log === 1 ? 0 : 9,
      closer: "another",
      closer_until: LONG_AGO,
    })),
    proposed_heads: rows((part) => ({
      log: 2,
      size: 3,
      proposal: PROPOSAL,
      part: part - 1,
      heads: SHA256,
    })),
    // The last one is not served yet.
    epochs: rows((epoch) => ({
      log: 1,
      epoch,
      entry: `{"epoch":${epoch},"kind":"heads"}`,
      time: LONG_AGO,
      checkpoint: `checkpoint ${epoch}`,
      buckets: epoch === 2 ? null : SHA256,
      quorum_at: epoch === count ? null : LATER,
    })),
    log_tiles: rows((tile) => ({
      log: 1,
      level: 0,
      tile: tile - 1,
      root: SHA256,
      hashes: HASHES,
    })),
    anchors: rows((epoch) => ({
      log: 1,
      epoch,
      ...(epoch === 1 ? { kind: "bucket", name: "b1" } : { kind: "witness", name: "w1" }),
      bytes: SHA256,
      time: LONG_AGO,
    })),
  };
}
