// Guarantees: a key that keys no longer signs with has no say in later epochs, whether it stayed for an
// overlap or was stolen. The log no longer names it, its signature stops no epoch, and checkpoints of
// accounts are not signed again and again for its sake. What it has signed stays as it is, and counts.

import { noteSigner, noteText, parseEntry, parseNote, verifyNote, vkeyOf } from "@annals/tlog";
import { beforeEach, describe, expect, test } from "vitest";
import { ORIGIN } from "../../testing/log-signer.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";

const [ACCOUNT, OTHER] = ["acct_1", "acct_2"];
const OTHER_ROOT = Buffer.alloc(32, 9);
const [OLD, NEW, NEWER] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [
  Buffer,
  Buffer,
  Buffer,
];

let log: TestLog;
let closer: ReturnType<TestLog["newCloser"]>;

beforeEach(async () => {
  log = await TestLog.open();
  closer = log.newCloser();
});

async function epoch(account: string): Promise<void> {
  await log.grow(account, 1);
  log.later(INTERVAL_S);
  await closer.run();
}

/** Puts these seeds into the file of keys, newest first. */
const use = (...seeds: readonly Buffer[]) => void log.signer.seeds.splice(0, 8, ...seeds);

/** How a rotation gets from the old key to the new one: with an overlap, or without. */
const ROTATIONS: readonly [string, () => Promise<void>][] = [
  [
    "after an overlap",
    async () => {
      use(NEW, OLD);
      for (let count = 0; count < 2; count += 1) await epoch(OTHER);
      use(NEW);
      await epoch(OTHER);
    },
  ],
  [
    "without an overlap",
    async () => {
      use(NEW);
      for (let count = 0; count < 2; count += 1) await epoch(OTHER);
    },
  ],
];

const vkeysOf = (...seeds: readonly Buffer[]) =>
  seeds.map((seed) => vkeyOf(noteSigner(ORIGIN, seed).key));
const shownVkeys = async () => (await log.ledger.client.getLog({ accountId: ACCOUNT })).vkeys;
const add = (note: string) =>
  log.ledger.client.addAnchor({ log: 1, anchor: { case: "seenCheckpoint", value: note } });

function signed(size: number, seed: Buffer): string {
  const text = `${ORIGIN}\n${size}\n${OTHER_ROOT.toString("base64")}\n`;
  return noteText({ text, signatures: [noteSigner(ORIGIN, seed).sign(text)] });
}

describe.each(ROTATIONS)("a key that is dropped %s", (_, rotate) => {
  test("is no longer named, by the account's log and by the head log", async () => {
    await epoch(ACCOUNT);
    expect(await shownVkeys()).toEqual(vkeysOf(OLD));
    await rotate();
    expect(await shownVkeys()).toEqual(vkeysOf(NEW));
    const part = { case: "vkey", value: {} } as const;
    const { content } = await log.ledger.client.readHeadLog({ log: 1, part });
    expect(Buffer.from(content).toString()).toBe(`${vkeysOf(NEW).join("")}\n`);
  });

  test("stops no epoch with a checkpoint that it alone has signed; the key that signs now does", async () => {
    await epoch(ACCOUNT);
    await rotate();
    await expect(add(signed(99, OLD))).rejects.toThrow("seen_checkpoint: ");
    const before = (await log.checkedEpochs()).length;
    await epoch(ACCOUNT);
    expect([(await log.checkedEpochs()).length, closer.rolledBack()]).toEqual([before + 1, 0]);
    await add(signed(99, NEW));
    await epoch(ACCOUNT);
    expect([(await log.checkedEpochs()).length, closer.rolledBack()]).toEqual([before + 1, 1]);
  });

  test("has signed checkpoints that the log has: who shows one is not refused", async () => {
    await epoch(ACCOUNT);
    const [kept = ""] = log.signer.signed;
    await rotate();
    expect(await add(kept)).toMatchObject({ names: [] });
    await epoch(ACCOUNT);
    expect(closer.rolledBack()).toBe(0);
  });

  test("is not asked for again: the checkpoint of an account is signed once more, and kept", async () => {
    await epoch(ACCOUNT);
    const read = async () =>
      (await log.ledger.client.readCheckpoint({ accountId: ACCOUNT })).checkpoint;
    await read();
    await rotate();
    const note = await read();
    verifyNote(
      parseNote(note),
      [NEW].map((seed) => noteSigner(`${ORIGIN}/${ACCOUNT}`, seed).key),
    );
    // The signer would refuse to sign for a log that it has never seen.
    log.signer.head = { size: 99, root: OTHER_ROOT };
    expect(await read()).toBe(note);
  });

  test("leaves its epochs as they are, and who has both keys verifies all of them", async () => {
    await epoch(ACCOUNT);
    const [first] = await log.checkedEpochs();
    await rotate();
    const epochs = await log.checkedEpochs();
    expect(epochs[0]).toEqual(first);
    const keys = [OLD, NEW].map((seed) => noteSigner(ORIGIN, seed).key);
    const { heads } = await log.ledger.client.listHeads({ accountId: ACCOUNT, limit: 50 });
    expect(heads.length).toBeGreaterThan(0);
    for (const { checkpoint } of heads) verifyNote(parseNote(checkpoint), keys);
  });
});

test("each of several keys that join is named before it counts, and one that comes back is named again", async () => {
  await epoch(ACCOUNT);
  use(NEWER, NEW, OLD);
  await epoch(OTHER);
  expect(await shownVkeys()).toEqual(vkeysOf(NEW, OLD));
  await epoch(OTHER);
  expect(await shownVkeys()).toEqual(vkeysOf(NEWER, NEW, OLD));
  use(NEWER);
  await epoch(OTHER);
  expect(await shownVkeys()).toEqual(vkeysOf(NEWER));
  use(OLD, NEWER);
  await epoch(OTHER);
  expect(await shownVkeys()).toEqual(vkeysOf(OLD, NEWER));
  const named = (await log.checkedEpochs()).flatMap(({ entry }) => {
    const said = parseEntry(entry);
    return said.kind === "key" ? [said.key] : [];
  });
  expect(named).toEqual(vkeysOf(NEW, NEWER, OLD));
});

test("a checkpoint of a key that no epoch has named yet is not shown, and can be asked for again", async () => {
  await epoch(ACCOUNT);
  use(NEW);
  const read = () => log.ledger.client.readCheckpoint({ accountId: ACCOUNT });
  await expect(read()).rejects.toThrow("cannot be signed now");
  await epoch(OTHER);
  const { checkpoint } = await read();
  verifyNote(parseNote(checkpoint), [noteSigner(`${ORIGIN}/${ACCOUNT}`, NEW).key]);
});

test("a proposal from before a rotation without overlap is signed by the new key, which is named next", async () => {
  await epoch(ACCOUNT);
  const failing = log.newCloser(undefined, {
    ...log.signer.client,
    signEpoch: () => Promise.reject(new Error("keys is away")),
  });
  await log.grow(ACCOUNT, 1);
  log.later(INTERVAL_S);
  await log.endClaim();
  await expect(failing.run()).rejects.toThrow("keys is away");
  use(NEW);
  await log.endClaim();
  await closer.run();
  expect(await shownVkeys()).toEqual(vkeysOf(OLD));
  await epoch(ACCOUNT);
  expect(await shownVkeys()).toEqual(vkeysOf(NEW));
  const kinds = (await log.checkedEpochs()).map(({ entry }) => parseEntry(entry).kind);
  expect(kinds).toEqual(["heads", "heads", "key"]);
});
