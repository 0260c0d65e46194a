// What an installation costs while nobody uses it: CPU time, transactions and wake-ups, with one account and
// with a thousand that have an event each. Called by main.ts before there is load.

import { newAccount } from "@annals/testing";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { singles, smallEvents } from "../bodies.ts";
import { costText, preciseSeconds, withCost } from "../cpu.ts";
import { httpLoad } from "../http-load.ts";
import { openSql } from "../sql.ts";
import type { Bench, Result, Section } from "./bench.ts";

const ACCOUNTS = 1_000;
const AT_ONCE = 50;
const MS_PER_S = 1_000;
const US_PER_MS = 1_000;
const S_PER_MINUTE = 60;

export async function measureRest(bench: Bench): Promise<Section> {
  const alone = await atRest(bench, "one account");
  await firstEvents(bench);
  const many = await atRest(bench, `${ACCOUNTS.toLocaleString("en")} accounts`);
  return {
    title: "At rest",
    about:
      "Nobody sends a request. CPU time and wake-ups are of a second, transactions of a minute. Wake-ups " +
      "are those of the main threads. Each measurement begins when trees, index and epochs of the accounts " +
      "have had their time.",
    heads: ["CPU", "transactions", "wake-ups"],
    costOf: "a second",
    results: [alone, many],
  };
}

async function atRest(
  { databaseUrl, options, processes, say }: Bench,
  what: string,
): Promise<Result> {
  say(`at rest, ${what}`);
  await pause(options.restSettleMs);
  const read = async () => ({
    ended: await transactions(databaseUrl),
    wakeUps: await Promise.all(processes.map((one) => wakeUps(one.pid() ?? 0))),
  });
  const work = async () => {
    const [before, begun] = [await read(), performance.now()];
    await pause(options.restMs);
    const [after, seconds] = [await read(), (performance.now() - begun) / MS_PER_S];
    const perMinute = ((after.ended - before.ended) / seconds) * S_PER_MINUTE;
    const woken = processes.map(({ service }, at) => {
      const times = (after.wakeUps[at] ?? 0) - (before.wakeUps[at] ?? 0);
      return `${service} ${(times / seconds).toFixed(0)}`;
    });
    // What costs is a second, and no event.
    return { events: seconds, perMinute, woken };
  };
  const { perMinute, woken, ...cost } = await withCost(processes, work, preciseSeconds);
  return {
    what,
    figure: `${(cost.cpuUs / US_PER_MS).toFixed(1)} ms`,
    p50: perMinute.toFixed(0),
    p99: woken.join(", "),
    cost: costText([cost]),
  };
}

/** An event in each of many accounts. */
async function firstEvents({ baseUrl, databaseUrl }: Bench): Promise<void> {
  const keys: string[] = [];
  for (let i = 0; i < ACCOUNTS; i++) keys.push((await newAccount(databaseUrl)).key);
  for (let at = 0; at < ACCOUNTS; at += AT_ONCE) {
    const some = keys.slice(at, at + AT_ONCE);
    await httpLoad({
      baseUrl,
      method: "POST",
      paths: ["/v1/events"],
      bodies: singles(smallEvents()),
      keys: some,
      connections: some.length,
      warmUpMs: 0,
      measureMs: S_PER_MINUTE * MS_PER_S,
      maxRequests: some.length,
      status: 201,
    });
  }
}

/** Those of the database of the services, which its own reading adds one or two to. */
async function transactions(databaseUrl: string): Promise<number> {
  const sql = await openSql(databaseUrl);
  try {
    const [row] = await sql.rows<{ readonly ended: string }>(
      "SELECT xact_commit + xact_rollback AS ended FROM pg_stat_database WHERE datname = current_database()",
    );
    return Number(row?.ended);
  } finally {
    await sql.close();
  }
}

/** How often the main thread of a process has begun to wait. */
async function wakeUps(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/task/${pid}/status`, "utf8").catch(() => "");
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
}
