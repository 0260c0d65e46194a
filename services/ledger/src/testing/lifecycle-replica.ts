// A ledger in a process of its own, with the workers and the pool of the service and a clock that the test
// sets: it appends events, places and releases holds, erases, and deletes what retention ends, all in one
// account at the same time. Forked by killed-replicas.ts. It must never end what it does when it is killed.

import { createLog, createRegistry } from "@annals/chassis";
import { atOnce } from "@annals/contract";
import { createPool, type Database, type Pool } from "@annals/postgres";
import { asDatabaseClock, PATIENT } from "@annals/testing";
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { AppendQueue } from "../append/append-queue.ts";
import { placeHold } from "../holds/place-hold.ts";
import { release } from "../holds/release-hold.ts";
import { ROLE } from "../config.ts";
import { prepareAppend } from "../append/rules/prepare-append.ts";
import { createMetrics } from "../metrics.ts";
import { SearchTurns } from "../search/search-turns.ts";
import { Erasures } from "../erasures/worker/erasures.ts";
import { Retention } from "../retention/worker/retention.ts";
import type { Death, Order, Said } from "./killed-replicas.ts";

const NEVER = new AbortController().signal;
const NOTHING = Buffer.from("{}");
const ACTOR = { type: "api_key", id: "key_1" } as const;
const APPEND_EVERY_MS = 5;
const HOLD_EVERY_MS = 60;
const PASS_EVERY_MS = 10;
const HELD_EVENTS = 20n;
const MS_PER_HOUR = 3_600_000;
const none = (): void => {};

class Replica {
  readonly #queue: AppendQueue;
  readonly #database: Pool;
  readonly #erasures: Erasures;
  readonly #retention: Retention;
  readonly #held: string[] = [];
  #order: Order;
  #nowMs = 0;
  #isResting = true;

  constructor(order: Order) {
    this.#order = order;
    const log = createLog({ service: "test", level: "error" }, { write: none });
    const clock = asDatabaseClock({
      nowText: () => this.#order.time,
      nowMicros: () => Date.parse(this.#order.time) * 1_000,
    });
    const given = createPool({
      connectionString: order.databaseUrl,
      role: ROLE,
      applicationName: "test",
      maxConnections: 5,
      ...PATIENT,
      log,
    });
    const database = dying(given, () => this.#order.death);
    const metrics = createMetrics(createRegistry("test"));
    const notices = { notify: none };
    const shared = { clock, database, log, random: randomBytes };
    const appends = new AppendQueue({ ...shared, metrics, notices });
    this.#queue = appends;
    this.#database = database;
    const copies = { exports: false, webhooks: false };
    const searches = new SearchTurns(database);
    this.#erasures = new Erasures({ ...shared, appends, copies, searches });
    this.#retention = new Retention({
      ...shared,
      appends,
      nowMs: () => (this.#nowMs += MS_PER_HOUR),
      plansOf: (ids) => Promise.resolve(ids.map(() => ({ days: this.#order.days, minDays: 2 }))),
      deleted: none,
      held: none,
      lag: none,
    });
  }

  /** Resolves after {@link rest}. */
  async work(order: Order): Promise<void> {
    this.#order = order;
    this.#isResting = false;
    await Promise.all([
      this.#repeat(APPEND_EVERY_MS, () => this.#append()),
      this.#repeat(HOLD_EVERY_MS, () => this.#hold()),
      this.#repeat(PASS_EVERY_MS, () => this.#erasures.run(NEVER)),
      this.#repeat(PASS_EVERY_MS, () => this.#retention.run(NEVER)),
    ]);
  }

  rest(): void {
    this.#isResting = true;
  }

  /** What fails, as at the death of the other replica, is tried again. */
  async #repeat(everyMs: number, act: () => Promise<unknown>): Promise<void> {
    while (!this.#isResting) {
      await act().catch(none);
      await pause(everyMs);
    }
  }

  #append(): Promise<unknown> {
    const { accountId, time } = this.#order;
    const parts = { actor: NOTHING, context: NOTHING, diff: NOTHING, metadata: NOTHING };
    const event = { ...parts, target: NOTHING, action: "meanwhile", occurredAt: time };
    const append = {
      accountId,
      receivedAt: time,
      idempotencyKey: "",
      requestSha256: new Uint8Array(),
      events: [event],
    };
    return this.#queue.submit(atOnce(prepareAppend(append, randomBytes)));
  }

  /** Places a hold, and releases the one before. The last one stays when it rests. */
  async #hold(): Promise<void> {
    const { accountId, held } = this.#order;
    const deps = { appends: this.#queue, database: this.#database, random: randomBytes };
    const fromSequence = BigInt(randomInt(held[0], held[1]));
    const toSequence = fromSequence + HELD_EVENTS;
    const range = { accountId, fromSequence, toSequence, actorId: undefined };
    const { id } = await placeHold(deps, { ...range, actor: ACTOR, owner: "account" });
    this.#held.push(id);
    const before = this.#held.length > 1 ? this.#held.shift() : undefined;
    if (before !== undefined)
      await release(deps, { accountId, actor: ACTOR, by: "account", id: before });
  }
}

const kill = () => process.kill(process.pid, "SIGKILL");

/** The pool of a process that kills itself at a statement. */
function dying(pool: Pool, deathOf: () => Death | undefined): Pool {
  const on = (database: Database, atCommit: () => void): Database => ({
    run: (statement, params) => {
      const death = deathOf();
      const isIt = `ledger.${death?.statement ?? ""}` === statement.name;
      if (isIt && death?.when === "before") kill();
      const answer = database.run(statement, params);
      if (isIt && death?.when === "during") setImmediate(kill);
      if (isIt && death?.when === "commit") atCommit();
      return answer;
    },
  });
  return {
    ...pool,
    ...on(pool, none),
    forAccount: (accountId, signal) => dying(pool.forAccount(accountId, signal), deathOf),
    transaction: (work, ...rest) => {
      let isLast = false;
      return pool.transaction(
        async (one) => {
          const result = await work(on(one, () => (isLast = true)));
          if (isLast) setImmediate(kill);
          return result;
        },
        ...rest,
      );
    },
  };
}

let replica: Replica | undefined;

process.on("message", (said: Said) => {
  if (said === "rest") return replica?.rest();
  replica ??= new Replica(said);
  void replica.work(said).then(() => process.send?.("rests"));
});
// The test has ended.
process.on("disconnect", () => process.exit());
