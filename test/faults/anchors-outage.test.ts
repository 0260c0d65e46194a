// Guarantee: while the witness, the time stamping authority and the bucket of the log are all down, appends
// go on as before and epochs are closed. The served checkpoint stays where the quorum has seen it, the lag
// of each kind of anchor rises, and AnchorsBehind is raised. When they are back, the log is served again,
// stamped and locked by itself, and the alert clears. As the control, `quorum none` serves newer epochs
// meanwhile. What cannot be built or installed here is left out, and the test says so. Only in the full
// form: flows of witnesses, time stamps and the bucket have shorter outages.

import { freePort } from "@annals/local";
import { eventually, findS3Server, S3Server } from "@annals/testing";
import { noteSigner, parseCheckpoint, parseNote, type VerifierKey } from "@annals/tlog";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { expect, inject, onTestFinished, test } from "vitest";
import { FakeWitness } from "../system/fake-witness.ts";
import { metricOf } from "../system/metric-of.ts";
import { OpensslTsa } from "../system/openssl-tsa.ts";
import { hasOpenssl } from "../system/programs.ts";
import { processesOf, startTestbed, type Testbed } from "../system/testbed.ts";
import { startPrometheus } from "./prometheus.ts";
import { report } from "../system/report.ts";

const { forMs } = inject("form").anchorsOutage;
const ORIGIN = "log.example/outage";
const BUCKET = "log";
const PACE_MS = 20;
const WITHIN_MS = 90_000;
/** An anchor that failed for long is asked again after ten minutes at most. */
const RECOVERED_WITHIN_MS = 15 * 60_000;

type Tsa = OpensslTsa | undefined;
type Bucket = S3Server | undefined;

const s3Program = await findS3Server().catch((error: Error) => error);
const hasPrometheus = !spawnSync("prometheus", ["--version"]).error;

test("each kind of anchor is there, or it is said why not", () => {
  const lacking = [
    ...(s3Program instanceof Error ? [`the bucket: ${s3Program.message}`] : []),
    ...(hasOpenssl ? [] : ["time stamps: there is no openssl"]),
    ...(hasPrometheus ? [] : ["the alert: there is no prometheus"]),
  ];
  // oxlint-disable-next-line no-console -- nothing of the product needs them, so their lack fails nothing
  for (const what of lacking) console.warn(`left out, ${what}`);
  expect(lacking.length).toBeLessThan(4);
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "annals-outage-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function startTsa(folder: string): Promise<Tsa> {
  if (!hasOpenssl) return undefined;
  const tsa = await OpensslTsa.start(join(folder, "tsa"));
  onTestFinished(() => tsa.stop());
  return tsa;
}

async function startBucket(): Promise<Bucket> {
  if (s3Program instanceof Error) return undefined;
  const bucket = await S3Server.start(s3Program, await freePort());
  onTestFinished(() => bucket.close());
  await bucket.createBucket(BUCKET, { isLocked: true });
  return bucket;
}

async function startBed(policyFile: string, tsa: Tsa, bucket: Bucket): Promise<Testbed> {
  const policy = { ANNALS_LOG_POLICY_FILE: policyFile };
  const bed = await startTestbed({
    replicas: { gateway: 1, keys: 1, ledger: 2, "webhook-dispatcher": 2 },
    env: {
      ledger: { ...policy, ANNALS_LOG_EPOCH_S: "2", ANNALS_LOG_ORIGIN: ORIGIN },
      "webhook-dispatcher": {
        ...policy,
        ANNALS_LOG_ANCHOR_INTERVAL_S: "1",
        ...(tsa && { ANNALS_LOG_TSA_URL: tsa.url }),
        ...(bucket && {
          ANNALS_LOG_S3_URL: `s3://${BUCKET}?endpoint=${bucket.endpoint}&lock_days=1`,
          ANNALS_LOG_S3_ACCESS_KEY_ID: bucket.credentials.accessKeyId,
          ANNALS_LOG_S3_SECRET_ACCESS_KEY: bucket.credentials.secretAccessKey,
        }),
      },
    },
  });
  onTestFinished(() => bed.stop());
  return bed;
}

const sizeOf = (note: string): number => parseCheckpoint(parseNote(note).text).size;

async function served({ stack }: Testbed): Promise<number> {
  const answer = await fetch(`${stack.baseUrls[0]}/log/checkpoint`);
  return answer.status === 200 ? sizeOf(await answer.text()) : 0;
}

const servedBeyond = (bed: Testbed, size: number, withinMs = WITHIN_MS) =>
  eventually(`more than ${size} is served`, async () => (await served(bed)) > size, withinMs);

const locked = async (bucket: S3Server): Promise<number> => {
  const note = await bucket.read(BUCKET, "checkpoint");
  return note === undefined ? 0 : sizeOf(String(note));
};

const stamped = async ({ owner }: Testbed): Promise<number> => {
  const stamps = await owner.query<{ epoch: string | null }>(
    "SELECT max(epoch) AS epoch FROM ledger.anchors WHERE kind = 'timestamp'",
  );
  return Number(stamps[0]?.epoch ?? 0);
};

const closedEpochs = async ({ owner }: Testbed): Promise<number> =>
  (await owner.query("SELECT FROM ledger.epochs")).length;

/** The largest lag of a kind that a replica shows, in seconds. */
async function lagOf({ stack }: Testbed, kind: string): Promise<number> {
  const replicas = processesOf(stack, "webhook-dispatcher");
  const metric = `annals_log_anchor_lag_seconds{kind="${kind}"`;
  return Math.max(
    ...(await Promise.all(replicas.map(({ adminUrl }) => metricOf(adminUrl, metric)))),
  );
}

/** Appends at an even pace for as long as `work` takes. Expects 201 of each, and resolves to the times. */
async function whileAppending(bed: Testbed, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const writer = (async () => {
    for (; !isOver; await pause(PACE_MS)) {
      const begun = performance.now();
      const { status } = await bed.clients[0]!.post("/v1/events", { action: "thing.done" });
      expect(status).toBe(201);
      times.push(performance.now() - begun);
    }
  })();
  await work().finally(() => (isOver = true));
  await writer;
  return times.toSorted((one, other) => one - other);
}

const share = (times: readonly number[], of: number): number =>
  Math.round(10 * (times[Math.floor(times.length * of)] ?? 0)) / 10;

test(
  "an outage of all anchors",
  async () => {
    const folder = await newFolder();
    const keys: VerifierKey[] = [];
    const witness = new FakeWitness("one.example", 1, () => keys);
    await witness.start();
    onTestFinished(() => witness.stop());
    const file = join(folder, "policy");
    const write = async (quorum: string) => {
      await writeFile(`${file}.new`, `${witness.line("w1")}quorum ${quorum}\n`);
      await rename(`${file}.new`, file);
    };
    await write("w1");
    const [tsa, bucket] = [await startTsa(folder), await startBucket()];
    const kinds = ["witness", ...(tsa ? ["timestamp"] : []), ...(bucket ? ["bucket"] : [])];
    const bed = await startBed(file, tsa, bucket);
    const prometheus = hasPrometheus ? await startPrometheus(bed.stack) : undefined;
    const line = await readFile(join(bed.stack.dataDir, "log-key"), "utf8");
    keys.push(noteSigner(ORIGIN, Buffer.from(line.trim(), "base64")).key);

    const before = await whileAppending(bed, async () => {
      await servedBeyond(bed, 0);
      if (tsa) await eventually("a stamp", async () => (await stamped(bed)) > 0, WITHIN_MS);
      if (bucket) await eventually("a lock", async () => (await locked(bucket)) > 0, WITHIN_MS);
      await pause(forMs / 10);
    });

    await witness.stop();
    if (tsa) tsa.isDown = true;
    await bucket?.pause();
    // What was under way ends.
    await pause(2_000);
    const [shown, epochs] = [await served(bed), await closedEpochs(bed)];
    const since = Date.now();
    const meanwhile = await whileAppending(bed, async () => {
      while (Date.now() - since < forMs) {
        expect(await served(bed)).toBe(shown);
        await pause(1_000);
      }
      await prometheus?.raised("AnchorsBehind");
    });
    const closed = (await closedEpochs(bed)) - epochs;
    expect(closed).toBeGreaterThan(1);
    const lags = await Promise.all(kinds.map((kind) => lagOf(bed, kind)));
    for (const lag of lags) expect(lag).toBeGreaterThan(forMs / 2_000);

    await write("none");
    await servedBeyond(bed, shown);
    await write("w1");

    await witness.start();
    if (tsa) tsa.isDown = false;
    await bucket?.resume();
    const back = Date.now();
    const after = await whileAppending(bed, async () => {
      const least = await closedEpochs(bed);
      await servedBeyond(bed, least, RECOVERED_WITHIN_MS);
      const recovered = (what: string, size: () => Promise<number>) =>
        eventually(what, async () => (await size()) > least, RECOVERED_WITHIN_MS);
      if (tsa) await recovered("a stamp", () => stamped(bed));
      if (bucket) await recovered("a lock", () => locked(bucket));
      const isCaughtUp = async (kind: string) => (await lagOf(bed, kind)) < 60;
      for (const kind of kinds) await eventually(kind, () => isCaughtUp(kind), WITHIN_MS);
      await prometheus?.cleared("AnchorsBehind");
    });
    report({
      "kinds of anchors": kinds.length,
      "seconds down": forMs / 1_000,
      appends: meanwhile.length,
      "epochs closed": closed,
      "least lag in seconds": Math.round(Math.min(...lags)),
      "seconds until recovered": Math.round((Date.now() - back) / 1_000),
      "p50 before": share(before, 0.5),
      "p50 meanwhile": share(meanwhile, 0.5),
      "p50 after": share(after, 0.5),
      "p99 before": share(before, 0.99),
      "p99 meanwhile": share(meanwhile, 0.99),
      "p99 after": share(after, 0.99),
    });
  },
  forMs + 2 * RECOVERED_WITHIN_MS,
);
