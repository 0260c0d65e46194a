// The fixtures of this service's tests: a migrated database, and the parts of a replica as serve.ts builds
// them, with a clock and producers that the test controls. Imported by tests only.

import { createLog, createRegistry, type Logger } from "@annals/chassis";
import { newId, systemClock } from "@annals/contract";
import { createPool, type Pool } from "@annals/postgres";
import { createMigratedDatabase, PATIENT, type TestDatabase } from "@annals/testing";
import { CreateWebhookRequestSchema, UpdateWebhookRequestSchema } from "@annals/proto/webhooks";
import { create as createMessage } from "@bufbuild/protobuf";
import { createContextValues } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import { ROLE } from "../config.ts";
import type { Kind } from "../webhooks/rules/kinds.ts";
import { SecretKeys } from "../sealing/rules/secret-keys.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { AddressGuard } from "../outbound/address-guard.ts";
import { configRules } from "../sinks/config-rules.ts";
import type { AttemptResult } from "../outbound/exchange.ts";
import { EventReader } from "../deliveries/event-reader.ts";
import type { Message } from "../outbound/sender.ts";
import { awaitDisabled } from "../webhooks/rpc/await-disabled.ts";
import { createWebhook } from "../webhooks/rpc/create-webhook.ts";
import { deleteWebhook } from "../webhooks/rpc/delete-webhook.ts";
import { listDeliveries } from "../deliveries/rpc/list-deliveries.ts";
import { listWebhooks } from "../webhooks/rpc/list-webhooks.ts";
import { ReplayTurns } from "../deliveries/replay-turns.ts";
import { updateWebhook } from "../webhooks/rpc/update-webhook.ts";
import { START_WINDOW_MS } from "../deliveries/worker/attempts.ts";
import { DeliveryTraces } from "../deliveries/worker/delivery-traces.ts";
import { DeliveryEngine, type DeliveryEngineDeps } from "../deliveries/worker/delivery-engine.ts";
import { DATABASE_CLOCK } from "../store/moment.ts";
import { FanOut } from "../deliveries/worker/fan-out.ts";
import { FakeProducers } from "./fake-producers.ts";

export const log: Logger = createLog({ service: "test", level: "error" }, { write: () => {} });
/** Connections of each pool. */
export const POOL_SIZE = 5;
/** A line of a key file. */
export const KEY_LINE = `test-1:${randomBytes(32).toString("base64")}`;
const keys = new SecretKeys(KEY_LINE);

/** An empty schema, dropped when the test is finished. */
export async function newDatabase(): Promise<TestDatabase & { readonly pool: () => Pool }> {
  const database = await createMigratedDatabase(inject("stack").databaseUrl);
  onTestFinished(() => database.drop());
  const pool = (): Pool => {
    const one = createPool({
      connectionString: database.url,
      role: ROLE,
      applicationName: "annals-webhooks-test",
      maxConnections: POOL_SIZE,
      ...PATIENT,
      log,
    });
    onTestFinished(() => one.close());
    return one;
  };
  return { ...database, pool };
}

export interface Attempted extends Message {
  readonly end: (result: Partial<AttemptResult>) => void;
}

/** A receiver in memory: each attempt waits until the test ends it, or ends with the status of `answer`. */
class FakeSender {
  readonly attempts: Attempted[] = [];
  answer: ((message: Message) => number | null | undefined) | undefined;

  send(message: Message): Promise<AttemptResult> {
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    const end = (result: Partial<AttemptResult>): void =>
      resolve({ outcome: "success", statusCode: 200, ...result });
    this.attempts.push({ ...message, end });
    const status = this.answer?.(message);
    if (status === null) end({ outcome: "timeout", statusCode: null });
    else if (status !== undefined) {
      end({ outcome: status < 300 ? "success" : "refused", statusCode: status });
    }
    return promise;
  }

  abandon(): void {
    for (const { end } of this.attempts) end({ outcome: "abandoned", statusCode: null });
  }
}

/** A clock that the test controls, as the statements take it: a time that has not come yet. */
export class FakeTime {
  #ms = Date.parse("2126-01-31T09:30:00.000Z");

  readonly now = (): string => this.text();

  advance(seconds: number): void {
    this.#ms += Math.round(seconds * 1000);
  }

  /** `seconds` from now, as the interface has it. */
  text(seconds = 0): string {
    const iso = new Date(this.#ms + seconds * 1000).toISOString();
    return iso.replace("Z", "000Z");
  }
}

export interface Replica<Sending = FakeSender> {
  readonly pool: Pool;
  readonly engine: DeliveryEngine;
  readonly fanOut: FanOut;
  readonly sender: Sending;
  readonly metrics: Metrics;
  /** Stores entries of an account and fans them out. */
  readonly produce: (accountId: string, count?: number, kind?: Kind) => Promise<void>;
}

export interface ReplicaOptions {
  readonly producers: FakeProducers;
  readonly now?: () => string;
  readonly retryDelaysS?: readonly number[];
  readonly timeoutMs?: number;
  readonly maxInFlight?: number;
  readonly maxInFlightPerEndpoint?: number;
  readonly maxInFlightPerAccount?: number;
  readonly maxInFlightPerHost?: number;
  readonly maxPendingPerAccount?: number;
  readonly maxPendingBytesPerAccount?: number;
  readonly disableAfterDays?: number;
}

/** A round ends when what it has claimed was handed to the sender. */
class TestEngine extends DeliveryEngine {
  override async round(scans?: boolean): Promise<boolean> {
    const hasMore = await super.round(scans);
    await this.begun();
    return hasMore;
  }
}

/** A pool of which some operations are replaced. */
export function intercepted(pool: Pool, operations: Partial<Pool>): Pool {
  const whole: Pool = {
    run: (...given) => pool.run(...given),
    transaction: (...given) => pool.transaction(...given),
    close: () => pool.close(),
    forAccount: () => whole,
    ...operations,
  };
  return whole;
}

/** The workers of one replica. The engine's loop is not started: tests call `round`. */
function newReplica(pool: Pool, options: ReplicaOptions): Replica {
  return newReplicaWith(new FakeSender(), pool, options);
}

/** The same with another sender. */
export function newReplicaWith<Sending extends DeliveryEngineDeps["sender"]>(
  sender: Sending,
  pool: Pool,
  options: ReplicaOptions,
): Replica<Sending> {
  const metrics = createMetrics(createRegistry("test"));
  const now = options.now ?? (() => DATABASE_CLOCK);
  const traces = new DeliveryTraces();
  const { producers } = options;
  const events = new EventReader(producers);
  const shared = { clock: systemClock(), database: pool, events, keys, log, metrics, now, traces };
  const engine = new TestEngine({
    timeoutMs: 10_000,
    maxInFlight: 1_000,
    maxInFlightPerEndpoint: 10,
    maxInFlightPerAccount: 200,
    maxInFlightPerHost: 2_000,
    retryDelaysS: [60, 300, 900],
    disableAfterDays: 5,
    ...options,
    ...shared,
    sender,
  });
  const fanOut = new FanOut({
    maxPendingPerAccount: 100_000,
    maxPendingBytesPerAccount: 256 * 1024 * 1024,
    ...options,
    ...shared,
    random: randomBytes,
    producers,
    onDeliveries: (...made) => engine.notify(...made),
  });
  return {
    pool,
    engine,
    fanOut,
    sender,
    metrics,
    produce: async (accountId, count = 1, kind = "events") => {
      fanOut.notify({ kind, accountId, position: producers.add(accountId, kind, count) });
      await fanOut.settled();
    },
  };
}

/** One service: its database, its producers, its handlers, and any number of replicas. */
export async function newService(options: Omit<ReplicaOptions, "producers"> = {}) {
  const database = await newDatabase();
  const producers = new FakeProducers();
  const pool = database.pool();
  const handlers = newHandlers(pool, producers, undefined, options);
  const replica = (own = database.pool()) => newReplica(own, { ...options, producers });
  /** A new account with a webhook. */
  const subscribed = async (given?: object) => {
    const accountId = newAccountId();
    return { accountId, ...(await handlers.create(accountId, given)) };
  };
  return { database, handlers, pool, producers, replica, subscribed };
}

export interface Created {
  readonly webhook: { readonly id: string; readonly active: boolean };
  readonly secret: string;
}

const URL = "https://example.com/hook";
const NEW_WEBHOOK = { url: URL, events: ["*"], active: true, idempotencyKey: "" };

/** The RPC handlers, called as the RPC server would. */
export function newHandlers(
  pool: Pool,
  producers: FakeProducers,
  guard = new AddressGuard({ resolve: async () => [], allowPrivateAddresses: false }),
  {
    now = () => DATABASE_CLOCK,
    maxPendingBytesPerAccount = 256 * 1024 * 1024,
    maxPendingPerAccount = 100_000,
  }: Partial<ReplicaOptions> = {},
) {
  const deps = {
    idempotencyHours: 72,
    now,
    maxPendingPerAccount,
    maxPendingBytesPerAccount,
    replayTurns: new ReplayTurns(),
    onDeliveries: () => {},
    clock: systemClock(),
    database: pool,
    databaseMicros: () => systemClock().nowMicros(),
    guard,
    keys,
    producers,
    random: randomBytes,
    traces: new DeliveryTraces(),
    awaitDisabled: awaitDisabled({
      database: pool,
      startWindowMs: START_WINDOW_MS,
      onDisabled: () => {},
    }),
    onSink: () => {},
    onSubscriber: () => {},
    configRules: configRules(guard, false),
    sendTest: async () => ({ success: true }),
    metrics: createMetrics(createRegistry("test")),
  };
  const call =
    <In, Out>(handler: unknown) =>
    (request: In): Promise<Out> =>
      (handler as (request: In, context: object) => Promise<Out>)(request, {
        values: createContextValues(),
      });
  const create = call<object, Created>(createWebhook(deps));
  const update = call<object, Created>(updateWebhook(deps));
  return {
    /** Asks any handler. */
    ask: <Out>(make: (given: typeof deps) => unknown, request: object): Promise<Out> =>
      call<object, Out>(make(deps))(request),
    create: (accountId: string, given: object = {}) =>
      create(createMessage(CreateWebhookRequestSchema, { accountId, ...NEW_WEBHOOK, ...given })),
    update: (accountId: string, id: string, given: object) =>
      update(createMessage(UpdateWebhookRequestSchema, { accountId, id, ...given })),
    list: async (accountId: string) =>
      (
        await call<object, { webhooks: Record<string, unknown>[] }>(listWebhooks(deps))({
          accountId,
          limit: 100,
          after: "",
        })
      ).webhooks,
    delete: (accountId: string, id: string) =>
      call<object, object>(deleteWebhook(deps))({ accountId, id }),
    deliveries: async (accountId: string, webhookId: string, limit = 100) =>
      (
        await call<object, { deliveries: Record<string, unknown>[] }>(listDeliveries(deps))({
          accountId,
          webhookId,
          limit,
          after: "",
        })
      ).deliveries,
  };
}

export const newAccountId = (): string => newId("acct");
