// Measures an export of a part of the long chain with proofs: written as JSON Lines and CSV, downloaded, and
// verified offline by annals-verify. Called by main.ts.

import { HttpClient } from "@annals/testing";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { verifyFile } from "annals-verify";
import { type Bench, rate, type Result, type Section } from "./bench.ts";
import type { Chain } from "./long-chain.ts";
import { timedTurns } from "./interleaved.ts";

/** Between two polls of the status. */
const POLL_INTERVAL_MS = 100;
const COMPLETED_WITHIN_MS = 600_000;
/** Share of the events that the warm-up export has. */
const WARM_UP_PART = 2;
const BYTES_IN_MB = 1_000_000;

export async function measureExports(bench: Bench, chain: Chain): Promise<Section> {
  const { turns, exported } = bench.options;
  const events = Math.min(exported, chain.length);
  const folder = await mkdtemp(join(tmpdir(), "annals-bench-export-"));
  try {
    const file = join(folder, "export.jsonl");
    bench.say(`POST /v1/exports, ${events.toLocaleString("en")} events`);
    const {
      value: id,
      seconds: writing,
      cost: writingCost,
    } = await timedWarm(bench, chain.key, {
      events,
      format: "jsonl",
    });
    bench.say("GET /v1/exports/{id}/content");
    const counted = { events, processes: bench.processes };
    const { seconds: downloading, cost } = await timedTurns(turns, counted, () =>
      download(bench, chain.key, id, file),
    );
    bench.say("annals-verify");
    const { value: report, seconds: verifying } = await timedTurns(turns, counted, () =>
      verifyFile(file),
    );
    if (report.events !== events) throw new Error(`the export has ${report.events} events`);
    const { size } = await stat(file);
    bench.say("POST /v1/exports, CSV");
    const { seconds: writingCsv, cost: costOfCsv } = await timedWarm(bench, chain.key, {
      events,
      format: "csv",
    });
    const result = (what: string, took: number): Result => ({
      what,
      ...throughput(events, size, took),
    });
    return {
      title: "Exports",
      about:
        `The first ${events.toLocaleString("en")} events of the long chain with proofs, as JSON Lines, ` +
        `${Math.round(size / events)} bytes an event, and as CSV. Written: from the POST until the status, polled ` +
        `every ${POLL_INTERVAL_MS} ms, is completed, after a warm-up export of half as many. ` +
        "Downloaded: through the gateway into a file. " +
        "Verified: by annals-verify, one thread per CPU, from the file alone. " +
        `Medians of ${turns} turns; the first verification is cold.`,
      heads: ["events", "bytes", "in all"],
      results: [
        { ...result("export written", writing), cost: writingCost },
        { ...result("export downloaded", downloading), cost },
        result("export verified offline", verifying),
        {
          what: "export written as CSV",
          figure: rate(events / writingCsv),
          p99: seconds(writingCsv),
          cost: costOfCsv,
        },
      ],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Three columns of a result: events and bytes per second, and the time in all. */
export function throughput(events: number, bytes: number, took: number) {
  return {
    figure: rate(events / took),
    p50: `${(bytes / took / BYTES_IN_MB).toFixed(1)} MB/s`,
    p99: seconds(took),
  };
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

interface Wanted {
  /** The first ones; a bundle of evidence has all. */
  readonly events: number;
  readonly format: "jsonl" | "csv" | "evidence";
}

/** A warm-up export goes first: a service is slower just after its start. */
async function timedWarm(bench: Bench, key: string, wanted: Wanted) {
  await writeExport(bench, key, { ...wanted, events: Math.ceil(wanted.events / WARM_UP_PART) });
  const { options, processes } = bench;
  return timedTurns(options.turns, { processes, events: wanted.events }, () =>
    writeExport(bench, key, wanted),
  );
}

/** Resolves to the id of the completed export. */
export async function writeExport(
  { baseUrl }: Pick<Bench, "baseUrl">,
  key: string,
  { events, format }: Wanted,
): Promise<string> {
  const client = new HttpClient(baseUrl, key);
  const part = { include_proofs: true, filter: { before_sequence: events + 1 } };
  const create = () => client.post("/v1/exports", { format, ...(format !== "evidence" && part) });
  let created = await create();
  // That of the turn before: an equal one is not written again.
  if (created.body.data?.status === "completed") {
    await client.delete(`/v1/exports/${created.body.data.id}`);
    created = await create();
  }
  if (created.status !== 201) throw new Error(`/v1/exports was answered ${created.text}`);
  const { id } = created.body.data;
  for (const until = performance.now() + COMPLETED_WITHIN_MS; performance.now() < until;) {
    const { body } = await client.get(`/v1/exports/${id}`);
    if (body.data.status === "failed") throw new Error("the export failed");
    if (body.data.status === "completed") {
      client.close();
      return id;
    }
    await pause(POLL_INTERVAL_MS);
  }
  throw new Error(`the export is not completed after ${COMPLETED_WITHIN_MS} ms`);
}

export async function download(bench: Bench, key: string, id: string, file: string): Promise<void> {
  const response = await fetch(`${bench.baseUrl}/v1/exports/${id}/content`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok || response.body === null) {
    throw new Error(`the content was answered ${response.status}`);
  }
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
}
