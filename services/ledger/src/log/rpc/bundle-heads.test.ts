// Guarantees: the heads of a bundle of evidence are those of epoch 1, of the last epoch of each UTC day in
// which the chain grew, and of the first epoch with the size of the bundle. Each is in the map of its epoch
// and leads to the head of that size, whatever epochs came since, and its checkpoint can be read.

import {
  parseCheckpoint,
  parseEntry,
  parseHeadRecord,
  parseNote,
  verifyConsistency,
  verifyHead,
} from "@annals/tlog";
import { beforeEach, expect, test } from "vitest";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";

const [ACCOUNT, OTHER] = ["acct_1", "acct_2"];
const DAY_S = 86_400;

let log: TestLog;
let closer: ReturnType<TestLog["newCloser"]>;

beforeEach(async () => {
  log = await TestLog.open();
  closer = log.newCloser();
});

async function epoch(accountId: string): Promise<void> {
  await log.grow(accountId, 2);
  log.later(INTERVAL_S);
  await closer.run();
}

async function nextDay(): Promise<void> {
  log.later(DAY_S);
  await log.endClaim();
}

async function linesOf(size: number, limit = 50) {
  const heads = [];
  for (let afterEpoch = 0n; ; afterEpoch = heads.at(-1)?.epoch ?? 0n) {
    const page = await log.ledger.client.listHeads({
      accountId: ACCOUNT,
      afterEpoch,
      limit,
      size: BigInt(size),
    });
    heads.push(...page.heads);
    if (!page.hasMore) break;
  }
  const request = { accountId: ACCOUNT, size: BigInt(size) };
  const { checkpoint } = await log.ledger.client.readCheckpoint(request);
  const end = parseCheckpoint(parseNote(checkpoint).text);
  return heads.map((line) => {
    const head = parseHeadRecord(line.head);
    const proof = line.consistency.map((hash) => Buffer.from(hash));
    verifyConsistency(head, end, proof);
    const entry = parseEntry(line.entry);
    expect(entry.epoch).toBe(Number(line.epoch));
    const path = line.path.map((hash) => Buffer.from(hash));
    verifyHead(entry.kind === "heads" ? entry.heads : Buffer.alloc(0), head, path);
    return [Number(line.epoch), head.size];
  });
}

test("they are those of the days in which the chain grew, and of the bundle's own head", async () => {
  for (const account of [ACCOUNT, ACCOUNT, OTHER]) await epoch(account);
  await nextDay();
  await epoch(OTHER);
  await nextDay();
  for (const account of [ACCOUNT, OTHER, ACCOUNT, OTHER]) await epoch(account);
  await nextDay();
  for (const account of [OTHER, ACCOUNT, OTHER, ACCOUNT]) await epoch(account);
  const lines = [
    [1, 2],
    [3, 4],
    [8, 8],
  ];
  expect(await linesOf(10)).toEqual([...lines, [10, 10]]);
  expect(await linesOf(12)).toEqual([...lines, [12, 12]]);
  expect(await linesOf(12, 1)).toEqual([...lines, [12, 12]]);
  expect(await linesOf(8)).toEqual([...lines.slice(0, 2), [7, 8]]);
  expect(await linesOf(2)).toEqual([[1, 2]]);
});

test("an account that is not in epoch 1 begins with its first day", async () => {
  await epoch(OTHER);
  await epoch(ACCOUNT);
  await epoch(OTHER);
  await nextDay();
  await epoch(ACCOUNT);
  expect(await linesOf(4)).toEqual([
    [3, 2],
    [4, 4],
  ]);
});

test("a size that no served epoch has is not found", async () => {
  await epoch(ACCOUNT);
  await epoch(ACCOUNT);
  await log.owner.query("UPDATE ledger.epochs SET quorum_at = NULL WHERE epoch = 2");
  for (const size of [1n, 3n, 4n, 99n]) {
    const request = { accountId: ACCOUNT, size };
    await expect(log.ledger.client.readCheckpoint(request)).rejects.toThrow("has this size");
    const heads = log.ledger.client.listHeads({ ...request, limit: 50 });
    await expect(heads).rejects.toThrow("has this size");
  }
});

test("a time stamp is with the checkpoint that it stamps", async () => {
  await epoch(ACCOUNT);
  const token = Buffer.from("token");
  await log.owner.query(
    "INSERT INTO ledger.anchors (log, epoch, kind, name, bytes, time) VALUES (1, 1, 'timestamp', 'tsa', $1, now())",
    [token],
  );
  const { heads } = await log.ledger.client.listHeads({ accountId: ACCOUNT, limit: 1, size: 2n });
  const stamp = heads[0]?.timeStamp;
  expect(stamp).toMatchObject({ size: 1n, checkpoint: heads[0]?.checkpoint });
  expect(Buffer.from(stamp?.token ?? [])).toEqual(token);
});
