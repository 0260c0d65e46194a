// Erases parts of an event as the ledger does, at once and without a request. Imported by tests of what
// others show of it.

import { createLog, Registry } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { AppendQueue, createMetrics } from "@annals/ledger/testing";
import { createPool } from "@annals/postgres";
import { randomBytes } from "node:crypto";

export interface Erased {
  readonly accountId: string;
  readonly parts: readonly string[];
  readonly sequenceNumber: number;
}

/** Appends a record and erases what it names, with the rights of the service's role. */
export async function eraseEvent(databaseUrl: string, erased: Erased): Promise<void> {
  const { accountId, parts, sequenceNumber } = erased;
  const log = createLog({ service: "test", level: "error" }, { write: () => {} });
  const pool = createPool({
    connectionString: databaseUrl,
    role: "annals_ledger",
    applicationName: "annals-erasure-test",
    maxConnections: 2,
    statementTimeoutMs: 10_000,
    log,
  });
  const queue = new AppendQueue({
    clock: systemClock(),
    database: pool,
    log,
    metrics: createMetrics(new Registry()),
    notices: { notify: () => {} },
    random: randomBytes,
  });
  const part = (value: object) => Buffer.from(JSON.stringify(value));
  const metadata = { erasure: "era_1", parts, sequence_numbers: String(sequenceNumber) };
  const empty = part({});
  try {
    await queue.record(accountId, async (transaction) => ({
      record: {
        action: "annals.erasure",
        actor: part({ type: "operator" }),
        actorType: "operator",
        context: empty,
        diff: empty,
        metadata: part(metadata),
        target: empty,
      },
      act: async (record) => {
        const text = "SELECT ledger.erase($1, $2)";
        const statement = { name: "test.erase", text, route: "local", customPlan: true } as const;
        await transaction.run(statement, [accountId, record]);
      },
    }));
  } finally {
    await pool.close();
  }
}
