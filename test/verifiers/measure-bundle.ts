// Measures the verification of a bundle of evidence by the command: events per second, and the memory that
// its process takes at most, for bundles of as many events as the arguments say. With `archive` their events
// are in files of their own, as one zstd frame. docs/performance has the figures.
//
//   node -C source test/verifiers/measure-bundle.ts 100000 400000
//   node -C source test/verifiers/measure-bundle.ts archive 200000

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  createWriteStream,
  mkdtempDisposableSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { CHAIN, filesOver, POLICY, relisted, tarHeader, tarOf } from "./made-bundle.ts";
import { chainOf } from "./made-export.ts";

const COMMAND = join(import.meta.dirname, "../../packages/annals-verify/src/main.ts");
const EVENTS = "events.jsonl";
const ARCHIVED = "events.jsonl.zst";
const INDEX = "bundle.json";
const BLOCK_EVENTS = 10_000;
const RUNS = 5;
const isArchive = process.argv[2] === "archive";
const counts = process.argv.slice(isArchive ? 3 : 2);
/** So that a line has about as many bytes as that of an event with all parts. */
const METADATA = {
  amount: 120_050,
  note: "é".repeat(40),
  plan: { after: "business", before: "starter" },
  text: "x".repeat(180),
};

/** Gives the lines of a chain to `write`, in blocks. */
async function makeEvents(events: number, write: (bytes: Buffer) => Promise<void> | void) {
  const digest = createHash("sha256");
  const hashes: string[] = [];
  let size = 0;
  for (let from = 1; from <= events; from += BLOCK_EVENTS) {
    const count = Math.min(BLOCK_EVENTS, events - from + 1);
    const parts = Array.from({ length: count }, (_, at) => ({ ...METADATA, n: from + at }));
    const made = chainOf(CHAIN, parts, from, hashes.at(-1), { action: "invoice.update" });
    const bytes = Buffer.from(made.lines.map((line) => `${line}\n`).join(""));
    digest.update(bytes);
    size += bytes.length;
    // oxlint-disable-next-line no-await-in-loop -- one block in memory
    await write(bytes);
    hashes.push(...made.places.map(({ hash }) => hash));
  }
  return { files: relisted(filesOver(hashes)), listed: { sha256: digest.digest("hex"), size } };
}

/** Writes a bundle, and returns its bytes. */
async function writeBundle(path: string, events: number): Promise<number> {
  const file = openSync(path, "w");
  let at = 512;
  const { files, listed } = await makeEvents(events, (bytes) => {
    at += writeSync(file, bytes, 0, bytes.length, at);
  });
  writeSync(file, tarHeader(EVENTS, listed.size), 0, 512, 0);
  const index = JSON.parse(String(files.get(INDEX))) as { files: Record<string, object> };
  index.files[EVENTS] = listed;
  const rest = tarOf(files.set(INDEX, Buffer.from(JSON.stringify(index))));
  const end = 512 + Math.ceil(listed.size / 512) * 512;
  writeSync(file, rest, 0, rest.length, end);
  closeSync(file);
  return end + rest.length;
}

/** Writes an archive, and returns the bytes of both files. */
async function writeArchive(path: string, eventsPath: string, events: number): Promise<number> {
  const zstd = createZstdCompress();
  const written = pipeline(zstd, createWriteStream(eventsPath));
  const { files, listed } = await makeEvents(events, async (bytes) => {
    if (!zstd.write(bytes)) await once(zstd, "drain");
  });
  zstd.end();
  await written;
  const index = JSON.parse(String(files.get(INDEX))) as object;
  writeFileSync(
    path,
    tarOf(files.set(INDEX, Buffer.from(JSON.stringify({ ...index, events: listed })))),
  );
  return statSync(path).size + statSync(eventsPath).size;
}

/** Seconds of one verification, from the start of the process, and its peak of resident memory. */
async function verified(folder: string) {
  const started = performance.now();
  const given = isArchive ? ["--events", ARCHIVED] : [];
  const words = ["-C", "source", COMMAND, "--policy", "policy", ...given, "evidence.tar"];
  const child = spawn(process.execPath, words, { cwd: folder });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)));
  let peak = 0;
  // The last reading before the end of the process is its peak.
  const timer = setInterval(() => (peak = Math.max(peak, peakOf(child.pid ?? 0))), 20);
  await once(child, "close");
  clearInterval(timer);
  if (child.exitCode !== 0) throw new Error(`the status is ${child.exitCode}`);
  const took = Number(/took {6}([\d.]+) s/.exec(printed)?.[1]);
  return { seconds: (performance.now() - started) / 1000, took, peak };
}

function peakOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

using folder = mkdtempDisposableSync(join(tmpdir(), "annals-measure-"));
writeFileSync(join(folder.path, "policy"), POLICY);
for (const events of counts.map(Number)) {
  const path = join(folder.path, "evidence.tar");
  const bytes = isArchive
    ? await writeArchive(path, join(folder.path, ARCHIVED), events)
    : await writeBundle(path, events);
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await verified(folder.path));
  const [best] = runs.toSorted((a, b) => a.seconds - b.seconds);
  const median = runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(RUNS / 2)];
  const rate = (seconds = 0) => Math.round(events / seconds).toLocaleString("en");
  const lines = [
    `${events} events, ${(bytes / 1e6).toFixed(1)} MB, ${Math.round(bytes / events)} bytes an event`,
    `  median ${median?.seconds.toFixed(2)} s, ${rate(median?.seconds)} events/s; best ${rate(best?.seconds)}/s`,
    `  at most ${Math.round(Math.max(...runs.map(({ peak }) => peak)))} MiB`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
