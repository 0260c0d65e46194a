// Appends records to a chain as the ledger does, with the rights of its role, and runs what they decide.
// Imported by tests of what others show of it.

import { createLog, Registry } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { AppendQueue, createMetrics } from "@annals/ledger/testing";
import { createPool, type Pool, type Statement } from "@annals/postgres";
import { randomBytes } from "node:crypto";

/** What a record says, and by whom. */
interface Said {
  readonly action: string;
  readonly actor: { readonly type: string; readonly id?: string };
  readonly metadata: object;
}

type Parameters = readonly unknown[];

/** Opens a pool and a queue of appends for `work`, and closes them. */
export async function withQueue(
  databaseUrl: string,
  work: (queue: AppendQueue, pool: Pool) => Promise<void>,
): Promise<void> {
  const log = createLog({ service: "test", level: "error" }, { write: () => {} });
  const pool = createPool({
    connectionString: databaseUrl,
    role: "annals_ledger",
    applicationName: "annals-record-test",
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
  try {
    await work(queue, pool);
  } finally {
    await pool.close();
  }
}

/** The event of a record without a target. */
export function recordOf({ action, actor, metadata }: Said) {
  const part = (value: object) => Buffer.from(JSON.stringify(value));
  const empty = part({});
  return {
    action,
    actor: part(actor),
    actorId: actor.id,
    actorType: actor.type,
    context: empty,
    diff: empty,
    metadata: part(metadata),
    target: empty,
  };
}

/** A statement of the test. */
export const statementOf = (name: string, text: string): Statement<Parameters, unknown> => ({
  name: `test.${name}`,
  text,
  route: "local",
  customPlan: true,
});
