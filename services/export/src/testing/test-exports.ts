// What the tests of the workers share: a migrated database, a directory of files, queued exports, and workers
// whose ledger is a fake that streams three events.

import { createRegistry } from "@annals/chassis";
import { type Clock, systemClock } from "@annals/contract";
import { createPool, type Pool } from "@annals/postgres";
import { EventFilterSchema, StreamEventsResponseSchema } from "@annals/proto/ledger";
import { createMigratedDatabase, eventually, PATIENT, type TestDatabase } from "@annals/testing";
import { create, toBinary } from "@bufbuild/protobuf";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createMetrics } from "../metrics.ts";
import { directoryStorage } from "../storage/directory-storage.ts";
import { ExportWorker, type WorkerDeps } from "../exports/worker/export-worker.ts";

export const ACCOUNT = "acct_1";
/** Connections of each pool. */
export const POOL_SIZE = 10;
const LEASE_MS = 600;

const clock: Clock = systemClock();

export type StreamEvents = WorkerDeps["ledger"]["streamEvents"];

/** Streams three events, then does `end`. */
export function ledger(end: () => Promise<void> | void = () => {}): StreamEvents {
  return async function* () {
    for (let n = 1n; n <= 3n; n += 1n) {
      const place = { sequenceNumber: n, hash: `h${n}`, previousHash: `h${n - 1n}` };
      const text = Buffer.from(`{"sequence_number":${n}}\n`);
      yield create(StreamEventsResponseSchema, { text, count: 1, first: place, last: place });
    }
    await end();
  };
}

const refuse = () => Promise.reject(new Error("there is no log"));

/** The ledger of an export without a bundle of evidence. */
const NO_LOG = {
  getLog: refuse,
  listEvents: refuse,
  listHeads: refuse,
  readCheckpoint: refuse,
  readTile: refuse,
};

/** A promise that the test resolves. */
export const gate = () => Promise.withResolvers<void>();

export class TestExports {
  readonly database: TestDatabase;
  readonly pool: Pool;
  readonly directory: string;
  #workers: ExportWorker[] = [];
  #jobs = 0;

  private constructor(database: TestDatabase, directory: string) {
    this.database = database;
    this.directory = directory;
    this.pool = this.openPool();
  }

  /** As a replica has it. The caller closes it. */
  openPool(): Pool {
    return createPool({
      connectionString: this.database.url,
      role: "annals_exports",
      applicationName: "test",
      maxConnections: POOL_SIZE,
      ...PATIENT,
      log: pino({ level: "silent" }),
    });
  }

  static async open(databaseUrl: string): Promise<TestExports> {
    const database = await createMigratedDatabase(databaseUrl);
    return new TestExports(database, await mkdtemp(join(tmpdir(), "annals-export-")));
  }

  /** Stops the workers and deletes every row. */
  async reset(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    this.#workers = [];
    for (const table of ["jobs", "outbox", "outbox_heads"])
      await this.database.query(`DELETE FROM exports.${table}`);
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.database.drop();
    await rm(this.directory, { recursive: true });
  }

  work(streamEvents: StreamEvents, options: Partial<WorkerDeps> = {}) {
    const notified: bigint[] = [];
    const worker = new ExportWorker({
      clock,
      database: this.pool,
      ledger: { ...NO_LOG, streamEvents },
      log: pino({ level: "silent" }),
      metrics: createMetrics(createRegistry("test")),
      notices: { notify: ({ position }) => void notified.push(position) },
      storage: directoryStorage(this.directory),
      concurrency: 1,
      leaseMs: LEASE_MS,
      pollIntervalMs: 20,
      maxAttempts: 3,
      maxBytesPerAccount: 2 ** 30,
      ...options,
    });
    this.#workers.push(worker);
    return { worker, notified };
  }

  async queue(accountId = ACCOUNT, createdAt = clock.nowText()): Promise<string> {
    this.#jobs += 1;
    const id = `exp_${this.#jobs}`;
    const filter = create(EventFilterSchema, { beforeSequence: 4n });
    await this.database.query(
      `INSERT INTO exports.jobs (account_id, id, format, include_proofs, filter_json, filter, head_sequence, head_hash, created_at)
       VALUES ($1, $2, 'jsonl', false, '{}', $3, 3, 'h3', $4)`,
      [accountId, id, toBinary(EventFilterSchema, filter), createdAt],
    );
    return id;
  }

  async job(id: string): Promise<Record<string, unknown>> {
    const [row] = await this.database.query("SELECT * FROM exports.jobs WHERE id = $1", [id]);
    return row as Record<string, unknown>;
  }

  reached(id: string, status: string) {
    return eventually(`${id} is ${status}`, async () => (await this.job(id))["status"] === status);
  }

  outbox() {
    return this.database.query("SELECT position, data FROM exports.outbox ORDER BY position");
  }

  async filesOf(id: string): Promise<string[]> {
    const names = await readdir(join(this.directory, ACCOUNT)).catch(() => []);
    return names.filter((name) => name.startsWith(`${id}.`));
  }
}
