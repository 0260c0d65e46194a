// Measures the verification of a bundle of evidence by the command: events per second, and the memory that
// its process takes at most, for bundles of as many events as the arguments say. docs/performance has the
// figures.
//
//   node -C source test/verifiers/measure-bundle.ts 100000 400000

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  mkdtempDisposableSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHAIN, filesOver, POLICY, relisted, tarHeader, tarOf } from "./made-bundle.ts";
import { chainOf } from "./made-export.ts";

const COMMAND = join(import.meta.dirname, "../../packages/annals-verify/src/main.ts");
const EVENTS = "events.jsonl";
const BLOCK_EVENTS = 10_000;
const RUNS = 5;
/** So that a line has about as many bytes as that of an event with all parts. */
const METADATA = {
  amount: 120_050,
  note: "é".repeat(40),
  plan: { after: "business", before: "starter" },
  text: "x".repeat(180),
};

/** Writes a bundle in blocks of events, and returns its bytes. */
function writeBundle(path: string, events: number): number {
  const file = openSync(path, "w");
  const digest = createHash("sha256");
  const hashes: string[] = [];
  let size = 0;
  for (let from = 1; from <= events; from += BLOCK_EVENTS) {
    const count = Math.min(BLOCK_EVENTS, events - from + 1);
    const parts = Array.from({ length: count }, (_, at) => ({ ...METADATA, n: from + at }));
    const made = chainOf(CHAIN, parts, from, hashes.at(-1), { action: "invoice.update" });
    const bytes = Buffer.from(made.lines.map((line) => `${line}\n`).join(""));
    digest.update(bytes);
    size += writeSync(file, bytes, 0, bytes.length, 512 + size);
    hashes.push(...made.places.map(({ hash }) => hash));
  }
  writeSync(file, tarHeader(EVENTS, size), 0, 512, 0);
  const files = relisted(filesOver(hashes));
  const index = JSON.parse(String(files.get("bundle.json"))) as { files: Record<string, object> };
  index.files[EVENTS] = { sha256: digest.digest("hex"), size };
  const rest = tarOf(files.set("bundle.json", Buffer.from(JSON.stringify(index))));
  const end = 512 + Math.ceil(size / 512) * 512;
  writeSync(file, rest, 0, rest.length, end);
  closeSync(file);
  return end + rest.length;
}

/** Seconds of one verification, from the start of the process, and its peak of resident memory. */
async function verified(folder: string, file: string) {
  const started = performance.now();
  const words = ["-C", "source", COMMAND, "--policy", "policy", file];
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
for (const events of process.argv.slice(2).map(Number)) {
  const bytes = writeBundle(join(folder.path, "evidence.tar"), events);
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await verified(folder.path, "evidence.tar"));
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
