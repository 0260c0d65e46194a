// Runs every tier in order: the quick checks, the tests, a part of those with outages and of the fault tests
// in their short form, and the tests on a cluster. `npm run all` of a developer and .ci/run of continuous
// integration are this; `npm run test:full` runs the long forms of everything. It ends at the end of the
// first tier that failed. The last line is `N passed, N failed`.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  FAULT_SLICES,
  isClusterAffected,
  OUTAGE_SLICES,
  partOfCheckout,
  type Sliced,
} from "./slices.ts";
import { installForFaults, startCluster } from "./machine.ts";
import { runProgram } from "./program.ts";
import { Tally } from "./tally.ts";
import { runTests, type TestRun } from "./vitest-run.ts";

const tally = new Tally();
const scratch = mkdtempSync(join(tmpdir(), "annals-tiers-"));

const tests = (run: TestRun) => () => runTests(run, scratch, tally);

const isFull = process.argv[2] === "full";

const TIERS: readonly (() => Promise<void>)[] = [
  checks,
  tests({ name: "tests", script: "test", args: [], hasBudget: true }),
  outages,
  faults,
  kubernetes,
  ...(isFull ? [tests({ name: "runtimes", script: "test:runtimes", args: [] })] : []),
];

try {
  for (const tier of TIERS) {
    await tier();
    if (tally.failed > 0) break;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
  process.stdout.write(`${tally.text()}\n`);
  if (tally.failed > 0) process.exitCode = 1;
}

/** All quick checks side by side, each executed and none taken from the cache of turbo, which counts them. */
async function checks(): Promise<void> {
  process.stdout.write("== quick checks\n");
  const { code, output } = await runProgram("npm", ["run", "--silent", "check", "--", "--force"]);
  const [, successful = "0", total = "1"] =
    /Tasks: *(\d+) successful, (\d+) total/u.exec(output) ?? [];
  const failed = Math.max(Number(total) - Number(successful), code === 0 ? 0 : 1);
  tally.passed += Number(successful);
  tally.failed += failed;
  const names = new Set(
    [...output.matchAll(/ERROR +command .* run ([a-z:]+) exited/gu)].map((one) => one[1]),
  );
  for (const name of names) tally.note(String(name), "");
}

async function outages(): Promise<void> {
  const files = isFull ? [] : partOf("outages", OUTAGE_SLICES);
  await runTests({ name: "outages", script: "test:outages", args: [], files }, scratch, tally);
}

async function faults(): Promise<void> {
  await installForFaults();
  const args = isFull ? [] : ["--mode", "short"];
  const files = isFull ? [] : partOf("faults", FAULT_SLICES);
  await runTests({ name: "faults", script: "test:faults", args, files }, scratch, tally);
}

function partOf(name: string, tier: Sliced): readonly string[] {
  const { files, slice } = partOfCheckout(tier);
  process.stdout.write(
    `== ${name}: ${files.length} of ${tier.files.length} files, with slice ${slice} of ` +
      `${tier.slices} (ANNALS_TEST_SLICE=${slice} chooses it)\n`,
  );
  return files;
}

async function kubernetes(): Promise<void> {
  const cluster = await startCluster();
  if (!cluster) return;
  try {
    // In short not the audit log of a cluster: that needs one of its own, and a machine that is not slow.
    const short = ["--mode", "short", "--project", "kubernetes"];
    const files = isClusterAffected() ? [] : ["test/kubernetes/install.test.ts"];
    const run = { name: "kubernetes", script: "test:kubernetes", args: isFull ? [] : short };
    const env = { ANNALS_TEST_CLUSTER: cluster.folder };
    await runTests({ ...run, env, ...(!isFull && { files }) }, scratch, tally);
  } finally {
    await cluster.stop();
  }
}
