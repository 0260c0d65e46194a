// What the tests of this folder share: ledgers within the test's process, any number over one database of
// its own, each with its own pool, queue and guesses, so that they meet only in PostgreSQL. Imported by
// tests only.

import { createLog, createRegistry, rpcClientDuration, rpcServerDuration } from "@annals/chassis";
import { clientInterceptors, serverInterceptors } from "@annals/rpc";
import type { Clock } from "@annals/contract";
import type { Notice } from "@annals/messaging";
import { createPool, type Pool } from "@annals/postgres";
import { LedgerService } from "@annals/proto/ledger";
import type { TestDatabase } from "@annals/testing";
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { createMetrics } from "../metrics.ts";
import { ROLE } from "../serve.ts";
import { ledgerService } from "../service.ts";
import { AppendQueue } from "../append/append-queue.ts";

export interface TestLedger {
  readonly client: Client<typeof LedgerService>;
  readonly database: Pool;
  /** What it told consumers of, in order. */
  readonly notices: readonly Notice[];
}

/** A clock that stands where it is set: UTC with six fraction digits. */
export class SetClock implements Clock {
  text: string;

  constructor(text = "2026-05-10T12:00:00.000000Z") {
    this.text = text;
  }

  nowText(): string {
    return this.text;
  }

  nowMicros(): number {
    return Date.parse(this.text) * 1_000;
  }
}

/** `around` stands between the ledger and its database, for tests that watch or disturb. */
export function openLedger(
  { url }: TestDatabase,
  clock: Clock = new SetClock(),
  around: (database: Pool) => Pool = (database) => database,
): TestLedger {
  const log = createLog({ service: "test", level: "error" });
  const pool = createPool({
    connectionString: url,
    role: ROLE,
    applicationName: "annals-ledger-test",
    maxConnections: 4,
    statementTimeoutMs: 10_000,
    log,
  });
  onTestFinished(() => pool.close());
  const database = around(pool);
  const registry = createRegistry("test");
  const metrics = createMetrics(registry);
  const told: Notice[] = [];
  const notices = { notify: (notice: Notice) => void told.push(notice) };
  const shared = { clock, database, log, metrics, notices, random: randomBytes };
  const service = ledgerService({ ...shared, appends: new AppendQueue(shared) });
  const transport = createRouterTransport(service, {
    router: { interceptors: serverInterceptors({ log, duration: rpcServerDuration(registry) }) },
    transport: { interceptors: clientInterceptors({ duration: rpcClientDuration(registry) }) },
  });
  return { client: createClient(LedgerService, transport), database, notices: told };
}

/** One append of `count` events as the gateway sends it. */
export function appendOf(
  accountId: string,
  count = 1,
  more: { readonly monthlyQuota?: bigint; readonly idempotencyKey?: string } = {},
) {
  const time = "2026-05-10T11:59:59.000000Z";
  return {
    accountId,
    receivedAt: time,
    requestSha256: new Uint8Array(32),
    events: Array.from({ length: count }, () => ({ action: "thing.done", occurredAt: time })),
    ...more,
  };
}
