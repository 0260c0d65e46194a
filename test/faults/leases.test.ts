// Guarantee: no request that begins after the response to the DELETE of its key is admitted, by any of three
// gateways under load: also if a gateway was stopped for a second, if its clock is set back, and if keys dies
// between commit and answer. The limit of a key is never exceeded.

import type { StackProcess } from "@annals/local";
import { eventually, HttpClient, newAccount, newKey, type TestAccount } from "@annals/testing";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { metricOf } from "../system/metric-of.ts";
import { report } from "../system/report.ts";
import { processesOf, startTestbed, type Testbed } from "../system/testbed.ts";

const { rounds } = inject("form").leases;
const GATEWAYS = 3;
/** Clients of each gateway, each with a request at a time. */
const CLIENTS = 3;
const LIMIT = 4_096;
const PART_OF_LIMIT = 32;
/** Admitted before the key is revoked, and begun after it. */
const BEFORE = 300;
const AFTER = 60;
const STOPPED_MS = 1_000;
/** Less than what makes a gateway admit nothing. */
const SET_BACK_S = -4;
/** Between two requests of a client, so that no key reaches its limit before it is revoked. */
const PACE_MS = 10;
/** 404 shows that the key was admitted. */
const PATH = "/v1/events/evt_none";
const PRELOAD = join(import.meta.dirname, "../system/moved-clock.mjs");

let bed: Testbed;
let folder: string;
let account: TestAccount;
let managers: HttpClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-leases-"));
  bed = await startTestbed({
    replicas: { gateway: GATEWAYS, keys: 2 },
    rateLimitPerMinute: LIMIT,
    without: ["nats", "export", "webhook-dispatcher"],
    env: { gateway: { NODE_OPTIONS: `--import ${PRELOAD}`, TEST_CLOCKS: folder } },
  });
  account = await newAccount(bed.stack.databaseUrl);
  managers = bed.stack.baseUrls.map((baseUrl) => new HttpClient(baseUrl, account.key));
});
afterAll(async () => {
  for (const manager of managers) manager.close();
  await bed?.stop();
  await rm(folder, { recursive: true });
});

interface Use {
  readonly beganMs: number;
  status: number;
}

/** A key in steady use over all gateways, with what became of each request. */
class Traffic {
  readonly uses: Use[] = [];
  readonly #clients: readonly HttpClient[];
  readonly #loops: Promise<void>[];
  #isOver = false;

  constructor(key: string, paceMs = PACE_MS) {
    this.#clients = bed.stack.baseUrls
      .slice(0, GATEWAYS)
      .flatMap((baseUrl) =>
        Array.from(
          { length: CLIENTS },
          () => new HttpClient(baseUrl, key, new Agent({ keepAlive: true })),
        ),
      );
    this.#loops = this.#clients.map((client) => this.#loop(client, paceMs));
  }

  async #loop(client: HttpClient, paceMs: number): Promise<void> {
    while (!this.#isOver) {
      const use = { beganMs: performance.now(), status: 0 };
      this.uses.push(use);
      use.status = await client.get(PATH).then(
        ({ status }) => status,
        () => -1,
      );
      await pause(paceMs);
    }
  }

  admitted = (): number => this.uses.filter(({ status }) => status === 404).length;

  since = (ms: number): Use[] => this.uses.filter(({ beganMs }) => beganMs > ms);

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
    for (const client of this.#clients) client.close();
  }
}

/**
 * Uses a key, revokes it as `revoke` does, which resolves at the response, and goes on. The statuses of the
 * requests that began after that.
 */
async function revokedInUse(
  revoke: (key: TestAccount, traffic: Traffic) => Promise<void>,
): Promise<number[]> {
  const key = await newKey(bed.stack.databaseUrl, account.accountId);
  const traffic = new Traffic(key.key);
  onTestFinished(() => traffic.stop());
  await eventually("the key is in use", () => traffic.admitted() >= BEFORE);
  await revoke(key, traffic);
  const answeredMs = performance.now();
  const answered = () => traffic.since(answeredMs).filter(({ status }) => status !== 0);
  await eventually("it is used after that", () => answered().length >= AFTER);
  await traffic.stop();
  return traffic.since(answeredMs).map(({ status }) => status);
}

const deleted = async ({ keyId }: TestAccount, at = 0): Promise<number | undefined> =>
  (await managers[at]?.delete(`/v1/api-keys/${keyId}`))?.status;

const isCommitted = async ({ keyId }: TestAccount): Promise<boolean> => {
  const text = "SELECT FROM keys.api_keys WHERE id = $1 AND revoked_at IS NOT NULL";
  return (await bed.owner.query(text, [keyId])).length > 0;
};

/** Calls of keys by all gateways. */
async function asked(): Promise<number> {
  const name = "annals_batcher_group_size_count";
  const counts = processesOf(bed.stack, "gateway").map(({ adminUrl }) =>
    metricOf(adminUrl, name, 'batcher="admissions"'),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** A manager's window ends, so that it can revoke in any number of rounds. */
const endWindow = () =>
  bed.owner.query("DELETE FROM keys.rate_windows WHERE key_id = $1", [account.keyId]);

test(`of ${rounds} keys that are revoked in use, none is admitted after the response`, async () => {
  const late: number[] = [];
  let [requests, calls] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    await endWindow();
    const before = await asked();
    const statuses = await revokedInUse(async (key, traffic) => {
      calls += (await asked()) - before;
      requests += traffic.admitted();
      expect(await deleted(key, round % GATEWAYS)).toBe(204);
    });
    late.push(...statuses.filter((status) => status !== 401));
  }
  expect(late).toEqual([]);
  // Keys was asked for few of them: most were admitted by leases.
  expect(calls).toBeLessThan(requests / 3);
  report({ rounds, requests, calls });
});

test("control: after a revocation that does not wait for the leases, requests are admitted", async () => {
  const admitted = await eventually("a request is admitted", async () => {
    const statuses = await revokedInUse(async ({ keyId }) => {
      const text =
        "UPDATE keys.api_keys SET revoked_at = '2026-01-01T00:00:00.000000Z' WHERE id = $1";
      await bed.owner.query(text, [keyId]);
    });
    return statuses.filter((status) => status === 404).length || undefined;
  });
  expect(admitted).toBeGreaterThan(0);
});

test("nor by a gateway that was stopped for a second meanwhile", async () => {
  const [, stopped] = processesOf(bed.stack, "gateway");
  if (!stopped) throw new Error("there are no two gateways");
  const late: Promise<number>[] = [];
  const statuses = await revokedInUse(async (key) => {
    expect(stopped.kill("SIGSTOP")).toBe(true);
    try {
      expect(await deleted(key)).toBe(204);
      // They wait in its sockets until it goes on.
      const clients = Array.from(
        { length: 20 },
        () => new HttpClient(stopped.baseUrl ?? "", key.key),
      );
      late.push(...clients.map(async (client) => (await client.get(PATH)).status));
      await pause(STOPPED_MS);
    } finally {
      stopped.kill("SIGCONT");
    }
  });
  expect(new Set([...statuses, ...(await Promise.all(late))])).toEqual(new Set([401]));
});

test("nor by a gateway whose clock was set back", async () => {
  const [moved] = processesOf(bed.stack, "gateway");
  const statuses = await revokedInUse(async (key) => {
    await moveClock(moved, SET_BACK_S);
    expect(await deleted(key, 1)).toBe(204);
  });
  await rm(join(folder, portOf(moved)));
  expect(new Set(statuses)).toEqual(new Set([401]));
});

const portOf = (process: StackProcess | undefined) => new URL(process?.adminUrl ?? "").port;

async function moveClock(process: StackProcess | undefined, seconds: number): Promise<void> {
  await writeFile(join(folder, "new"), String(seconds));
  await rename(join(folder, "new"), join(folder, portOf(process)));
  await eventually("the clock has moved", async () => {
    const offset = await metricOf(process?.adminUrl, "annals_clock_offset_seconds");
    return offset < SET_BACK_S / 2;
  });
}

test("nor after keys has died between commit and answer: its 404 waits as its 204 does", async () => {
  const [dying, other] = processesOf(bed.stack, "keys");
  if (!dying || !other) throw new Error("there are no two keys services");
  const through = async ({ rpcAddress }: StackProcess) => {
    const env = { ANNALS_KEYS_ADDRESS: `ipv4:${rpcAddress}` };
    const { baseUrl = "" } = await bed.stack.addReplica("gateway", env);
    return new HttpClient(baseUrl, account.key);
  };
  const [toDying, toOther] = [await through(dying), await through(other)];
  await endWindow();
  const statuses = await revokedInUse(async (key) => {
    const path = `/v1/api-keys/${key.keyId}`;
    const first = toDying.delete(path);
    await eventually("it is committed", () => isCommitted(key));
    expect(dying.kill("SIGKILL")).toBe(true);
    const [again, { status }] = await Promise.all([toOther.delete(path), first]);
    // On a slow machine the first one is answered before its service dies.
    expect([204, 500]).toContain(status);
    expect(again.status).toBe(404);
  });
  toDying.close();
  toOther.close();
  // While a keys service is away, some requests fail.
  expect(statuses.filter((status) => status !== 401 && status !== 500)).toEqual([]);
});

test("three gateways admit no more than the limit, and lack at most what they have counted ahead", async () => {
  const { key, keyId } = await newKey(bed.stack.databaseUrl, account.accountId);
  const traffic = new Traffic(key, 0);
  onTestFinished(() => traffic.stop());
  const refused = () => traffic.uses.filter(({ status }) => status === 429).length;
  await eventually("the limit is reached", () => refused() > 500, 60_000);
  await traffic.stop();
  const [window] = await bed.owner.query<{ used: number; is_open: boolean }>(
    `SELECT used, started_at > clock_timestamp() - interval '60 seconds' AS is_open
     FROM keys.rate_windows WHERE key_id = $1`,
    [keyId],
  );
  expect(window).toEqual({ used: LIMIT, is_open: true });
  expect(traffic.admitted()).toBeLessThanOrEqual(LIMIT);
  expect(traffic.admitted()).toBeGreaterThanOrEqual(LIMIT * (1 - GATEWAYS / PART_OF_LIMIT));
  report({ admitted: traffic.admitted(), limit: LIMIT });
});
