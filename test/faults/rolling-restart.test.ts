// Guarantee: a rolling restart of every process of every service (SIGTERM, wait until it is ready, the next)
// under mixed reads and appends fails no request and loses nothing. The client is a load balancer's
// stand-in: balancer.ts says exactly what it does.

import { eventually } from "@annals/testing";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Balancer } from "./balancer.ts";
import { isAcknowledged, Load } from "../system/load.ts";
import { report } from "../system/report.ts";
import { processesOf, REPLICAS, startTestbed, type Testbed } from "../system/testbed.ts";

const { requestsPerS, rounds } = inject("form").rollingRestart;
const TICK_MS = 10;
/** Of the control: a kill at a moment without a request in flight fails none. */
const MAX_KILLS = 40;
/** Of each service that is read from. */
const READS = [
  "/v1/events/{id}",
  "/v1/events?limit=10",
  "/v1/events?actor_type=service&limit=10",
  "/v1/webhooks",
  "/v1/exports",
];

let bed: Testbed;
let balancer: Balancer;

beforeAll(async () => {
  bed = await startTestbed({
    replicas: { ...REPLICAS, export: 2, "webhook-dispatcher": 2 },
    // As operators are told to: more than the balancer needs to notice, on a machine that is short of CPU.
    env: { gateway: { ANNALS_SHUTDOWN_DELAY_S: "5" } },
  });
  const gateways = bed.stack.processes.filter(({ service }) => service === "gateway");
  balancer = new Balancer(gateways, bed.key);
});
afterAll(async () => {
  balancer?.close();
  await bed?.stop();
});

/** Half appends, half reads of every service, at a steady rate however long the answers take. */
class MixedLoad {
  readonly appends: Load;
  /** What failed, while what was restarted, how often. */
  readonly failures: Record<string, number> = {};
  restarting = "nothing";
  reads = 0;
  readonly #underWay = new Set<Promise<void>>();
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #lastId = "";

  constructor() {
    this.appends = new Load({ clients: [balancer] });
    this.#timer = setInterval(() => this.#sendDue(), TICK_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }

  #sendDue(): void {
    const due = ((performance.now() - this.#started) / 1_000) * requestsPerS;
    for (; this.#sent < due; this.#sent += 1) {
      const one = this.#one(this.#sent).finally(() => this.#underWay.delete(one));
      this.#underWay.add(one);
    }
  }

  async #one(n: number): Promise<void> {
    if (n % 2 === 0 || this.#lastId === "") {
      const { stored, refused, unanswered } = await this.appends.one();
      if (stored) this.#lastId = stored.id;
      else this.#failed("POST /v1/events", refused?.body?.error?.message ?? unanswered);
      return;
    }
    this.reads += 1;
    const path = READS[((n - 1) / 2) % READS.length] ?? "";
    try {
      const { status, body } = await balancer.get(path.replace("{id}", this.#lastId));
      if (status !== 200) this.#failed(`GET ${path}`, body?.error?.message);
    } catch (error) {
      this.#failed(`GET ${path}`, String(error));
    }
  }

  #failed(what: string, why: string | undefined): void {
    const failure = `${what} while ${this.restarting} was restarted: ${why?.replace(/req_\w+/, "")}`;
    this.failures[failure] = (this.failures[failure] ?? 0) + 1;
  }
}

test(`${rounds} rolling restarts of every service at ${requestsPerS} requests a second`, async () => {
  const restarted = bed.stack.processes.filter(({ adminUrl }) => adminUrl !== undefined);
  let pids = restarted.map((one) => one.pid());
  const load = new MixedLoad();
  for (let round = 0; round < rounds; round += 1) {
    for (const one of restarted) {
      load.restarting = `${one.service} ${one.index}`;
      expect(one.kill("SIGTERM")).toBe(true);
      await one.exited();
      await one.waitReady();
      // Like a deployment, the roll goes on when the balancer uses what was restarted.
      if (one.baseUrl !== undefined) {
        await eventually("the gateway gets requests", () => balancer.isReady(one));
      }
      // This one is another process, and all others are the same.
      const now = restarted.map((each) => each.pid());
      expect(restarted.filter((_, at) => now[at] !== pids[at])).toStrictEqual([one]);
      pids = now;
    }
  }
  await load.stop();
  const { appends } = load.appends;
  // The message of a failure shows a text whole, and of an object only how many members it has.
  expect(JSON.stringify(load.failures, null, 2)).toBe("{}");
  expect(await bed.audit(appends)).toStrictEqual([]);
  report({
    restarts: restarted.length * rounds,
    requests: load.reads + appends.length,
    appends: appends.length,
    failed: 0,
    "connections refused and sent elsewhere": balancer.refusedConnections,
  });
});

test("control: processes that are killed instead fail requests, and the test finds it", async () => {
  const load = new MixedLoad();
  const victims = processesOf(bed.stack, "gateway").slice(0, 1);
  victims.push(...processesOf(bed.stack, "ledger"));
  const hasFailed = () => Object.keys(load.failures).length > 0;
  await eventually("requests are answered", () => load.appends.appends.some(isAcknowledged));
  for (let kills = 0; kills < MAX_KILLS && !hasFailed(); kills += 1) {
    const one = victims[kills % victims.length];
    load.restarting = one?.service ?? "nothing";
    expect(one?.kill("SIGKILL")).toBe(true);
    await one?.exited();
    await one?.waitReady();
  }
  await load.stop();
  expect(Object.keys(load.failures)).not.toStrictEqual([]);
});
