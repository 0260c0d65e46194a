// What the tests of the bucket of the log share: a real S3 server with a locked bucket, a migrated database,
// a log that is served, a clock that a test moves on, and replicas. Imported by tests only.

import { createLog, createRegistry } from "@annals/chassis";
import { type Clock, formatMicros, systemClock } from "@annals/contract";
import { freePort } from "@annals/local";
import { createPool } from "@annals/postgres";
import {
  createMigratedDatabase,
  eventually,
  PATIENT,
  S3Server,
  type TestDatabase,
} from "@annals/testing";
import { inject } from "vitest";
import { ROLE } from "../config.ts";
import { createMetrics } from "../metrics.ts";
import { type LockedBucket, S3LockedBucket } from "../anchors/locked-bucket.ts";
import { startAnchors } from "../anchors/worker/anchors.ts";
import { operatorsS3Client } from "../outbound/s3-client.ts";
import { HOUR_S, NO_ANCHORS } from "./no-anchors.ts";
import { ServedLog } from "./served-log.ts";

export const BUCKET = "log";
export const INTERVAL_S = HOUR_S;
export const LOCK_DAYS = 2_557;

interface ReplicaOptions {
  readonly name?: string;
  readonly around?: (bucket: LockedBucket) => LockedBucket;
}

export class BucketReplicas {
  readonly s3: S3Server;
  readonly database: TestDatabase;
  /** Lines that the replicas wrote. */
  readonly lines: Record<string, unknown>[] = [];
  readonly log: ServedLog;
  readonly #closing: (() => Promise<unknown> | void)[] = [];
  #laterS = 0;

  private constructor(s3: S3Server, database: TestDatabase) {
    [this.s3, this.database] = [s3, database];
    this.log = new ServedLog(this.clock);
  }

  /** `program` is that of the S3 server. */
  static async open(program: string): Promise<BucketReplicas> {
    const s3 = await S3Server.start(program, await freePort());
    await s3.createBucket(BUCKET, { isLocked: true });
    return new BucketReplicas(s3, await createMigratedDatabase(inject("stack").databaseUrl));
  }

  readonly clock: Clock = (() => {
    const real = systemClock();
    const nowMicros = () => real.nowMicros() + this.#laterS * 1e6;
    return { nowMicros, nowText: () => formatMicros(nowMicros()) };
  })();

  /** Moves the clock on, that of the database included. */
  async later(seconds: number): Promise<void> {
    this.#laterS += seconds;
    await this.database.query(
      `UPDATE webhooks.anchors SET due_at = due_at - $1 * interval '1 second',
         failing_since = failing_since - $1 * interval '1 second'`,
      [seconds],
    );
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
    await this.database.drop();
    await this.s3.close();
  }

  /** Begins a replica. */
  replica({ around = (bucket) => bucket, name = BUCKET }: ReplicaOptions = {}) {
    const metrics = createMetrics(createRegistry("test"));
    const database = createPool({
      connectionString: this.database.url,
      role: ROLE,
      applicationName: "test",
      maxConnections: 2,
      ...PATIENT,
      log: NO_ANCHORS.log,
    });
    const { credentials, endpoint, region } = this.s3;
    const s3 = { credentials, endpoint, extraAuthorities: undefined, region };
    const bucket = new S3LockedBucket(name, LOCK_DAYS, operatorsS3Client(s3));
    const lines = { write: (line: string) => void this.lines.push(JSON.parse(line)) };
    const loop = startAnchors({
      ...NO_ANCHORS,
      bucket: around(bucket),
      database,
      databaseMicros: () => this.clock.nowMicros(),
      ledger: this.log.client,
      log: createLog({ service: "test", level: "error" }, lines),
      metrics,
    });
    const close = async () => {
      await loop.stop();
      bucket.close();
      await database.close();
    };
    this.#closing.push(close);
    const lag = async () => (await metrics.anchorLag.get()).values[0]?.value;
    return { lag, wake: () => loop.wake() };
  }

  /** Lets replicas work until the ledger knows that the newest size is locked. */
  async locked(...replicas: readonly { wake: () => void }[]): Promise<void> {
    await eventually(`${this.log.size} is locked`, () => {
      for (const { wake } of replicas) wake();
      return this.log.locked.has(this.log.size);
    });
  }

  async rows() {
    return this.database.query<{ size: string; failing: boolean; wait: number }>(
      `SELECT size, failing_since IS NOT NULL AS failing,
         extract(epoch FROM due_at - statement_timestamp())::float8 AS wait FROM webhooks.anchors`,
    );
  }

  /** Lets an attempt fail, and resolves to why. */
  async failure(replica: { wake: () => void }): Promise<unknown> {
    const before = this.lines.length;
    await eventually("a failure", async () => {
      replica.wake();
      return this.lines.length > before && (await this.rows())[0]?.failing === true;
    });
    return this.lines.at(-1)?.["reason"];
  }
}
