// Guarantees: no epoch is closed where history went back, or over heads that were changed. A key that joins
// is named by the log.

import { parseEntry, parseNote } from "@annals/tlog";
import { beforeEach, describe, expect, test } from "vitest";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";

const FIRST = "acct_1";

let log: TestLog;

beforeEach(async () => {
  log = await TestLog.open();
});

describe("history that went back", () => {
  test("a log that lacks what keys has signed gets no epoch", async () => {
    const closer = log.newCloser();
    for (let epoch = 1; epoch <= 3; epoch += 1) {
      await log.grow(FIRST, 1);
      await closer.run();
      log.later(INTERVAL_S);
    }
    await log.restoreTo(2);
    const restored = log.newCloser();
    await restored.run();
    expect(restored.rolledBack()).toBe(1);
    expect(await log.owner.query("SELECT * FROM ledger.epochs")).toHaveLength(2);
  });

  test("a rewritten log is not continued", async () => {
    const closer = log.newCloser();
    for (let epoch = 1; epoch <= 3; epoch += 1) {
      await log.grow(FIRST, 1);
      await closer.run();
      log.later(INTERVAL_S);
    }
    const { size } = log.signer.head;
    log.signer.head = { size, root: Buffer.alloc(32, 9) };
    await log.grow(FIRST, 1);
    await closer.run();
    expect(closer.rolledBack()).toBe(1);
    expect(await log.owner.query("SELECT * FROM ledger.epochs")).toHaveLength(3);
  });

  test("a signer that has an older head is led to the newest", async () => {
    const closer = log.newCloser();
    const heads = [log.signer.head];
    for (let epoch = 1; epoch <= 5; epoch += 1) {
      await log.grow(FIRST, 1);
      await closer.run();
      heads.push(log.signer.head);
      log.later(INTERVAL_S);
    }
    log.signer.head = heads[2] ?? expect.fail("no head");
    await log.grow(FIRST, 1);
    await closer.run();
    expect(closer.rolledBack()).toBe(0);
    expect(await log.checkedEpochs()).toHaveLength(6);
  });
});

test("heads that were changed end the epochs of a process that begins", async () => {
  await log.grow(FIRST, 1);
  await log.newCloser().run();
  await log.owner.query("UPDATE ledger.account_heads SET size = 7");
  log.later(INTERVAL_S);
  await log.grow(FIRST, 1);
  await log.endClaim();
  await expect(log.newCloser().run()).rejects.toThrow("are not those of epoch 1");
});

test("a key that joins is named by the next entry, and signs with the others", async () => {
  const closer = log.newCloser();
  await log.grow(FIRST, 1);
  await closer.run();
  log.signer.seeds.unshift(Buffer.alloc(32, 2));
  await log.grow(FIRST, 1);
  for (let run = 0; run < 2; run += 1) {
    log.later(INTERVAL_S);
    await closer.run();
  }
  const epochs = await log.checkedEpochs();
  expect(epochs.map(({ entry }) => parseEntry(entry).kind)).toEqual(["heads", "key", "heads"]);
  expect(parseNote(epochs.at(-1)?.checkpoint ?? "").signatures).toHaveLength(2);
  expect(await log.sizesIn("3")).toEqual({ [FIRST]: 2 });
});
