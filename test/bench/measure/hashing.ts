// Measures hashing alone on one core: the lower bound of every append and every verification. Called by
// main.ts.

import {
  canonicalJson,
  FIELDS,
  fieldDigest,
  type JsonObject,
  leafHash,
  leafText,
} from "@annals/event";
import { cloudTrailEvents, smallEvent } from "../bodies.ts";
import { makeRows } from "../rows.ts";
import { type Bench, rate, type Section } from "./bench.ts";

/** Passes over the events before and during the measurement. */
const ROUNDS = { warmUp: 5, measured: 40 };
const EVENTS = 500;

export async function measureHashing(bench: Bench): Promise<Section> {
  bench.say("hashing");
  const large = await cloudTrailEvents();
  const small = Array.from({ length: EVENTS }, (_, index) => smallEvent(index));
  return {
    title: "Hashing",
    about:
      "One core, nothing else: the canonical text of the five parts; " +
      "and six SHA-256 per event, five digests and the leaf.",
    heads: ["small", "CloudTrail"],
    results: [
      {
        what: "canonical text, events",
        figure: rate(canonical(small)),
        p50: rate(canonical(large)),
      },
      {
        what: "digests, leaf and hash, events",
        figure: rate(hashes(small)),
        p50: rate(hashes(large)),
      },
    ],
  };
}

function canonical(events: readonly object[]): number {
  return perSecond(events.length, () => {
    for (const event of events as readonly JsonObject[]) {
      for (const field of FIELDS) canonicalJson(event[field] ?? {});
    }
  });
}

function hashes(events: readonly object[]): number {
  const rows = [...makeRows("acct_bench", EVENTS, (index) => events[index % events.length] ?? {})];
  return perSecond(rows.length, () => {
    for (const row of rows) {
      const { action, id, time, previousHash, sequenceNumber, parts, salts } = row;
      const digests = Buffer.concat(
        parts.map((part, at) => fieldDigest(salts.subarray(at * 16, (at + 1) * 16), part)),
      );
      const times = { createdAt: time, occurredAt: time, receivedAt: time };
      const members = { action, chain: "acct_bench", digests, id, previousHash, sequenceNumber };
      leafHash(leafText({ ...members, ...times }));
    }
  });
}

function perSecond(events: number, round: () => void): number {
  for (let i = 0; i < ROUNDS.warmUp; i++) round();
  const begun = performance.now();
  for (let i = 0; i < ROUNDS.measured; i++) round();
  return (events * ROUNDS.measured * 1_000) / (performance.now() - begun);
}
