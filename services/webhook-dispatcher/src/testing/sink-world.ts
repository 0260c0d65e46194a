// A world for the tests of sinks: a real database, chains and receivers in memory, and a controlled clock.
// Imported by tests only.

import type { SinkConfig } from "@annals/interface";
import { AnnalsError } from "@annals/errors";
import { createRegistry } from "@annals/chassis";
import type { StreamEventsRequest } from "@annals/proto/ledger";
import { randomBytes } from "node:crypto";
import type { OnRejected, SinkFormat } from "../sinks/rules/sink.ts";
import { SecretKeys } from "../sealing/rules/secret-keys.ts";
import { createMetrics } from "../metrics.ts";
import type { SinkLedger } from "../sinks/receiver/sink-events.ts";
import type { SinkRecord } from "../sinks/rules/sink-record.ts";
import type {
  SinkBatch,
  SinkBatchOptions,
  SinkReceiver,
  SinkResult,
} from "../sinks/receiver/sink-receiver.ts";
import { Sinks, type SinksDeps } from "../sinks/worker/sinks.ts";
import { FakeTime, KEY_LINE, log, newAccountId, newDatabase } from "./dispatcher.ts";

const keys = new SecretKeys(KEY_LINE);

export interface ChainEvent {
  readonly sequence_number: number;
  readonly action: string;
}

/** The chains of accounts, in memory, as the ledger streams them. */
class FakeChains {
  readonly #chains = new Map<string, ChainEvent[]>();
  /** Events up to this number are deleted by retention. */
  deletedThrough = 0;
  /** Called before each page. */
  gate: () => Promise<void> = async () => {};

  append(accountId: string, count: number, given: object = {}): void {
    const chain = this.#of(accountId);
    for (let i = 0; i < count; i += 1) {
      const number = chain.length + 1;
      const time = "2026-01-31T09:30:00.000000Z";
      const event = {
        id: `evt_${accountId.slice(-4)}${number}`,
        sequence_number: number,
        action: "invoice.created",
        actor: {},
        hash: `h${number}`,
        previous_hash: `h${number - 1}`,
        occurred_at: time,
        created_at: time,
        ...given,
      };
      chain.push(event);
    }
  }

  async positions(accountIds: readonly string[]) {
    return accountIds.map((id) => ({
      events: BigInt(this.#of(id).length),
      verifications: 0n,
      exports: 0n,
      checkpoints: 0n,
    }));
  }

  async retainedFrom(_accountId: string, position: bigint): Promise<bigint | undefined> {
    return position <= this.deletedThrough ? BigInt(this.deletedThrough + 1) : undefined;
  }

  readonly ledger: SinkLedger = {
    streamEvents: (request) => this.#stream(request as StreamEventsRequest) as never,
  };

  async *#stream({ accountId, filter }: StreamEventsRequest) {
    const { actions = [], afterSequence = 0n, beforeSequence = 0n } = filter ?? {};
    let found = this.#of(accountId).slice(Number(afterSequence), Number(beforeSequence) - 1);
    if (actions.length > 0) found = found.filter(({ action }) => actions.includes(action));
    for (let at = 0; at < found.length; at += 200) {
      await this.gate();
      if (Number(afterSequence) + at < this.deletedThrough)
        throw new AnnalsError("not_found", "The events were deleted.");
      const page = found.slice(at, at + 200);
      const text = Buffer.from(page.map((event) => `${JSON.stringify(event)}\n`).join(""));
      yield { text, count: page.length };
    }
  }

  #of(accountId: string): ChainEvent[] {
    const chain = this.#chains.get(accountId) ?? [];
    this.#chains.set(accountId, chain);
    return chain;
  }
}

/** What one batch was. */
export interface Received {
  readonly options: SinkBatchOptions;
  readonly records: readonly SinkRecord[];
}

/** The receivers of all sinks, in memory. */
class FakeReceivers {
  readonly attempts: Received[] = [];
  readonly accepted: Received[] = [];
  answer: (batch: Received) => SinkResult | Promise<SinkResult> = () => ({ outcome: "accepted" });

  readonly open = (_config: SinkConfig): SinkReceiver => ({
    open: (options) => this.#batch(options),
    close: () => {},
  });

  /** Numbers of the events that one account's receivers have accepted, in order. */
  numbers(accountId: string): number[] {
    return this.lines(accountId).flatMap(({ sequenceNumber }) => sequenceNumber ?? []);
  }

  /** Everything that one account's receivers have accepted, in order. */
  lines(accountId: string): SinkRecord[] {
    const own = this.accepted.filter(({ options }) => options.accountId === accountId);
    return own.flatMap(({ records }) => records);
  }

  #batch(options: SinkBatchOptions): SinkBatch {
    const records: SinkRecord[] = [];
    return {
      bytes: 0,
      add: async (more) => void records.push(...more),
      send: async (signal) => {
        const batch = { options, records };
        this.attempts.push(batch);
        const abandoned = new Promise<SinkResult>((resolve) => {
          signal.addEventListener("abort", () => resolve({ outcome: "abandoned" }));
        });
        const result = await Promise.race([this.answer(batch), abandoned]);
        if (result.outcome === "accepted") this.accepted.push(batch);
        return result;
      },
      discard: () => {},
    };
  }
}

interface NewSink {
  readonly accountId?: string;
  readonly config?: SinkConfig;
  readonly format?: SinkFormat;
  readonly filter?: object;
  readonly cursor?: number;
  readonly mapping?: object;
  readonly onRejected?: OnRejected;
}

const HTTP: SinkConfig = {
  type: "http",
  url: "https://example.com/logs",
  headers: {},
  body: "jsonl",
  compress: false,
};

export async function newSinkWorld() {
  const database = await newDatabase();
  const pool = database.pool();
  const chains = new FakeChains();
  const receivers = new FakeReceivers();
  const time = new FakeTime();
  const clockMs = { now: Date.now(), monotonic: 0 };
  const clock = {
    nowMicros: () => clockMs.now * 1_000,
    nowText: () => new Date(clockMs.now).toISOString().replace("Z", "000Z"),
  };
  const metrics = createMetrics(createRegistry("test"));
  const deps: SinksDeps = {
    clock,
    database: pool,
    keys,
    ledger: chains.ledger,
    log,
    metrics,
    monotonicMs: () => clockMs.monotonic,
    now: time.now,
    operatorSinks: new Map(),
    openReceiver: receivers.open,
    producers: chains,
  };
  const create = async (given: NewSink = {}) => {
    const { accountId = newAccountId(), config = HTTP, cursor = 0, format = "annals" } = given;
    const id = `sink_${randomBytes(8).toString("hex")}`;
    const sealed = keys.seal(JSON.stringify(config), { accountId, sinkId: id }, randomBytes);
    await database.query(
      `INSERT INTO webhooks.sinks (account_id, id, type, format, config_key_id, config_sealed, filter, leave_out,
         include_proof, active, created_at, cursor, checkpoint_from, checkpoint_at, due_at, mapping,
         on_rejected)
       VALUES ($1, $2, $3, $4, $5, $6, $7, '{}', false, true, '2026-01-31T09:30:00.000000Z', $8::bigint, $8::bigint + 1, $9, '-infinity',
         $10, $11)`,
      [
        accountId,
        id,
        config.type,
        format,
        sealed.keyId,
        sealed.bytes,
        given.filter === undefined ? null : JSON.stringify(given.filter),
        cursor,
        time.now(),
        given.mapping === undefined ? null : JSON.stringify(given.mapping),
        given.onRejected ?? "stop",
      ],
    );
    return { accountId, id };
  };
  const row = async (id: string) => {
    const [one] = await database.query("SELECT * FROM webhooks.sinks WHERE id = $1", [id]);
    return one as Readonly<Record<string, unknown>>;
  };
  const replica = (given: Partial<SinksDeps> = {}) => new Sinks({ ...deps, ...given });
  const sinks = replica();
  /** One round, and all its turns. */
  const round = async (one = sinks) => {
    await one.round(new AbortController().signal);
    await one.settled();
  };
  /** Lets time pass, for the database and for the process. */
  const pass = (seconds: number): void => {
    time.advance(seconds);
    clockMs.now += seconds * 1_000;
    clockMs.monotonic += seconds * 1_000;
  };
  /** Moves the clock of the process, and nothing else. */
  const step = (seconds: number): void => {
    clockMs.now += seconds * 1_000;
  };
  return {
    chains,
    create,
    database,
    deps,
    metrics,
    pass,
    pool,
    receivers,
    replica,
    round,
    row,
    sinks,
    step,
  };
}
