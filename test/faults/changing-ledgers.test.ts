// Guarantee: while events are appended, a ledger is added to the ledgers' name, leaves it with SIGTERM as in
// a scale-down, and is killed. An account's appends move to it and back. No request fails when it is added or
// drained; when it is killed, those in flight may be refused, and a retry with the same idempotency key gives
// the same event. Nothing is lost, and no chain forks. The ledgers have one port on several loopback
// addresses, which Linux has, and all services find them by one name.

import { freePort, type StackProcess } from "@annals/local";
import { eventually } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { metricOf } from "../system/metric-of.ts";
import { type DnsServer, startDns } from "../system/dns-server.ts";
import { feltBy, isRoundDue } from "./burst.ts";
import type { SentAppend } from "../system/load.ts";
import { report } from "../system/report.ts";
import { processesOf, retryFaults, startTestbed, type Testbed } from "../system/testbed.ts";

const { rounds } = inject("form").changingLedgers;
/** The last one comes and goes. */
const HOSTS = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
const STAYING = HOSTS.slice(0, -1);
const CALLERS = ["gateway", "keys", "export", "webhook-dispatcher"] as const;
/** Of each account, each with one event in flight. */
const WRITERS = 4;
/** So many appends of each account end between two questions where they went. */
const APPENDS_BETWEEN = 50;
/** Until every gateway has looked the name up and connected, on a machine that is busy. */
const MOVED_WITHIN_MS = 60_000;
const MAX_ACCOUNTS = 100;

/** An account, and all that was sent to its chain. */
interface Account extends Awaited<ReturnType<Testbed["account"]>> {
  readonly sent: SentAppend[];
}

let dns: DnsServer;
let bed: Testbed;
let changing: StackProcess;
/** One for each ledger, which stores its appends while all are there. */
let accounts: readonly Account[];
/** What the name stands for. The DNS server reads it at each question. */
const named = [...HOSTS];

beforeAll(async () => {
  dns = await startDns(named);
  const port = String(await freePort());
  const byName = {
    ANNALS_LEDGER_ADDRESS: `dns://${dns.address}/ledgers.test:${port}`,
    GRPC_NODE_USE_ALTERNATIVE_RESOLVER: "true",
  };
  bed = await startTestbed({
    replicas: { gateway: 2, keys: 2, ledger: 1 },
    env: {
      ...Object.fromEntries(CALLERS.map((caller) => [caller, byName])),
      ledger: { ANNALS_PORT: port },
    },
  });
  for (const host of HOSTS.slice(1)) await bed.stack.addReplica("ledger", { ANNALS_HOST: host });
  changing = processesOf(bed.stack, "ledger").at(-1) as StackProcess;
  accounts = await accountOfEachLedger();
});
afterAll(async () => {
  await bed?.stop();
  dns?.close();
});

/** How many groups of appends a ledger has stored; undefined while it is not there. */
const groupsOf = ({ adminUrl }: StackProcess): Promise<number | undefined> =>
  metricOf(adminUrl, "annals_append_group_size_count").catch(() => undefined);

/** The ledger that stores what each gateway appends to the chain; undefined while they choose several. */
async function ledgerOf({ load, sent }: Account): Promise<number | undefined> {
  const groups = () => Promise.all(processesOf(bed.stack, "ledger").map(groupsOf));
  const before = await groups();
  const appends = load();
  for (let n = 0; n < bed.stack.baseUrls.length; n += 1) await appends.one();
  sent.push(...appends.appends);
  const after = await groups();
  const used = HOSTS.flatMap((_, at) => (after[at] === before[at] ? [] : [at]));
  return used.length === 1 ? used[0] : undefined;
}

async function accountOfEachLedger(): Promise<readonly Account[]> {
  const found = new Map<number, Account>();
  for (let n = 0; n < MAX_ACCOUNTS && found.size < HOSTS.length; n += 1) {
    const account = { ...(await bed.account()), sent: [] };
    const ledger = await ledgerOf(account);
    if (ledger !== undefined) found.set(ledger, account);
  }
  expect(found.size).toBe(HOSTS.length);
  return [...found.values()];
}

/** Clients that append to the chains of all accounts until they are stopped. */
class Writers {
  readonly #loads = accounts.map((account) => ({ ...account, load: account.load() }));

  constructor() {
    for (const { load } of this.#loads) load.start(WRITERS);
  }

  get appends(): SentAppend[] {
    return this.#loads.flatMap(({ load }) => load.appends);
  }

  /** Resolves when more appends to every chain were stored. */
  async flowing(): Promise<void> {
    const stored = () => this.#loads.map(({ load }) => load.appends.length - feltBy(load.appends));
    const from = stored();
    await eventually(
      "appends to every chain are stored",
      () => stored().every((count, at) => count >= (from[at] ?? 0) + APPENDS_BETWEEN),
      MOVED_WITHIN_MS,
    );
  }

  /** Resolves when the ledger that comes and goes stores some of them. */
  async reach(): Promise<void> {
    const used = async () => {
      const before = await groupsOf(changing);
      await this.flowing();
      return before !== undefined && ((await groupsOf(changing)) ?? 0) > before;
    };
    await eventually("the ledger stores appends", used, MOVED_WITHIN_MS);
  }

  /** Stops, and sends again what has an idempotency key. Resolves to what is wrong with the chains then. */
  async end(): Promise<{ readonly faults: readonly string[]; readonly retries: number }> {
    await Promise.all(this.#loads.map(({ load }) => load.stop()));
    const faults: string[] = [];
    let retries = 0;
    for (const { audit, chain, load, sent } of this.#loads) {
      const before = await chain();
      const retried = await load.retryUnacknowledged();
      retries += retried.length;
      sent.push(...load.appends);
      faults.push(...retryFaults(retried, before), ...(await audit(sent)));
    }
    return { faults, retries };
  }
}

/** Why appends were not stored at their first try, without what differs from one to the next. */
const failuresOf = (appends: readonly SentAppend[]): string[] =>
  appends.flatMap(({ outcomes: [first] }) =>
    first?.stored ? [] : [first?.unanswered ?? first?.refused?.text ?? "never sent"],
  );

async function add(): Promise<void> {
  changing.start();
  await changing.waitReady();
  named.splice(0, Infinity, ...HOSTS);
}

/** It gets its SIGTERM when the name loses its address, before a caller knows of either, as in Kubernetes. */
async function drain(): Promise<void> {
  named.splice(0, Infinity, ...STAYING);
  await changing.stop();
}

test(`a ledger is added and drained under load, ${rounds} times`, async () => {
  await drain();
  const writers = new Writers();
  for (let round = 0; round < rounds; round += 1) {
    await writers.flowing();
    await add();
    await writers.reach();
    await drain();
  }
  await writers.flowing();
  const { appends } = writers;
  const { faults, retries } = await writers.end();
  expect(faults).toStrictEqual([]);
  expect(failuresOf(appends)).toStrictEqual([]);
  report({ rounds, appends: appends.length, failed: 0, retries });
});

test(`a ledger is killed under load, ${rounds} times, which fails requests`, async () => {
  await add();
  const writers = new Writers();
  let kills = 0;
  for (; isRoundDue(kills, rounds, writers.appends); kills += 1) {
    await writers.reach();
    expect(changing.kill("SIGKILL")).toBe(true);
    await changing.exited();
    await writers.flowing();
    await changing.waitReady();
  }
  await writers.reach();
  const { appends } = writers;
  const { faults, retries } = await writers.end();
  expect(faults).toStrictEqual([]);
  const first = appends.map(({ outcomes }) => outcomes[0]);
  // No connection of a client ends with a ledger.
  expect(first.filter((outcome) => outcome?.unanswered !== undefined)).toStrictEqual([]);
  const unacknowledged = feltBy(appends);
  // The test above would see a drain that fails requests.
  expect(unacknowledged).toBeGreaterThan(0);
  report({ kills, appends: appends.length, unacknowledged, retries });
});
