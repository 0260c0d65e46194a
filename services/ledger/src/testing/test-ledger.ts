// Ledgers within the process of a test: any number on one database, each with a pool, a queue and a head
// cache of its own, so that they share PostgreSQL alone. Imported by tests only.

import { createLog, createRegistry, rpcClientDuration, rpcServerDuration } from "@annals/chassis";
import {
  AdmissionVerifier,
  type Admitted,
  clientInterceptors,
  type Needed,
  requireAccess,
  serverInterceptors,
} from "@annals/rpc";
import { type Clock, Turns } from "@annals/contract";
import { canonicalJson, type JsonValue } from "@annals/event";
import type { Notice } from "@annals/messaging";
import type { Pool } from "@annals/postgres";
import { LedgerService } from "@annals/proto/ledger";
import { asDatabaseClock, type TestDatabase } from "@annals/testing";
import {
  type Client,
  type ConnectRouter,
  createClient,
  createRouterTransport,
  type Interceptor,
} from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { ACCESS } from "../access.ts";
import { createMetrics } from "../metrics.ts";
import type { PageBounds } from "../search/read-page.ts";
import { SearchTurns } from "../search/search-turns.ts";
import { ledgerService } from "../service.ts";
import { GrownChains } from "../append/grown-chains.ts";
import { AppendQueue } from "../append/append-queue.ts";
import { BlockChecker } from "../verify/block-checker.ts";
import { LogPolicy } from "../log/log-policy.ts";
import { LogSigner } from "./log-signer.ts";
import { aroundPool, type AtEnd, openPool } from "./database.ts";

export interface TestLedger {
  readonly client: Client<typeof LedgerService>;
  readonly database: Pool;
  /** Its service, for a server. */
  readonly routes: (router: ConnectRouter) => void;
  readonly interceptors: Interceptor[];
  /** That of the log: none at first. */
  readonly policy: LogPolicy;
  /** What wakes the workers that it would have. */
  readonly grown: GrownChains;
  /** Its metrics as text. */
  readonly metricsText: () => Promise<string>;
  /** The notices that it sent, in order. */
  readonly notices: readonly Notice[];
}

/** A clock that shows the time that a test sets: UTC with six fraction digits. */
export class SetClock implements Clock {
  text: string;
  /** Why the clock is wrong; undefined: it is right. */
  wrong: string | undefined;

  constructor(text = "2026-05-10T12:00:00.000000Z") {
    this.text = text;
  }

  nowText(): string {
    return this.text;
  }

  nowMicros(): number {
    return Date.parse(this.text) * 1_000;
  }

  readonly fault = (): string | undefined => this.wrong;
}

/** Admits every call: neither a gateway nor a keys service takes part. */
class AdmittingVerifier extends AdmissionVerifier {
  override verify(_token: string, { accountId, scope }: Needed): Admitted {
    return { accountId, keyId: "key_test", scopes: [scope] };
  }
}

/** `around` wraps the pool, for tests that observe statements or disturb them. */
export function openLedger(
  { url }: TestDatabase,
  clock: Clock = new SetClock(),
  around: (database: Pool) => Pool = (database) => database,
  auditInAccounts = false,
  pageBounds?: PageBounds,
  signer: LogSigner = new LogSigner(),
  atEnd?: AtEnd,
): TestLedger {
  const log = createLog({ service: "test", level: "error" });
  const database = aroundPool(openPool(url, { ...(atEnd && { atEnd }) }), around);
  const registry = createRegistry("test");
  const metrics = createMetrics(registry);
  const sent: Notice[] = [];
  const notices = { notify: (notice: Notice) => void sent.push(notice) };
  const admissions = new AdmittingVerifier({ secrets: new Map(), clock });
  const random = randomBytes;
  const shared = { admissions, clock, database, log, metrics, notices, random };
  const appends = new AppendQueue(shared);
  const policy = new LogPolicy();
  const searches = new SearchTurns(database);
  const turns = new Turns();
  const blocks = new BlockChecker(2);
  const grown = new GrownChains();
  const routes = ledgerService({
    ...shared,
    appends,
    auditInAccounts,
    blocks,
    checkReceipt: () => undefined,
    databaseClock: asDatabaseClock(clock),
    erasureCopies: { exports: true, webhooks: true },
    erasureDelayHours: 24,
    grown,
    idempotencyHours: 72,
    keys: signer.client,
    pageBounds,
    policy,
    searches,
    turns,
  });
  const interceptors = [
    ...serverInterceptors({ log, duration: rpcServerDuration(registry) }),
    requireAccess({
      service: LedgerService,
      access: ACCESS,
      admissions,
      tls: "plaintext",
      log,
      refused: { inc: () => {} },
    }),
  ];
  const transport = createRouterTransport(routes, {
    router: { interceptors },
    transport: { interceptors: clientInterceptors({ duration: rpcClientDuration(registry) }) },
  });
  const client = createClient(LedgerService, transport);
  const metricsText = () => registry.metrics();
  return { client, database, grown, interceptors, metricsText, policy, routes, notices: sent };
}

/** An event of `NewEvent` of the interface. */
export type GivenEvent = Readonly<Record<string, JsonValue>>;

const TIME = "2026-05-10T11:59:59.000000Z";

/** One append of `count` events as the gateway sends it. */
export function appendOf(
  accountId: string,
  count = 1,
  more: { readonly monthlyQuota?: bigint; readonly idempotencyKey?: string } = {},
) {
  const events = Array.from({ length: count }, () => eventOf());
  return {
    accountId,
    receivedAt: TIME,
    requestSha256: new Uint8Array(32),
    eventsJson: eventsJsonOf(events),
    ...more,
  };
}

export const eventOf = (members: GivenEvent = {}): GivenEvent => ({
  action: "thing.done",
  occurred_at: TIME,
  ...members,
});

export function eventsJsonOf(events: readonly GivenEvent[]): Buffer {
  return Buffer.from(canonicalJson(events as JsonValue));
}
