// Guarantees of a failover between two PostgreSQL servers, under appends of several accounts. With
// synchronous replication every acknowledged event is on the new primary, chains verify, webhooks and exports
// go on, no service restarts; also where the former primary lives on unreachable, or comes back. While the
// standby is away, appends are refused within their deadline and reads are served. With asynchronous
// replication events are missing, and both the consistency check and `check-heads` say so.

import { eventually } from "@annals/testing";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { beginLoads, flowing, storedOf } from "../system/flowing-loads.ts";
import type { Load } from "../system/load.ts";
import { runVerb } from "../system/operator.ts";
import { PostgresPair, type Server } from "./postgres-pair.ts";
import { report } from "../system/report.ts";
import {
  allAttempted,
  allServing,
  retryFaults,
  startTestbed,
  type Testbed,
} from "../system/testbed.ts";

const { awayMs, rounds } = inject("form").failover;
const ACCOUNTS = 3;
const WRITERS = 8;
/** The services time out a second after it: what is silent is noticed then. */
const STATEMENT_TIMEOUT_MS = 2_000;
/** Of a request that meets a connection without an answer, once for admission and once for the append. */
const REFUSED_WITHIN_MS = 2 * (STATEMENT_TIMEOUT_MS + 1_000) + 4_000;
/** From the promotion to the first append that is stored. */
const STORES_WITHIN_MS = { killed: 5_000, silent: REFUSED_WITHIN_MS };
const WELL_WITHIN_MS = 30_000;

let pair: PostgresPair;
let bed: Testbed;

beforeAll(async () => {
  pair = await PostgresPair.start();
  bed = await startTestbed({
    databaseUrl: pair.directUrl,
    env: {
      every: {
        ANNALS_DATABASE_URL: pair.serviceUrl,
        ANNALS_DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
      },
    },
  });
});
afterAll(async () => {
  await bed?.stop();
  await pair?.stop();
});

type Account = Awaited<ReturnType<Testbed["account"]>>;
const accounts = (): Promise<Account[]> =>
  Promise.all(Array.from({ length: ACCOUNTS }, () => bed.account()));

const begin = (of: readonly Account[]) =>
  beginLoads(of, { withinMs: WELL_WITHIN_MS, writers: WRITERS });

/** Every promise of the consistency check, for every account. Resolves to what is to be reported. */
async function inOrder(of: readonly Account[], loads: readonly Load[]) {
  let retries = 0;
  for (const [at, account] of of.entries()) {
    const load = loads[at]!;
    const before = await account.chain();
    const retried = await load.retryUnacknowledged();
    expect(retryFaults(retried, before)).toStrictEqual([]);
    expect(await account.audit(load.appends)).toStrictEqual([]);
    retries += retried.length;
  }
  const first = loads.flatMap(({ appends }) => appends.map(({ outcomes }) => outcomes[0]));
  const refused = first.filter((outcome) => outcome?.stored === undefined).length;
  return { appends: first.length, refused, retries };
}

const services = () => bed.stack.processes.filter(({ adminUrl }) => adminUrl !== undefined);

/** What services other than the ledger hold, made before a failover; `check` is called after it. */
async function heldByOthers(account: Account) {
  const [http] = account.clients;
  if (http === undefined) throw new Error("the system has no gateway");
  const webhook = { url: "https://receiver.invalid/", events: ["event.created"] };
  expect((await http.post("/v1/webhooks", webhook)).status).toBe(201);
  const [kept, revoked] = await Promise.all(
    ["kept", "revoked"].map(async (name) => (await http.post("/v1/api-keys", { name })).body.data),
  );
  const started = (await http.post("/v1/exports", {})).body.data.id;
  expect((await http.delete(`/v1/api-keys/${revoked.id}`)).status).toBeLessThan(300);
  const statusWith = async (key: string) => (await http.as(key).get("/v1/events?limit=1")).status;
  return async () => {
    expect([await statusWith(kept.key), await statusWith(revoked.key)]).toStrictEqual([200, 401]);
    await eventually(
      "an export of before is completed",
      async () => (await http.get(`/v1/exports/${started}`)).body.data.status === "completed",
      WELL_WITHIN_MS,
    );
    await eventually(
      "webhooks are sent",
      () => allAttempted(bed.owner, account.accountId),
      WELL_WITHIN_MS,
    );
  };
}

/** Sessions of the services on a server that began at a time or later. */
async function sessionsOn({ owner }: Server, since = new Date(0)): Promise<number> {
  const rows = await owner.query(
    `SELECT pid FROM pg_stat_activity
     WHERE application_name LIKE 'annals-%' AND backend_start >= $1::timestamptz`,
    [since.toISOString()],
  );
  return rows.length;
}

describe("synchronous replication", () => {
  const kinds = Array.from({ length: rounds }, () => ["killed", "silent"] as const).flat();

  test.each(kinds)("the primary is %s, and the standby is promoted", async (kind) => {
    const pids = services().map((one) => one.pid());
    const all = await accounts();
    const checkOthers = await heldByOthers(all[0]!);
    const loads = await begin(all);
    await pair.follow();
    await pair.synchronous();
    await flowing(loads, WELL_WITHIN_MS);
    if (kind === "killed") await pair.kill();
    else
      await Promise.all([pair.service.inject("swallowed"), pair.replication!.inject("swallowed")]);
    const former = await pair.promote({ isSilent: kind === "silent" });
    const promotedAt = performance.now();
    const movedAt = new Date();
    await flowing(loads, WELL_WITHIN_MS);
    for (const load of loads) await load.stop();
    const storedAt = loads.flatMap((load) =>
      storedOf(load)
        .map(({ sentAt, tookMs }) => sentAt + tookMs)
        .filter((at) => at > promotedAt),
    );
    await allServing(bed.stack);
    const figures = await inOrder(all, loads);
    await checkOthers();
    expect(services().map((one) => one.pid())).toStrictEqual(pids);
    // Otherwise nothing was felt.
    expect(figures.refused).toBeGreaterThan(0);
    const storesAfterMs = Math.min(...storedAt) - promotedAt;
    expect(storesAfterMs).toBeLessThan(STORES_WITHIN_MS[kind]);
    // As it was, it takes writes for a primary. No service comes to it.
    const back = kind === "killed" ? await pair.revive(former) : former;
    const [row] = await back.owner.query("SELECT pg_is_in_recovery() AS is");
    expect(row?.["is"]).toBe(false);
    await allServing(bed.stack);
    expect(await sessionsOn(back, movedAt)).toBe(0);
    expect(await sessionsOn(pair.primary, movedAt)).toBeGreaterThan(0);
    report({ "stores after ms": storesAfterMs, ...figures });
  });

  test(`the standby is away for ${awayMs / 1_000} s: appends are refused in time, reads are served`, async () => {
    const all = await accounts();
    await pair.follow();
    await pair.synchronous();
    const loads = await begin(all);
    await pair.replication!.inject("cut");
    // Also where the test fails: what comes after it would wait for the standby.
    onTestFinished(() => pair.replication!.heal());
    const cutAt = performance.now();
    const meanwhileOf = ({ appends }: Load) =>
      appends.flatMap(({ outcomes }) => outcomes.filter(({ sentAt }) => sentAt > cutAt));
    const read = () => all[0]!.clients[0]!.get("/v1/events?limit=1");
    const reads: unknown[] = [];
    await eventually(
      "an append of each account that was sent after the cut is over",
      async () => {
        reads.push(await read().then(({ status }) => status, String));
        const isLongAway = performance.now() > cutAt + STATEMENT_TIMEOUT_MS + awayMs;
        return isLongAway && loads.every((load) => meanwhileOf(load).length > 0);
      },
      awayMs + WELL_WITHIN_MS,
    );
    const sessions = await sessionsOn(pair.primary);
    const meanwhile = loads.flatMap(meanwhileOf);
    await pair.replication!.heal();
    await flowing(loads, WELL_WITHIN_MS);
    for (const load of loads) await load.stop();
    expect(meanwhile.filter(({ refused }) => refused === undefined)).toStrictEqual([]);
    const slowestMs = Math.max(...meanwhile.map(({ tookMs }) => tookMs));
    expect(slowestMs).toBeLessThan(REFUSED_WITHIN_MS);
    expect(new Set(reads)).toStrictEqual(new Set([200]));
    await allServing(bed.stack);
    const figures = await inOrder(all, loads);
    report({ "slowest refusal ms": slowestMs, reads: reads.length, sessions, ...figures });
  });
});

test("control: with asynchronous replication a standby that is behind lacks acknowledged events, and both checks say so", async () => {
  const all = await accounts();
  await pair.primary.owner.query("ALTER SYSTEM RESET synchronous_standby_names");
  await pair.primary.owner.query("SELECT pg_reload_conf()");
  await pair.follow();
  const loads = await begin(all);
  await pair.replication!.inject("swallowed");
  await flowing(loads, WELL_WITHIN_MS);
  for (const load of loads) await load.stop();
  const heads = join(bed.stack.dataDir, "heads.jsonl");
  const keeping = { databaseUrl: pair.primary.stack.databaseUrl };
  await writeFile(heads, (await runVerb(keeping, "ledger", "heads")).stdout);
  await pair.kill();
  await pair.promote();
  await allServing(bed.stack);
  const faults = await all[0]!.audit(loads[0]!.appends);
  expect(faults.join("; ")).toContain("acknowledged and lost");
  const { databaseUrl } = pair.primary.stack;
  const { status, stdout } = await runVerb(
    { databaseUrl },
    "ledger",
    "check-heads",
    "--file",
    heads,
  );
  expect(status).toBe(1);
  for (const { accountId } of all) expect(stdout).toContain(`${accountId} went back`);
});
