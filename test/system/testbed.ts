// What the tests of this folder stand on: a whole system of several replicas, an account of its own, a
// client of each gateway, the owner's eye on the tables. Each file starts one and stops it.

import type { ServiceName, Stack, StackProcess } from "@annals/local";
import { eventually, HttpClient, newAccount, ownerOf } from "@annals/testing";
import { Agent } from "node:http";
import { inject } from "vitest";
import { type ConstellationOptions, startConstellation } from "./constellation.ts";
import { audit, type ChainEvent, readChain } from "./consistency.ts";
import { Load, type LoadOptions, type SentAppend } from "./load.ts";

/** Of what every append goes through. */
export const REPLICAS = { gateway: 2, keys: 2, ledger: inject("form").ledgers };
const RATE_LIMIT_PER_MINUTE = 100_000_000;

/** How long a test waits until everything is served again before it fails. */
const SERVING_WITHIN_MS = 60_000;

export type Testbed = Awaited<ReturnType<typeof startTestbed>>;

/** A system, by default with `REPLICAS`, and one account. */
export async function startTestbed(options: ConstellationOptions = {}) {
  const stack = await startConstellation({
    replicas: REPLICAS,
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    ...options,
  });
  const owner = ownerOf(stack.databaseUrl);
  const chains: { readonly close: () => void }[] = [];
  const stop = async () => {
    for (const chain of chains) chain.close();
    await owner.close();
    await stack.stop();
  };
  /** One more account, with clients of its own. */
  const account = async () => {
    const chain = await newChain(stack, owner);
    chains.push(chain);
    return chain;
  };
  try {
    return { stack, owner, account, ...(await account()), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Gateways send an account to one ledger. These know one ledger each, as gateways may while DNS changes: with
 * them all ledgers append to each chain at the same time.
 */
export async function addGatewayOfEachLedger(stack: Stack): Promise<void> {
  for (const { rpcAddress } of processesOf(stack, "ledger"))
    await stack.addReplica("gateway", { ANNALS_LEDGER_ADDRESS: `ipv4:${rpcAddress}` });
}

/** Whether every event of the account is in a delivery that was attempted. */
export async function allAttempted(
  owner: ReturnType<typeof ownerOf>,
  accountId: string,
): Promise<boolean> {
  const [row] = await owner.query<{ events: string; attempted: string }>(
    `SELECT (SELECT count(*) FROM ledger.events WHERE account_id = $1) AS events,
       (SELECT count(*) FROM webhooks.deliveries WHERE account_id = $1 AND attempts > 0) AS attempted`,
    [accountId],
  );
  return row?.events === row?.attempted;
}

/** An account, with a client of each gateway, and what can be done to its chain. */
export async function newChain(stack: Stack, owner: ReturnType<typeof ownerOf>) {
  const { accountId, key } = await newAccount(stack.databaseUrl);
  const clients = stack.baseUrls.map(
    (baseUrl) => new HttpClient(baseUrl, key, new Agent({ keepAlive: true })),
  );
  const http = clients[0];
  if (http === undefined) throw new Error("the system has no gateway");
  const audited = { accountId, owner, http };
  let listedTo = 0;
  return {
    accountId,
    key,
    clients,
    load: (load: Partial<LoadOptions> = {}) => new Load({ clients, ...load }),
    chain: (): Promise<ChainEvent[]> => readChain(audited),
    /** Of the whole chain, against all that was ever sent to it. */
    audit: async (appends: readonly SentAppend[]) => {
      const [last] = (await readChain(audited)).slice(-1);
      const faults = await audit({ ...audited, listedTo }, appends);
      listedTo = last?.sequence ?? 0;
      return faults;
    },
    close: () => clients.forEach((client) => client.close()),
  };
}

/** The processes of a service, in order. */
export function processesOf(
  stack: Stack,
  service: ServiceName | "postgres" | "nats",
): StackProcess[] {
  return stack.processes.filter((one) => one.service === service);
}

/** Resolves when every gateway stores an event, `inARow` times, of any chain but the audited ones. */
export async function allServing(stack: Stack, inARow = 4): Promise<void> {
  const { key } = await eventually(
    "PostgreSQL answers",
    () => newAccount(stack.databaseUrl),
    SERVING_WITHIN_MS,
  );
  await Promise.all(
    stack.baseUrls.map(async (baseUrl) => {
      const client = new HttpClient(baseUrl, key);
      let stored = 0;
      await eventually(
        `${baseUrl} stores again`,
        async () => {
          const answer = await client.post("/v1/events", { action: "all.well" }).catch(() => {});
          stored = answer?.status === 201 ? stored + 1 : 0;
          return stored >= inARow;
        },
        SERVING_WITHIN_MS,
      );
      client.close();
    }),
  );
}

/** For the controls: from now on PostgreSQL answers before a commit is on the disk, and for 10 s after. */
export async function answerBeforeDurable({ owner }: Pick<Testbed, "owner">): Promise<void> {
  await owner.query("ALTER SYSTEM SET synchronous_commit = off");
  await owner.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
  await owner.query("SELECT pg_reload_conf()");
  await eventually("the setting is in force", async () => {
    const [row] = await owner.query("SHOW synchronous_commit");
    return row?.["synchronous_commit"] === "off";
  });
}

/**
 * What a retry with the same idempotency key did, against what was there before it: sentences, none when
 * each of what was stored came back as a replay.
 */
export function retryFaults(
  retried: readonly SentAppend[],
  before: readonly ChainEvent[],
): readonly string[] {
  const there = new Set(before.map(({ marker }) => marker));
  const anew = retried.filter(
    ({ marker, outcomes }) => there.has(marker) && outcomes.at(-1)?.stored?.isReplay !== true,
  );
  return anew.map(({ marker }) => `${marker} was there, and its retry was no replay`);
}
