// `npm run bench -- --compare DIR`: an interleaved A/B of this checkout and others. A stack of each runs all
// the time, and one of them is under load at a time. Called by main.ts.

import { CertificateAuthority } from "@annals/certificates";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { newAccount } from "@annals/testing";
import { batches, cloudTrailEvents, singles, smallEvents } from "../bodies.ts";
import { costText, marked } from "../cpu.ts";
import { httpLoad } from "../http-load.ts";
import { multiple, rate, time } from "../measure/bench.ts";
import { interleaved, medians, medianRatio } from "../measure/interleaved.ts";
import { lowerQuartile } from "../median.ts";
import type { Options } from "../options.ts";
import { table } from "../report.ts";
import { type CheckoutStack, startCheckout } from "./checkout-stack.ts";
import { measureDeliveries } from "./deliveries.ts";
import type { Measure, Run, Turn } from "./measure.ts";
import { measureReads } from "./reads.ts";
import { sliced } from "./slices.ts";

const CHECKOUT = resolve(import.meta.dirname, "../../..");
const BATCH = 100;
const CONNECTIONS = 64;
/** How long each group of accounts gets its first events. */
const FIRST_EVENTS_MS = 200;
const MANY_ACCOUNTS = 1_000;
const BATCH_CONNECTIONS = 8;

interface Load {
  readonly path: string;
  readonly bodies: readonly string[];
  readonly connections: number;
  readonly accounts: number;
  readonly eventsPerRequest: number;
}

export async function compare(options: Options, say: (line: string) => void): Promise<void> {
  const stacks: CheckoutStack[] = [];
  const authority = await CertificateAuthority.create();
  const folder = await mkdtemp(join(tmpdir(), "annals-bench-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.cert);
  const deliveries = measureDeliveries(options, authority);
  const stopAll = async () => {
    await deliveries.close();
    await Promise.all(stacks.map((stack) => stack.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  const onSignal = () => void stopAll().then(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, onSignal);
  try {
    for (const checkout of [...options.compare, CHECKOUT]) {
      say(`starting ${checkout}`);
      stacks.push(await startCheckout(checkout, caFile));
    }
    const [names, rows] = [stacks.map(({ name }) => name), [] as string[][]];
    const all = [...(await appends(options)), deliveries.measure, ...measureReads(options)];
    const measures = all.filter((measure) => measure.what.includes(options.only));
    for (const { what, prepare } of measures) {
      say(what);
      const runs: Run[] = [];
      for (const stack of stacks) runs.push(await prepare(stack));
      const requests = runs[0]?.requests;
      const turnsOf = runs.map((run) => () => run.turn(requests));
      for (const turn of turnsOf) await turn();
      const turns = await interleaved(
        requests === undefined ? options.turns : options.slices,
        turnsOf,
      );
      for (const run of runs) run.close?.();
      const measured = rowsOf(what, names, turns);
      // At once, too: a comparison takes many minutes, and may be ended before its table.
      for (const [, ...cells] of measured) say(`  ${cells.join("  ")}`);
      rows.push(...measured);
    }
    const heads = ["", "checkout", "events", "p50", "p99", "rate", "p50", "CPU", "CPU an event"];
    process.stdout.write(`\n${table([heads, ...rows]).join("\n")}\n`);
    process.stdout.write(
      `\nRate, p50 and CPU are shares of ${names[0]}'s, turn by turn; the second of CPU is that of the lower quartiles.\n`,
    );
  } finally {
    await stopAll();
  }
}

/**
 * One row a checkout. Shares are medians over the turns. The second of CPU time is that of the lower
 * quartiles, which other programs disturb in another way: believe what both say.
 */
function rowsOf(what: string, names: readonly string[], turns: readonly Turn[][]): string[][] {
  const [baseline = []] = turns;
  const quartile = (taken: readonly Turn[]) => lowerQuartile(taken.map(({ cpuUs }) => cpuUs));
  return turns.map((taken, at) => {
    const { perSecond, p50Ms, p99Ms } = medians(taken);
    const share = (name: "perSecond" | "p50Ms" | "cpuUs") =>
      multiple(medianRatio(name, taken, baseline));
    return [
      marked(at === 0 ? what : "", taken),
      names[at] ?? "",
      rate(perSecond),
      time(p50Ms),
      time(p99Ms),
      share("perSecond"),
      share("p50Ms"),
      `${share("cpuUs")}, ${multiple(quartile(taken) / quartile(baseline))}`,
      costText(taken),
    ];
  });
}

async function appends(options: Options): Promise<Measure[]> {
  const [small, large] = [smallEvents(), await cloudTrailEvents()];
  const single = { path: "/v1/events", connections: CONNECTIONS, accounts: 1, eventsPerRequest: 1 };
  const batch = {
    path: "/v1/events/batch",
    connections: BATCH_CONNECTIONS,
    accounts: 1,
    eventsPerRequest: BATCH,
  };
  return [
    append(options, "single events, 64 connections", { ...single, bodies: singles(small) }),
    append(options, "single events, 64 accounts", {
      ...single,
      bodies: singles(small),
      accounts: CONNECTIONS,
    }),
    append(options, "single events, 1,000 accounts", {
      ...single,
      bodies: singles(small),
      connections: MANY_ACCOUNTS,
      accounts: MANY_ACCOUNTS,
    }),
    append(options, "CloudTrail events, 64 connections", { ...single, bodies: singles(large) }),
    append(options, "one connection", { ...single, bodies: singles(small), connections: 1 }),
    append(options, "batches of 100", { ...batch, bodies: batches(small, BATCH) }),
    append(options, "CloudTrail batches of 100", { ...batch, bodies: batches(large, BATCH) }),
  ];
}

function append(options: Options, what: string, load: Load): Measure {
  return {
    what,
    prepare: async (stack) => {
      const { baseUrl, databaseUrl } = stack;
      const keys: string[] = [];
      for (let i = 0; i < load.accounts; i++) keys.push((await newAccount(databaseUrl)).key);
      const { path, bodies, connections, eventsPerRequest } = load;
      const request = { method: "POST", paths: [path], bodies, status: 201 } as const;
      // A thousand first events at once wait longer for a connection than a request may.
      for (let at = 0; at < keys.length; at += CONNECTIONS) {
        const some = keys.slice(at, at + CONNECTIONS);
        const shape = { connections: some.length, warmUpMs: 0, measureMs: FIRST_EVENTS_MS };
        await httpLoad({ ...request, ...shape, baseUrl, keys: some });
      }
      return sliced(stack, options, { ...request, connections, keys }, eventsPerRequest);
    },
  };
}
