// Guarantees: the head log that a system serves is read from its bucket by an unmodified third-party tool,
// Tessera's fsck. While the bucket is down, appends and the served checkpoint go on, and the dispatcher
// stays ready. Afterwards the bucket catches up by itself. With a real S3 server with object lock; what Go
// cannot build here is said to be left out.

import { freePort, type Stack } from "@annals/local";
import {
  createMigratedDatabase,
  eventually,
  findS3Server,
  newClient,
  S3Server,
  type TestDatabase,
} from "@annals/testing";
import { parseCheckpoint, parseNote } from "@annals/tlog";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { buildFsck, fsck } from "../system/fsck.ts";
import { metricOf } from "../system/metric-of.ts";
import { leaveOut } from "../system/needs.ts";

const BUCKET = "log";
const EVENT = { action: "thing.done" };
const WITHIN_MS = 60_000;
const LONG_MS = 300_000;

const built = await Promise.all([findS3Server(), buildFsck()]).catch((error: Error) => error);
/** Empty where there is no Go: nothing of the product needs it. */
const PROGRAMS = built instanceof Error ? [] : [built];
if (built instanceof Error) leaveOut("programs built with Go", built.message);

test("the programs are there, or it is said why not", () => {
  expect(built instanceof Error ? built.message : built.join(" ")).not.toBe("");
});

async function start(program: string) {
  const s3 = await S3Server.start(program, await freePort());
  onTestFinished(() => s3.close());
  await s3.createBucket(BUCKET, { isLocked: true });
  const database = await createMigratedDatabase(inject("stack").databaseUrl);
  onTestFinished(() => database.drop());
  const system = await startConstellation({
    databaseUrl: database.url,
    isMigrated: true,
    replicas: { "webhook-dispatcher": 2 },
    env: {
      ledger: { ANNALS_LOG_EPOCH_S: "1" },
      "webhook-dispatcher": {
        ANNALS_LOG_S3_URL: `s3://${BUCKET}?endpoint=${s3.endpoint}&lock_days=1`,
        ANNALS_LOG_S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
        ANNALS_LOG_S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
        ANNALS_LOG_ANCHOR_INTERVAL_S: "1",
      },
    },
  });
  onTestFinished(() => system.stop());
  return { database, s3, system };
}

const sizeOf = (note: string | Buffer | undefined): number =>
  note === undefined ? 0 : parseCheckpoint(parseNote(String(note)).text).size;

async function servedSize({ baseUrls }: Stack): Promise<number> {
  const answer = await fetch(`${baseUrls[0]}/log/checkpoint`);
  return answer.ok ? sizeOf(await answer.text()) : 0;
}

/** Serves the bucket to everyone, as a CDN does. */
async function publish(s3: S3Server): Promise<string> {
  const server = createServer((request, response) => {
    void s3.read(BUCKET, (request.url ?? "").slice(1)).then((bytes) => {
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function lagOf({ processes }: Stack): Promise<number> {
  const { adminUrl } = processes.find(({ service }) => service === "webhook-dispatcher") ?? {};
  return metricOf(adminUrl, 'annals_log_anchor_lag_seconds{kind="bucket"');
}

const failing = (database: TestDatabase) =>
  database.query("SELECT FROM webhooks.anchors WHERE failing_since IS NOT NULL");

describe.each(PROGRAMS)("the bucket", (program, checker) => {
  test(
    "fsck accepts what is in the bucket, and an outage of the bucket costs nothing else",
    async () => {
      const { database, s3, system } = await start(program);
      const { client } = await newClient(system);
      const append = async () => expect((await client.post("/v1/events", EVENT)).status).toBe(201);
      const stored = (size: number) =>
        eventually(
          `${size} in the bucket`,
          async () => sizeOf(await s3.read(BUCKET, "checkpoint")) >= size,
          WITHIN_MS,
        );
      await append();
      await stored(1);
      const url = await publish(s3);
      const checked = await fsck(checker, { url, vkey: await vkeyOf(system) });
      expect(checked.size, checked.output).toBeGreaterThan(0);

      await s3.pause();
      const before = await servedSize(system);
      await append();
      await eventually(
        "more is served",
        async () => (await servedSize(system)) > before,
        WITHIN_MS,
      );
      await eventually("a failure", async () => (await failing(database)).length > 0, WITHIN_MS);
      await append();
      const { adminUrl } =
        system.processes.find(({ service }) => service === "webhook-dispatcher") ?? {};
      expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
      await eventually("a lag", async () => (await lagOf(system)) > 0, WITHIN_MS);

      await s3.resume();
      // As if ten minutes had gone by.
      await database.query("UPDATE webhooks.anchors SET due_at = due_at - interval '10 minutes'");
      await stored(before + 1);
      await eventually("no failure", async () => (await failing(database)).length === 0, WITHIN_MS);
      const again = await fsck(checker, { url, vkey: await vkeyOf(system) });
      expect(again.size, again.output).toBeGreaterThan(before);
    },
    LONG_MS,
  );
});

async function vkeyOf({ baseUrls }: Stack): Promise<string> {
  return (await (await fetch(`${baseUrls[0]}/log/vkey`)).text()).trimEnd();
}
