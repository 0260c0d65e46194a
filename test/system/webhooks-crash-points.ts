// Kills of ledger and dispatcher at points that have a name, from outside: the products know nothing of it.
// Between each of them and PostgreSQL and NATS lies a tapped wire that shows when a point is reached; the
// POST is seen by its receiver. Called by webhooks-crash-points.test.ts and, in its full form, by the suite
// of faults.

import type { Stack, StackProcess } from "@annals/local";
import type { SharedStack, Subscriber } from "@annals/testing";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { startConstellation } from "./constellation.ts";
import { startWebhookSystem, type WebhookSystem } from "./webhook-constellation.ts";
import {
  expectNothingMissing,
  KILLED_DISPATCHER,
  postAll,
  type Posted,
  repeats,
  threeWebhooks,
} from "./webhooks-load.ts";
import { type Moment, type TappedWire, tapWire } from "./webhooks-tapped-wire.ts";

/** `ReadyForQuery`, with no transaction open (PostgreSQL 18, chapter 54): what was asked is committed. */
const COMMITTED = "Z\0\0\0\u0005I";
const bound = (statement: string): string => `\0${statement}\0`;
const NOTICE = "PUB annals.notices.events ";

type Wire = "ledger database" | "ledger notices" | "dispatcher database";

/** Where the killed process talks, and when; or what its receiver has done. */
const NAMED_POINTS = {
  "after commit": [
    "ledger database",
    { asked: bound("ledger.append-events"), answered: COMMITTED },
  ],
  "before publish": ["ledger notices", { asked: NOTICE }],
  "after publish": ["ledger notices", { asked: NOTICE, answered: `"stream":"ANNALS_NOTICES"` }],
  "before fan-out": ["dispatcher database", { asked: bound("webhooks.create-deliveries") }],
  "after fan-out": [
    "dispatcher database",
    { asked: bound("webhooks.create-deliveries"), answered: COMMITTED },
  ],
  "after POST": ["receiver", "answered"],
  "in POST": ["receiver", "unanswered"],
  "before result": ["dispatcher database", { asked: bound("webhooks.record-results") }],
  "after result": [
    "dispatcher database",
    { asked: bound("webhooks.record-results"), answered: COMMITTED },
  ],
} as const satisfies Record<string, readonly [Wire, Moment] | readonly ["receiver", string]>;

type NamedPoint = keyof typeof NAMED_POINTS;
export const POINTS = Object.keys(NAMED_POINTS) as NamedPoint[];

/** Under load each point is reached within milliseconds, by a process that is ready. */
const REACHED_MS = 30_000;
const READY_MS = 60_000;
/** Between a process's readiness and its next death. */
const MAX_LIFE_MS = 200;

export class PointedSystem {
  readonly system: WebhookSystem;
  readonly #servers: Stack;
  readonly #wires: Readonly<Record<Wire, TappedWire>>;

  private constructor(
    system: WebhookSystem,
    servers: Stack,
    wires: Readonly<Record<Wire, TappedWire>>,
  ) {
    this.system = system;
    this.#servers = servers;
    this.#wires = wires;
  }

  /** `shared`: the PostgreSQL of the test run, in place of one of its own. */
  static async start(shared?: SharedStack): Promise<PointedSystem> {
    // PostgreSQL and NATS alone: their addresses are known before the services start.
    const servers = await startConstellation({
      ...(shared && { shared }),
      without: ["gateway", "keys", "ledger", "export", "webhook-dispatcher"],
    });
    const { databaseUrl, natsUrl } = servers;
    const wires = {
      "ledger database": await tapWire(databaseUrl),
      "ledger notices": await tapWire(natsUrl),
      "dispatcher database": await tapWire(databaseUrl),
    };
    const system = await startWebhookSystem(
      { ...KILLED_DISPATCHER, ANNALS_DATABASE_URL: wires["dispatcher database"].url },
      { databaseUrl, natsUrl },
      {
        ledger: {
          ANNALS_DATABASE_URL: wires["ledger database"].url,
          ANNALS_NATS_URL: wires["ledger notices"].url,
        },
      },
    );
    return new PointedSystem(system, servers, wires);
  }

  /**
   * `count` events to three webhooks of a new account while the process of each point is killed there, one
   * after the other. Resolves when nothing is missing.
   */
  async survive(
    points: readonly NamedPoint[],
    count: number,
  ): Promise<Posted & { readonly repeated: number }> {
    const { client, subscribers } = await threeWebhooks(this.system);
    let isKilling = true;
    const killing = (async () => {
      for (const point of points) {
        await this.#killAt(point, subscribers);
        await pause(randomInt(MAX_LIFE_MS));
      }
    })().finally(() => (isKilling = false));
    const [posted] = await Promise.all([postAll(client, count, () => isKilling), killing]);
    await expectNothingMissing(subscribers, posted.count);
    return { ...posted, repeated: repeats(subscribers) };
  }

  async stop(): Promise<void> {
    await this.system.stop();
    for (const wire of Object.values(this.#wires)) wire.close();
    await this.#servers.stop();
  }

  async #killAt(point: NamedPoint, subscribers: readonly Subscriber[]): Promise<void> {
    const [where, when] = NAMED_POINTS[point];
    const victim = this.system.processOf(
      where.startsWith("ledger") ? "ledger" : "webhook-dispatcher",
    );
    await victim.waitReady(READY_MS);
    const killed = Promise.withResolvers<void>();
    const kill = (): void => {
      killed.resolve();
      expect(victim.kill("SIGKILL")).toBe(true);
    };
    if (where === "receiver") killAtReceiver(subscribers, when === "answered", kill);
    else this.#wires[where].arm(when, kill);
    const late = setTimeout(() => killed.reject(new Error(`${point} was not reached`)), REACHED_MS);
    await killed.promise.finally(() => clearTimeout(late));
    await revived(victim);
  }
}

async function revived(victim: StackProcess): Promise<void> {
  await victim.exited();
  await victim.waitReady(READY_MS);
}

/** The next POST is there in full: its sender dies before, or just after, the answer is out. */
function killAtReceiver(
  subscribers: readonly Subscriber[],
  answers: boolean,
  kill: () => void,
): void {
  let isKilled = false;
  const killOnce = (): void => {
    if (!isKilled) kill();
    isKilled = true;
  };
  for (const one of subscribers) {
    one.answer = (response) => {
      if (!isKilled && answers) response.once("finish", killOnce);
      if (!isKilled && !answers) return killOnce();
      response.writeHead(204).end();
    };
  }
}
