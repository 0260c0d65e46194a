// Measures the log of evidence on the long chain: how fast a tree grows behind a chain, proofs one after the
// other, and a bundle of the whole chain, written, and verified offline. Called by main.ts.

import { HttpClient, newAccount } from "@annals/testing";
import { verifyEvidence } from "annals-verify";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { copyChain } from "../long-chain.ts";
import { openSql } from "../sql.ts";
import { type Bench, rate, type Section, time } from "./bench.ts";
import { download, throughput, writeExport } from "./exports.ts";
import { timedTurns } from "./interleaved.ts";
import type { Chain } from "./long-chain.ts";

/** Events of the chain behind which a tree grows. */
const GROWN = 200_000;
/** A tree may be this far behind a chain that rests, until an epoch is due. */
const TREE_STEP = 256;
const POLL_INTERVAL_MS = 50;
const GROWN_WITHIN_MS = 600_000;

export async function measureEvidence(bench: Bench, chain: Chain): Promise<Section> {
  const { turns, samples } = bench.options;
  const folder = await mkdtemp(join(tmpdir(), "annals-bench-evidence-"));
  const client = new HttpClient(bench.baseUrl, chain.key);
  try {
    bench.say(`a tree behind ${GROWN.toLocaleString("en")} events`);
    const growing = await secondsToGrow(bench);
    const counted = { events: chain.length, processes: bench.processes };
    const policy = Buffer.from(`log ${await coveredVkey(client, chain)}\nquorum none\n`);
    bench.say("GET /v1/log/inclusion");
    const proofs = await proofTimes(client, chain, samples);
    bench.say("POST /v1/exports, evidence");
    const wanted = { events: chain.length, format: "evidence" } as const;
    const written = await timedTurns(turns, counted, () => writeExport(bench, chain.key, wanted));
    const file = join(folder, "evidence.tar");
    await download(bench, chain.key, written.value, file);
    const { size } = await stat(file);
    bench.say("annals-verify");
    const verified = await timedTurns(turns, counted, () =>
      verifyEvidence(file, { policy, known: [] }),
    );
    const shown = (seconds: number) => throughput(chain.length, size, seconds);
    return {
      title: "Evidence",
      about:
        `A tree grows behind a chain of ${GROWN.toLocaleString("en")} events that is there at once, while the ` +
        "index for filters is made, too. Proofs are of random events of the long chain, one after the other. The " +
        `bundle is of the whole chain, ${chain.length.toLocaleString("en")} events, ` +
        `${Math.round(size / chain.length)} bytes each: written as an export is, and verified by annals-verify ` +
        `from the file alone. Medians of ${turns} turns.`,
      heads: ["events", "bytes, or p50 of a proof", "in all, or p99 of a proof"],
      results: [
        { what: "tree grown", figure: rate(GROWN / growing), p99: `${growing.toFixed(1)} s` },
        {
          what: "GET /v1/log/inclusion",
          figure: rate((1_000 * samples) / proofs.reduce((sum, ms) => sum + ms, 0)),
          p50: time(proofs[Math.floor(samples / 2)] ?? 0),
          p99: time(proofs[Math.floor(samples * 0.99)] ?? 0),
        },
        { what: "bundle written", ...shown(written.seconds), cost: written.cost },
        { what: "bundle verified offline", ...shown(verified.seconds) },
      ],
    };
  } finally {
    client.close();
    await rm(folder, { recursive: true });
  }
}

async function secondsToGrow({ databaseUrl }: Bench): Promise<number> {
  const sql = await openSql(databaseUrl);
  try {
    const { accountId } = await newAccount(databaseUrl);
    await copyChain(sql, accountId, GROWN);
    const begun = performance.now();
    for (const until = begun + GROWN_WITHIN_MS; performance.now() < until;) {
      const [row] = await sql.rows<{ size: string }>(
        `SELECT size FROM ledger.trees WHERE account_id = '${accountId}'`,
      );
      if (Number(row?.size ?? 0) > GROWN - TREE_STEP) return (performance.now() - begun) / 1_000;
      await pause(POLL_INTERVAL_MS);
    }
    throw new Error(`the tree has not grown after ${GROWN_WITHIN_MS} ms`);
  } finally {
    await sql.close();
  }
}

/** The verifier key of the log, once an epoch covers the whole chain. */
async function coveredVkey(client: HttpClient, { length }: Chain): Promise<string> {
  for (const until = performance.now() + GROWN_WITHIN_MS; performance.now() < until;) {
    const { body } = await client.get("/v1/log");
    if (body.data?.covered?.sequence_number >= length) return body.data.vkeys[0];
    await pause(POLL_INTERVAL_MS);
  }
  throw new Error(`no epoch covers the chain after ${GROWN_WITHIN_MS} ms`);
}

/** In milliseconds, the shortest first. */
async function proofTimes(client: HttpClient, chain: Chain, samples: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < samples; n += 1) {
    const sequence = 1 + Math.floor(Math.random() * chain.length);
    const begun = performance.now();
    const { status, text } = await client.get(`/v1/log/inclusion?sequence_number=${sequence}`);
    times.push(performance.now() - begun);
    if (status !== 200) throw new Error(`a proof was answered ${text}`);
  }
  return times.toSorted((one, other) => one - other);
}
