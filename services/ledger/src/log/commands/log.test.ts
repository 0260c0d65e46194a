// Guarantees: `log status` says how far the log reaches; `log succeed` begins a log that names the largest
// known checkpoint of the old one, which then has epochs again. A file that cannot be used is refused.

import { noteSigner, noteText, parseEntry, parseNote } from "@annals/tlog";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { ORIGIN } from "../../testing/log-signer.ts";
import { runCommand } from "../../testing/run-command.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";

const [ACCOUNT, NEXT] = ["acct_1", `${ORIGIN}/2`];
const YEARS_S = 40 * 365 * 86_400;
const folder = await mkdtemp(join(tmpdir(), "annals-log-"));
afterAll(() => rm(folder, { recursive: true }));

let log: TestLog;

beforeEach(async () => {
  log = await TestLog.open();
});

const run = (...words: string[]) => runCommand(log.owner.url, words);

async function close(epochs: number): Promise<void> {
  const closer = log.newCloser();
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    await log.grow(ACCOUNT, 1);
    await closer.run();
    log.later(INTERVAL_S);
  }
  await log.endClaim();
}

const entriesOf = async (number: number) =>
  (
    await log.owner.query<{ entry: string }>(
      "SELECT entry FROM ledger.epochs WHERE log = $1 ORDER BY epoch",
      [number],
    )
  ).map(({ entry }) => parseEntry(entry));

/** A checkpoint of the old log that a witness would have kept. */
async function keep(size: number): Promise<string> {
  const signer = noteSigner(ORIGIN, log.signer.seeds[0] ?? Buffer.alloc(0));
  const text = `${ORIGIN}\n${size}\n${Buffer.alloc(32, 8).toString("base64")}\n`;
  const file = join(folder, "checkpoint");
  await writeFile(file, noteText({ text, signatures: [signer.sign(text)] }));
  return file;
}

test("the status of a log, and the refusal before the first epoch", async () => {
  expect(await run("log", "status")).toMatchObject({ status: 1, stdout: "" });
  await close(2);
  const { status, stdout } = await run("log", "status", "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    origin: ORIGIN,
    newest_epoch: { epoch: 2, time: "2026-05-10T12:01:00.000000Z" },
    served_epoch: { epoch: 2 },
    witnesses: [],
  });
  expect((await run("log", "status")).stdout).toMatch(/^newest epoch {2}2 of 2026-05-10T12:01/m);
});

test("a log that follows one names its last head, and goes on", async () => {
  await close(2);
  const { status, stdout } = await run("log", "succeed", "--origin", NEXT);
  expect([status, stdout]).toEqual([
    0,
    `${NEXT} follows ${ORIGIN} after 2 epochs: its first epoch follows within seconds\n`,
  ]);
  await close(1);
  // The command has the time of its machine.
  log.later(YEARS_S);
  await close(1);
  expect(await entriesOf(2)).toMatchObject([
    { epoch: 1, kind: "succeeds", origin: ORIGIN, size: 2 },
    { epoch: 2, kind: "heads" },
  ]);
  const [row] = await log.owner.query<{ checkpoint: string }>(
    "SELECT checkpoint FROM ledger.epochs WHERE log = 2 AND epoch = 2",
  );
  expect(parseNote(row?.checkpoint ?? "").text).toMatch(`${NEXT}\n2\n`);
  const heads = await log.ledger.client.listHeads({ accountId: ACCOUNT, limit: 50 });
  expect(heads.heads.map(({ epoch }) => epoch)).toEqual([2n]);
});

test("a larger checkpoint that was kept is named instead", async () => {
  await close(2);
  const file = await keep(9);
  expect(await run("log", "succeed", "--origin", NEXT, "--known", file)).toMatchObject({
    status: 0,
  });
  await close(1);
  expect(await entriesOf(2)).toMatchObject([{ kind: "succeeds", size: 9 }]);
});

test("what cannot be used is refused", async () => {
  expect(await run("log", "succeed", "--origin", NEXT)).toMatchObject({ status: 1 });
  await close(1);
  expect(await run("log", "succeed", "--origin", "two words")).toMatchObject({ status: 2 });
  expect(await run("log", "succeed", "--origin", ORIGIN)).toMatchObject({ status: 1 });
  const absent = join(folder, "absent");
  expect(await run("log", "succeed", "--origin", NEXT, "--known", absent)).toMatchObject({
    status: 2,
  });
  log.signer.seeds[0] = Buffer.alloc(32, 9);
  const foreign = await keep(9);
  const { status } = await run("log", "succeed", "--origin", NEXT, "--known", foreign);
  expect(status).not.toBe(0);
  expect(await log.owner.query("SELECT log FROM ledger.logs")).toEqual([{ log: 1 }]);
});
