// Guarantees: an account has one checkpoint for each served epoch in which its log grew, signed under its own
// name, and its position rises with each. What an epoch that is not served says does not count. A log that
// follows another goes on above the positions of the other.

import { parseCheckpoint, parseNote, verifyNote } from "@annals/tlog";
import { beforeEach, expect, test } from "vitest";
import { ORIGIN } from "../../testing/log-signer.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";

const [ACCOUNT, OTHER] = ["acct_1", "acct_2"];

let log: TestLog;
let closer: ReturnType<TestLog["newCloser"]>;

beforeEach(async () => {
  log = await TestLog.open();
  closer = log.newCloser();
});

async function epoch(...accountIds: string[]): Promise<void> {
  for (const accountId of accountIds) await log.grow(accountId, 2);
  log.later(INTERVAL_S);
  await closer.run();
}

async function checkpointsOf(accountId: string, afterPosition = 0n, limit = 20) {
  const request = { accountId, afterPosition, limit };
  const { checkpoints } = await log.ledger.client.listCheckpoints(request);
  return checkpoints.map(({ data, position }) => ({ position, ...JSON.parse(data) }));
}

const positionsOf = (...accountIds: string[]) =>
  log.ledger.client.getCheckpointPositions({ accountIds });

const numbersIn = (checkpoints: readonly { epoch: number; size: number }[]) =>
  checkpoints.map(({ epoch: number, size }) => [number, size]);

test("there is nothing before the first epoch", async () => {
  await log.append(ACCOUNT, 1);
  expect(await checkpointsOf(ACCOUNT)).toEqual([]);
  expect(await positionsOf(ACCOUNT, OTHER)).toMatchObject({ served: 0n, positions: [0n, 0n] });
});

test("one for each epoch in which the account grew, signed under its name", async () => {
  for (const accounts of [[ACCOUNT], [OTHER], [ACCOUNT, OTHER], [OTHER]]) await epoch(...accounts);
  const checkpoints = await checkpointsOf(ACCOUNT);
  expect(numbersIn(checkpoints)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (const { checkpoint, epoch: number, origin, position, root, size, time } of checkpoints) {
    const note = parseNote(checkpoint);
    verifyNote(note, log.signer.keysOf(ACCOUNT));
    const said = parseCheckpoint(note.text);
    expect([said.origin, said.size, said.root.toString("hex")]).toEqual([origin, size, root]);
    expect([origin, position]).toEqual([`${ORIGIN}/${ACCOUNT}`, BigInt(number)]);
    expect(time).toBe(`2026-05-10T12:0${number}:00.000000Z`);
  }
  // ReadCheckpoint returns the same bytes.
  const { checkpoint } = await log.ledger.client.readCheckpoint({ accountId: ACCOUNT, size: 2n });
  expect(checkpoints[0]?.checkpoint).toBe(checkpoint);
});

test("a page begins after a position and has at most as many as asked for", async () => {
  for (let at = 0; at < 4; at += 1) await epoch(ACCOUNT);
  expect(numbersIn(await checkpointsOf(ACCOUNT, 1n, 2))).toEqual([
    [2, 4],
    [3, 6],
  ]);
  expect(await checkpointsOf(ACCOUNT, 4n)).toEqual([]);
  const { client } = log.ledger;
  for (const limit of [0, 21])
    await expect(client.listCheckpoints({ accountId: ACCOUNT, limit })).rejects.toThrow("1 to 20");
  const accountIds = Array.from({ length: 1_001 }, (_, at) => `acct_${at}`);
  await expect(client.getCheckpointPositions({ accountIds })).rejects.toThrow("at most 1000");
});

test("positions are of the newest served epoch in which each account grew", async () => {
  for (const accounts of [[ACCOUNT], [ACCOUNT, OTHER], [ACCOUNT], [OTHER]])
    await epoch(...accounts);
  expect(await positionsOf(OTHER, "acct_none", ACCOUNT)).toMatchObject({
    served: 4n,
    positions: [4n, 0n, 3n],
    isPartial: false,
  });
  expect(await positionsOf()).toMatchObject({ served: 4n, positions: [] });
});

test("an epoch that no quorum has seen does not count, until a later one is served", async () => {
  for (let at = 0; at < 3; at += 1) await epoch(ACCOUNT);
  await log.owner.query("UPDATE ledger.epochs SET quorum_at = NULL WHERE epoch > 1");
  expect(numbersIn(await checkpointsOf(ACCOUNT))).toEqual([[1, 2]]);
  expect(await positionsOf(ACCOUNT)).toMatchObject({ served: 1n, positions: [1n] });
  await log.owner.query("UPDATE ledger.epochs SET quorum_at = now() WHERE epoch = 3");
  expect(numbersIn(await checkpointsOf(ACCOUNT, 1n))).toEqual([
    [2, 4],
    [3, 6],
  ]);
});

test("the checkpoints of a log that follows another are above those of the other", async () => {
  for (let at = 0; at < 3; at += 1) await epoch(ACCOUNT);
  await log.owner.query("UPDATE ledger.logs SET log = 2");
  await log.owner.query("UPDATE ledger.epochs SET log = 2");
  await log.owner.query("UPDATE ledger.account_heads SET log = 2");
  const checkpoints = await checkpointsOf(ACCOUNT, 3n);
  expect(numbersIn(checkpoints)).toEqual([
    [1, 2],
    [2, 4],
    [3, 6],
  ]);
  const positions = checkpoints.map(({ position }) => position);
  expect(positions.every((position) => position > 3n)).toBe(true);
  expect(await positionsOf(ACCOUNT)).toMatchObject({ positions: positions.slice(-1) });
  expect(numbersIn(await checkpointsOf(ACCOUNT, positions[0]))).toEqual(
    numbersIn(checkpoints.slice(1)),
  );
});
