// `npm run bench`: starts a stack of its own, over a Citus cluster if `CITUS_ROOT` names one, measures it
// interleaved with baselines (Fastify, PostgreSQL, HTTPS), and prints the figures with a description of the
// machine. It must never measure a stack that is in use.

import { CertificateAuthority } from "@annals/certificates";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDurableCluster } from "../citus/cluster.ts";
import { startConstellation } from "../system/constellation.ts";
import { compare } from "./compare/compare.ts";
import { withCost } from "./cpu.ts";
import { currentLoad, describeMachine } from "./machine.ts";
import { measureBatches } from "./measure/batches.ts";
import type { Bench, Section } from "./measure/bench.ts";
import { measureCounts } from "./measure/counts.ts";
import { measureDeclaredFields } from "./measure/declared-fields.ts";
import { measureDeliveries } from "./measure/deliveries.ts";
import { measureEvidence } from "./measure/evidence.ts";
import { measureExports } from "./measure/exports.ts";
import { measureFieldsBehind } from "./measure/fields-behind.ts";
import { measureHashing } from "./measure/hashing.ts";
import { measureIdleLatency } from "./measure/idle-latency.ts";
import { measureIndexBytes } from "./measure/index-bytes.ts";
import { measureIntake } from "./measure/intake.ts";
import { type Chain, makeLongChain, measureLists } from "./measure/long-chain.ts";
import { type Memory, memorySection, readMemory } from "./measure/memory.ts";
import { measureReplicas } from "./measure/replicas.ts";
import { measureRest } from "./measure/rest.ts";
import { measureSingleEvents } from "./measure/single-events.ts";
import { measureSinks } from "./measure/sinks.ts";
import { measureVerify } from "./measure/verify.ts";
import { type Options, parseOptions } from "./options.ts";
import { untilQuiet } from "./quiet.ts";
import { renderReport, writeReport } from "./report.ts";
import { openSql } from "./sql.ts";

/** No key reaches it. */
const RATE_LIMIT_PER_MINUTE = 1_000_000_000;
/** No account reaches it: the exports and the bundle of the long chain are several GiB together. */
const EXPORT_MAX_BYTES = 2 ** 40;
/** An account may declare ten fields. */
const PLANS = { plans: { bench: { max_search_fields: 10 } }, default: "bench" };

try {
  const options = parseOptions(process.argv.slice(2));
  await (options.compare.length > 0 ? compare(options, say) : main(options));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}

async function main(options: Options): Promise<void> {
  const begun = performance.now();
  const loadBefore = currentLoad();
  const authority = await CertificateAuthority.create();
  const folder = await mkdtemp(join(tmpdir(), "annals-bench-"));
  const caFile = join(folder, "ca.pem");
  const plansFile = join(folder, "plans.json");
  await Promise.all([
    writeFile(caFile, authority.cert),
    writeFile(plansFile, JSON.stringify(PLANS)),
  ]);
  // A process that compiles a changed module keeps the compiler in memory, 13 MB in the gateway. From the
  // second start on the compile cache serves, as in the image.
  await (await startConstellation()).stop();
  const citusRoot = process.env["CITUS_ROOT"];
  const cluster = citusRoot === undefined ? undefined : await startDurableCluster(citusRoot);
  const stack = await startConstellation({
    databaseUrl: cluster?.databaseUrl,
    isMigrated: cluster !== undefined,
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    env: {
      keys: {
        ANNALS_INTAKE_RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT_PER_MINUTE),
        ANNALS_PLANS_FILE: plansFile,
      },
      ledger: { ANNALS_ERASURE_DELAY_H: "0" },
      export: { ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT: String(EXPORT_MAX_BYTES) },
      "webhook-dispatcher": {
        ANNALS_WEBHOOK_CA_FILE: caFile,
        ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES: "true",
      },
    },
  });
  const stopAll = async () => {
    await stack.stop();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const stop = () => void stopAll().then(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  const sql = await openSql(stack.databaseUrl);
  try {
    const { databaseUrl, baseUrls } = stack;
    const bench = {
      options,
      baseUrl: baseUrls[0] ?? "",
      databaseUrl,
      processes: stack.processes,
      rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
      authority,
      say,
    };
    const described = await describeMachine(sql, loadBefore);
    const { othersCpus, sections } = await withCost([], async () => ({
      events: 1,
      sections: await measureAll(bench, () => readMemory(stack.processes)),
    }));
    const machine = [
      ...described,
      ["Other programs meanwhile", `${othersCpus.toFixed(2)} CPUs`],
    ] as const;
    const date = new Date().toISOString().slice(0, 10);
    const report = renderReport({ command: options.command, date, machine, sections });
    process.stdout.write(`\n${report}\n\n`);
    if (options.write && process.exitCode === undefined) await writeReport(report);
    say(`took ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  } finally {
    await sql.close();
    await stopAll();
  }
}

/**
 * `--only` leaves out the sections without its words in their name; the long chain is made when needed. A
 * section that fails is named and left out: the others are printed, and the page stays as it is.
 */
async function measureAll(bench: Bench, memory: () => Promise<Memory[]>): Promise<Section[]> {
  let chain: Promise<Chain> | undefined;
  const longChain = () => (chain ??= makeLongChain(bench));
  const [appends, others] = [
    {
      rest: () => measureRest(bench),
      "single events": () => measureSingleEvents(bench),
      "idle latency": () => measureIdleLatency(bench),
      batches: () => measureBatches(bench),
      "declared fields": () => measureDeclaredFields(bench),
      intake: () => measureIntake(bench),
      replicas: () => measureReplicas(bench),
    },
    {
      deliveries: () => measureDeliveries(bench),
      sinks: () => measureSinks(bench),
      "long chain, lists": async () => measureLists(bench, await longChain()),
      "behind declared fields": () => measureFieldsBehind(bench),
      "index bytes": () => measureIndexBytes(bench),
      "long chain, counts": () => measureCounts(bench),
      "long chain, verification": async () => measureVerify(bench, await longChain()),
      "long chain, exports": async () => measureExports(bench, await longChain()),
      "long chain, evidence": async () => measureEvidence(bench, await longChain()),
      hashing: () => measureHashing(bench),
    },
  ];
  const sections: Section[] = [];
  const measure = async (named: Record<string, () => Promise<Section>>) => {
    for (const [name, section] of Object.entries(named)) {
      if (!name.includes(bench.options.only)) continue;
      try {
        // A long chain is loaded first, beside other programs.
        if (!name.startsWith("long chain")) await untilQuiet(bench);
        sections.push(await section());
      } catch (error) {
        bench.say(`${name} failed: ${messageOf(error)}`);
        process.exitCode = 1;
      }
    }
  };
  await measure(appends);
  const afterAppends = await memory();
  await measure(others);
  return [...sections, memorySection(afterAppends, await memory())];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
