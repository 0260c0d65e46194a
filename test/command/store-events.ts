// The chains of the examples, as the ledger stores them. Called by annals.test.ts.

import { createLog, createRegistry } from "@annals/chassis";
import { atOnce, systemClock } from "@annals/contract";
import { AppendQueue, createMetrics, prepareAppend } from "@annals/ledger/testing";
import { createPool } from "@annals/postgres";
import { randomBytes } from "node:crypto";

/** Appends events to the chain of an account. */
export async function storeEvents(
  databaseUrl: string,
  accountId: string,
  length: number,
): Promise<void> {
  const log = createLog({ service: "test", level: "error" }, { write: () => {} });
  const pool = createPool({
    connectionString: databaseUrl,
    role: "annals_ledger",
    applicationName: "annals-command-test",
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    log,
  });
  const metrics = createMetrics(createRegistry("ledger"));
  const clock = systemClock();
  const part = Buffer.from("{}");
  const event = { actor: part, context: part, diff: part, metadata: part, target: part };
  const whole = { ...event, action: "user.login", occurredAt: clock.nowText() };
  const queue = new AppendQueue({
    clock,
    database: pool,
    log,
    metrics,
    notices: { notify: () => {} },
    random: randomBytes,
  });
  const asked = {
    accountId,
    receivedAt: clock.nowText(),
    idempotencyKey: "",
    requestSha256: Buffer.alloc(32),
    events: Array.from({ length }, () => whole),
  };
  await queue.submit(atOnce(prepareAppend(asked, randomBytes)));
  await pool.close();
}
