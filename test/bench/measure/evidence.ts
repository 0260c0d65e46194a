// Measures the log of evidence on the long chain: how fast a tree grows behind a chain, proofs one after the
// other, and a bundle of the whole chain, written, and verified offline. Called by main.ts.

import { HttpClient, newAccount } from "@annals/testing";
import { verifyEvidence } from "annals-verify";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { costText, withCost } from "../cpu.ts";
import { copyChain } from "../long-chain.ts";
import { openSql, type Sql } from "../sql.ts";
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
    const { seconds: growing, ...treeCost } = await growTree(bench);
    const counted = { events: chain.length, processes: bench.processes };
    const policy = Buffer.from(`log ${await coveredVkey(client, chain)}\nquorum none\n`);
    bench.say("GET /v1/log/inclusion");
    const { times, ...proofCost } = await withCost(bench.processes, async () => ({
      events: samples,
      times: await proofTimes(client, chain, samples),
    }));
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
        {
          what: "tree grown",
          figure: rate(GROWN / growing),
          p99: `${growing.toFixed(1)} s`,
          cost: costText([treeCost]),
        },
        {
          what: "GET /v1/log/inclusion",
          figure: rate((1_000 * samples) / times.reduce((sum, ms) => sum + ms, 0)),
          p50: time(times[Math.floor(samples / 2)] ?? 0),
          p99: time(times[Math.floor(samples * 0.99)] ?? 0),
          cost: costText([proofCost]),
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

async function growTree({ databaseUrl, processes }: Bench) {
  const sql = await openSql(databaseUrl);
  try {
    const { accountId } = await newAccount(databaseUrl);
    await copyChain(sql, accountId, GROWN);
    return await withCost(processes, async () => ({
      events: GROWN,
      seconds: await secondsToGrow(sql, accountId),
    }));
  } finally {
    await sql.close();
  }
}

async function secondsToGrow(sql: Sql, accountId: string): Promise<number> {
  const begun = performance.now();
  for (const until = begun + GROWN_WITHIN_MS; performance.now() < until;) {
    const [row] = await sql.rows<{ size: string }>(
      `SELECT size FROM ledger.trees WHERE account_id = '${accountId}'`,
    );
    if (Number(row?.size ?? 0) > GROWN - TREE_STEP) return (performance.now() - begun) / 1_000;
    await pause(POLL_INTERVAL_MS);
  }
  throw new Error(`the tree has not grown after ${GROWN_WITHIN_MS} ms`);
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
