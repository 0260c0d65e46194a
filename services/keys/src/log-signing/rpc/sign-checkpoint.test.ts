// Guarantees: the checkpoint of an account is signed only if its head is in the map of an epoch under the
// head that was signed last, and never under a name that a log could have. With a real PostgreSQL and the
// service's own rights.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { headRecord, MAX_MAP_DEPTH } from "@annals/tlog";
import { beforeEach, describe, expect, test } from "vitest";
import { migratedDatabase } from "../../testing/database.ts";
import { HeadLog, keysOf, newKeyLine, readNote, signingProcess } from "../../testing/head-log.ts";

const ORIGIN = "log.example.com";
const FILE = keysOf(newKeyLine(), newKeyLine());
const HASH = Buffer.alloc(32, 9);
const [ONE, TWO] = ["acct_one", "acct_two"].map((chain, index) => ({
  chain,
  size: 10 + index,
  root: Buffer.alloc(32, index + 1),
})) as [HeadOf, HeadOf];

type HeadOf = { readonly chain: string; readonly size: number; readonly root: Buffer };

let owner: TestDatabase;
let pool: Pool;
let log: HeadLog;
let keys: ReturnType<typeof signingProcess>;

/** Two epochs: in the first ONE is alone, in the second it has the same head. */
beforeEach(async () => {
  ({ owner, service: pool } = await migratedDatabase());
  log = new HeadLog(ORIGIN);
  keys = signingProcess(pool, FILE);
  for (const head of [ONE, TWO]) await keys.signEpoch(log.grow(head).epoch());
});

/** The same log, but with another head of TWO. */
const forkOf = (size: number) => new HeadLog(ORIGIN).grow(ONE).grow({ ...TWO, size });

test("a head in the newest epoch, signed by every key under the account's origin", async () => {
  const { checkpoint, signedSize } = await keys.signCheckpoint(log.checkpoint(TWO));
  expect(signedSize).toBe(2n);
  const { root, size } = TWO;
  const expected = { origin: `${ORIGIN}/acct_two`, size, root, by: FILE.publicKeys };
  expect(readNote(checkpoint, FILE)).toEqual(expected);
  const again = await signingProcess(pool, FILE).signCheckpoint(log.checkpoint(TWO));
  expect(again.checkpoint).toBe(checkpoint);
});

test("a head in an earlier epoch", async () => {
  const request = log.checkpoint(ONE, { epoch: 1, path: [] });
  const { checkpoint } = await keys.signCheckpoint(request);
  expect(readNote(checkpoint, FILE)).toMatchObject({ size: ONE.size, root: ONE.root });
});

test("under a head that was not signed last: the response has the size that was", async () => {
  const request = log.checkpoint(TWO);
  await keys.signEpoch(log.grow().epoch());
  const unsigned = { checkpoint: "", signedSize: 3n };
  expect(await keys.signCheckpoint(request)).toEqual(unsigned);
  expect(await keys.signCheckpoint(log.grow().checkpoint(TWO))).toEqual(unsigned);
});

test("not where the signed head went back", async () => {
  await owner.query("UPDATE keys.signed_heads SET size = 1, root = $1", [log.root(1)]);
  const refused = keys.signCheckpoint(log.checkpoint(TWO));
  await expect(refused).rejects.toMatchObject({ kind: "internal" });
});

describe("is refused:", () => {
  const other = (changes: Partial<HeadOf>) => ({ head: headRecord({ ...TWO, ...changes }) });
  const cases: readonly [string, string, () => Parameters<HeadLog["checkpoint"]>[1]][] = [
    ["a size that no epoch has", "path", () => other({ size: 12 })],
    ["a root that no epoch has", "path", () => other({ root: HASH })],
    ["the head of another account", "path", () => other({ chain: "acct_six" })],
    ["a path that was changed", "path", () => ({ path: [HASH] })],
    ["a path that was cut", "path", () => ({ path: [] })],
    ["a head of another epoch", "path", () => ({ epoch: 1 })],
    ["a path that is too long", "path", () => ({ path: Array(MAX_MAP_DEPTH + 1).fill(HASH) })],
    ["a short hash in the path", "path[0]", () => ({ path: [HASH.subarray(1)] })],
    ["a record that is not canonical", "head", () => ({ head: `${headRecord(TWO)} ` })],
    ["a record that is too long", "head", () => ({ head: "x".repeat(513) })],
    ["a wrong proof of inclusion", "inclusion", () => ({ inclusion: [HASH] })],
    ["an entry behind the last one", "inclusion", () => log.copy().grow().proofOf(3)],
    ["an entry that the log does not have", "inclusion", () => forkOf(TWO.size + 1).proofOf(2)],
    ["too many hashes", "inclusion", () => ({ inclusion: Array(65).fill(HASH) })],
    ["a root that is not that of the size", "inclusion", () => ({ root: HASH })],
    ["a text that is not an entry", "entry", () => ({ entry: "{}" })],
    ["no origin", "origin", () => ({ origin: "" })],
  ];
  test.each(cases)("%s", async (_, field, change) => {
    await expect(keys.signCheckpoint(log.checkpoint(TWO, change()))).rejects.toMatchObject({
      kind: "invalid",
      faults: [{ field }],
    });
    expect((await keys.signCheckpoint(log.checkpoint(TWO))).checkpoint).not.toBe("");
  });

  test("a head of another log of the same size", async () => {
    const request = forkOf(12).checkpoint({ ...TWO, size: 12 });
    await expect(keys.signCheckpoint(request)).rejects.toMatchObject({
      faults: [{ field: "root", message: "must be that of the head which was signed last" }],
    });
  });

  test("an epoch of another kind", async () => {
    const next = new HeadLog(`${ORIGIN}/2`);
    next.add({ kind: "succeeds", origin: ORIGIN, size: 2, root: log.root() });
    await keys.signEpoch(next.epoch());
    await expect(keys.signCheckpoint(next.checkpoint(TWO))).rejects.toMatchObject({
      faults: [{ field: "entry", message: "must be of the kind heads" }],
    });
  });

  test("a chain whose origin could be that of a log", async () => {
    const chain = { ...TWO, chain: "2" };
    await keys.signEpoch(log.grow(chain).epoch());
    await expect(keys.signCheckpoint(log.checkpoint(chain))).rejects.toMatchObject({
      faults: [{ field: "head", message: "must be of an account" }],
    });
  });

  test("everything without a key", async () => {
    const { signCheckpoint } = signingProcess(pool, undefined);
    const refused = signCheckpoint(log.checkpoint(TWO));
    await expect(refused).rejects.toMatchObject({ kind: "unavailable" });
  });
});
