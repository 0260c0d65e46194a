// Guarantees: a time stamping authority stamps the log's own checkpoint in each interval, and the ledger
// keeps what it says; what is of another checkpoint is not kept. The authority is `openssl ts`: without it
// the test says so.

import { createMigratedDatabase, eventually, newClient } from "@annals/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { OpensslTsa } from "../system/openssl-tsa.ts";
import { hasOpenssl } from "../system/programs.ts";

const WITHIN_MS = 60_000;

interface Stamped {
  readonly checkpoint: string;
  readonly bytes: Buffer;
  readonly time: Date;
}

test.runIf(hasOpenssl)(
  "each interval has a time stamp, and a false one is not kept",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "annals-tsa-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const tsa = await OpensslTsa.start(join(folder, "tsa"));
    onTestFinished(() => tsa.stop());
    const database = await createMigratedDatabase(inject("stack").databaseUrl);
    onTestFinished(() => database.drop());
    const system = await startConstellation({
      databaseUrl: database.url,
      isMigrated: true,
      without: ["export"],
      replicas: { "webhook-dispatcher": 2 },
      env: {
        ledger: { ANNALS_LOG_EPOCH_S: "1" },
        "webhook-dispatcher": { ANNALS_LOG_TSA_URL: tsa.url, ANNALS_LOG_ANCHOR_INTERVAL_S: "1" },
      },
    });
    onTestFinished(() => system.stop());
    const { client } = await newClient(system);
    const append = () => client.post("/v1/events", { action: "thing.done" });
    const stamps = () =>
      database.query<Stamped>(
        `SELECT checkpoint, bytes, anchors.time FROM ledger.anchors JOIN ledger.epochs USING (log, epoch)
       WHERE kind = 'timestamp' ORDER BY epoch`,
      );
    await append();
    const [first] = await eventually(
      "a stamp",
      async () => (await stamps()).length > 0 && stamps(),
      WITHIN_MS,
    );
    if (first === undefined) throw new Error("there is no stamp");
    await tsa.verify(first.bytes, first.checkpoint);
    expect(Math.abs(first.time.getTime() - Date.now())).toBeLessThan(WITHIN_MS);
    await append();
    const [, second] = await eventually(
      "another stamp",
      async () => (await stamps()).length > 1 && stamps(),
      WITHIN_MS,
    );
    const other = second?.checkpoint ?? first.checkpoint;
    await expect(tsa.verify(first.bytes, other)).rejects.toThrow("ts -verify");
    // A right answer for an earlier request.
    tsa.change = () => first.bytes;
    await append();
    const refused = () =>
      database.query(
        "SELECT FROM webhooks.anchors WHERE kind = 'timestamp' AND failing_since IS NOT NULL",
      );
    await eventually("a refusal", async () => (await refused()).length > 0, WITHIN_MS);
    const same = (await stamps()).filter(({ bytes }) => bytes.equals(first.bytes));
    expect(same).toHaveLength(1);
  },
  180_000,
);
