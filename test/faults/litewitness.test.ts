// Guarantee: a real witness, litewitness, cosigns every epoch while events are appended. Where the operator
// then rewrites an epoch, with the key of the log and the row of keys, the witness answers 422: epochs stop,
// nothing newer is served, the rollback is counted, and appends go on. litewitness shows no view of its own,
// so the proof is the checkpoint that the dispatcher keeps.

import { eventually } from "@annals/testing";
import { noteSigner, parseCheckpoint, parseNote } from "@annals/tlog";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { buildLitewitness, Litewitness } from "../system/litewitness.ts";
import { metricOf } from "../system/metric-of.ts";
import { rewriteEpoch } from "../system/rewritten-log.ts";
import { processesOf, startTestbed, type Testbed } from "../system/testbed.ts";
import { report } from "../system/report.ts";

const { forMs } = inject("form").litewitness;
const ORIGIN = "log.example/litewitness";
/** Longer than a witness needs: the dispatcher looks each two seconds. */
const EPOCH_S = 6;
const WITHIN_MS = 90_000;
const WRITERS = 4;
const TIMEOUT_MS = forMs + 10 * 60_000;

const built = await buildLitewitness().catch((error: Error) => error);
/** Empty where there is no Go: nothing is skipped then, for nothing of the product needs it. */
const PROGRAMS = typeof built === "string" ? [built] : [];
if (typeof built !== "string")
  // oxlint-disable-next-line no-console -- nothing of the product needs Go, so its lack fails nothing
  console.warn(`not tested, since litewitness cannot be built: ${built.message}`);

test("the witness is there, or it is said why not", () => {
  expect(typeof built === "string" ? built : built.message).not.toBe("");
});

/** A system whose log is served as far as the witness has cosigned it. */
async function start(witness: Litewitness) {
  const folder = await mkdtemp(join(tmpdir(), "annals-policy-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "policy");
  await writeFile(file, `${witness.line("w1")}quorum w1\n`);
  const policyFile = { ANNALS_LOG_POLICY_FILE: file };
  const bed = await startTestbed({
    replicas: { gateway: 1, keys: 2, ledger: 2, "webhook-dispatcher": 2 },
    env: {
      ledger: { ...policyFile, ANNALS_LOG_EPOCH_S: String(EPOCH_S), ANNALS_LOG_ORIGIN: ORIGIN },
      "webhook-dispatcher": policyFile,
    },
  });
  onTestFinished(() => bed.stop());
  const line = await readFile(join(bed.stack.dataDir, "log-key"), "utf8");
  const seed = Buffer.from(line.trim(), "base64");
  witness.addLog(noteSigner(ORIGIN, seed).key);
  return { bed, seed };
}

/** The size of the head log that is served. */
async function served({ stack }: Testbed): Promise<number> {
  const answer = await fetch(`${stack.baseUrls[0]}/log/checkpoint`);
  return answer.status === 200 ? parseCheckpoint(parseNote(await answer.text()).text).size : 0;
}

const servedBeyond = (bed: Testbed, size: number) =>
  eventually(`epoch ${size + 1} is served`, async () => (await served(bed)) > size, WITHIN_MS);

async function sum(bed: Testbed, service: "ledger" | "webhook-dispatcher", metric: string) {
  const all = processesOf(bed.stack, service).map(({ adminUrl }) => metricOf(adminUrl, metric));
  return (await Promise.all(all)).reduce((total, each) => total + each, 0);
}

const REFUSALS = 'annals_log_witness_requests_total{outcome="inconsistent"';
const ROLLBACKS = "annals_log_rollback_total";

/** Appends that go on until they are stopped. An hour of them is not kept in memory. */
class Writers {
  appended = 0;
  #isStopped = false;
  readonly #writers: Promise<unknown>;

  constructor(bed: Testbed) {
    this.#writers = Promise.all(Array.from({ length: WRITERS }, () => this.#write(bed)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#writers;
  }

  async #write(bed: Testbed): Promise<void> {
    for (; !this.#isStopped; this.appended += 1) await append(bed);
  }
}

async function append(bed: Testbed): Promise<void> {
  const { status } = await bed.clients[0]!.post("/v1/events", { action: "thing.done" });
  expect(status).toBe(201);
}

test.each(PROGRAMS)(
  "litewitness cosigns every epoch under load, and refuses one that was rewritten",
  async (programs) => {
    const witness = await Litewitness.start(programs);
    onTestFinished(() => witness.stop());
    const { bed, seed } = await start(witness);
    const load = new Writers(bed);
    await servedBeyond(bed, 0);
    const first = await served(bed);
    const since = Date.now();
    while (Date.now() - since < forMs) await servedBeyond(bed, await served(bed));
    await load.stop();
    const last = await served(bed);
    const cosigned = await bed.owner.query<{ epoch: string }>(
      "SELECT epoch FROM ledger.anchors WHERE name = 'w1' AND epoch BETWEEN $1 AND $2 ORDER BY epoch",
      [first, last],
    );
    const all = Array.from({ length: last - first + 1 }, (_, at) => String(first + at));
    expect(cosigned.map(({ epoch }) => epoch)).toEqual(all);
    expect([
      await sum(bed, "ledger", ROLLBACKS),
      await sum(bed, "webhook-dispatcher", REFUSALS),
    ]).toEqual([0, 0]);
    report({ epochs: all.length, appends: load.appended });
    await refusesRewritten(bed, seed);
    expect(witness.output).toContain("proof");
  },
  TIMEOUT_MS,
);

async function refusesRewritten(bed: Testbed, seed: Buffer): Promise<void> {
  const closers = [...processesOf(bed.stack, "ledger"), ...processesOf(bed.stack, "keys")];
  await Promise.all(closers.map((each) => each.stop()));
  await rewriteEpoch(bed.owner, seed);
  for (const each of closers) each.start();
  await Promise.all(closers.map((each) => each.waitReady()));
  const last = await served(bed);
  await append(bed);
  await eventually(
    "the refusal",
    async () => (await sum(bed, "webhook-dispatcher", REFUSALS)) > 0,
    WITHIN_MS,
  );
  await eventually("the count", async () => (await sum(bed, "ledger", ROLLBACKS)) > 0, WITHIN_MS);
  const epochs = async () => (await bed.owner.query("SELECT FROM ledger.epochs")).length;
  const [stopped, counted] = [await epochs(), await sum(bed, "ledger", ROLLBACKS)];
  await append(bed);
  await eventually(
    "another look",
    async () => (await sum(bed, "ledger", ROLLBACKS)) > counted,
    WITHIN_MS,
  );
  expect([await epochs(), await served(bed)]).toEqual([stopped, last]);
}
