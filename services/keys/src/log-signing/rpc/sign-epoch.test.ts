// Guarantees: of two heads of one size only one is ever signed, by any number of processes, whatever the
// database is restored to. A head is signed only if it adds one entry to the last signed one, and the same
// head gets the same bytes. A log is followed by another one only where that one names it. With a real
// PostgreSQL and the service's own rights.

import { createLog } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { KEY_TYPE, keyOf, MAX_ENTRY_BYTES, vkeyOf } from "@annals/tlog";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { migratedDatabase } from "../../testing/database.ts";
import {
  HeadLog,
  keysOf,
  newKeyLine,
  readNote,
  readTogether,
  signingProcess,
} from "../../testing/head-log.ts";

const ORIGIN = "log.example.com";
const FILE = keysOf(newKeyLine());
const [HASH, OTHER_HASH] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

let owner: TestDatabase;
let pool: Pool;
let log: HeadLog;
let keys: ReturnType<typeof signingProcess>;

beforeEach(async () => {
  ({ owner, service: pool } = await migratedDatabase());
  log = new HeadLog(ORIGIN);
  keys = signingProcess(pool, FILE);
});

const head = (size: number) => ({ chain: "acct_one", size, root: Buffer.alloc(32, size) });

/** A log with other entries: its root differs at each size. */
const fork = () => new HeadLog(ORIGIN).grow(head(99));

async function signedTo(size: number): Promise<void> {
  while (log.size < size) await keys.signEpoch(log.grow(head(log.size + 1)).epoch());
}

const rows = () =>
  owner.query<{ origin: string; size: string; succeeded_by: string | null }>(
    "SELECT origin, size, succeeded_by FROM keys.signed_heads ORDER BY origin",
  );

describe("the next head", () => {
  test("is signed by every key under the origin, and stored", async () => {
    const file = keysOf(newKeyLine(), newKeyLine());
    const process = signingProcess(pool, file);
    for (const size of [1, 2, 3, 4, 5]) {
      const { checkpoint, signedSize } = await process.signEpoch(log.grow(head(size)).epoch());
      expect(signedSize).toBe(BigInt(size));
      const expected = { origin: ORIGIN, size, root: log.root(), by: file.publicKeys };
      expect(readNote(checkpoint, file)).toEqual(expected);
    }
    expect(await rows()).toEqual([{ origin: ORIGIN, size: "5", succeeded_by: null }]);
  });

  test("gets the same bytes again, in another process too", async () => {
    await signedTo(2);
    const request = log.grow().epoch();
    const first = await keys.signEpoch(request);
    expect(first.checkpoint).not.toBe("");
    expect(await keys.signEpoch(request)).toEqual(first);
    expect(await signingProcess(pool, FILE).signEpoch(request)).toEqual(first);
  });

  test("is not signed with another old size: the response has the size that was signed", async () => {
    await signedTo(3);
    const unsigned = { checkpoint: "", signedSize: 3n };
    expect(await keys.signEpoch(fork().epoch())).toEqual(unsigned);
    expect(await keys.signEpoch(fork().grow().grow().epoch())).toEqual(unsigned);
    expect(await keys.signEpoch(log.grow().grow().epoch())).toEqual(unsigned);
    expect(await rows()).toMatchObject([{ size: "3" }]);
  });
});

describe("is refused, and changes nothing:", () => {
  const cases: readonly [string, string, (log: HeadLog) => Parameters<HeadLog["epoch"]>[0]][] = [
    ["a head that does not continue", "consistency", () => fork().grow().grow().epoch()],
    ["a wrong proof of consistency", "consistency", () => ({ consistency: [HASH] })],
    ["no proof of consistency", "consistency", () => ({ consistency: [] })],
    ["a wrong proof of inclusion", "inclusion", () => ({ inclusion: [HASH, HASH] })],
    ["another root", "inclusion", () => ({ root: HASH })],
    ["the entry of another epoch", "entry", (given) => given.proofOf(2)],
    ["a step of two entries", "size", ({ size }) => ({ oldSize: BigInt(size - 2) })],
    ["an entry that is not canonical", "entry", () => ({ entry: ' {"epoch":3}' })],
    ["an entry that is too long", "entry", () => ({ entry: "x".repeat(MAX_ENTRY_BYTES + 1) })],
    ["a short root", "root", () => ({ root: HASH.subarray(1) })],
    ["a short hash", "inclusion[1]", () => ({ inclusion: [HASH, HASH.subarray(1)] })],
    ["too many hashes", "consistency", () => ({ consistency: Array(65).fill(HASH) })],
    ["a size beyond 2^53", "size", () => ({ size: 2n ** 53n })],
    ["no origin", "origin", () => ({ origin: "" })],
    ["an origin with a line feed", "origin", () => ({ origin: "a\nb" })],
    ["the origin of an account", "origin", () => ({ origin: `${ORIGIN}/acct_one` })],
  ];
  test.each(cases)("%s", async (_, field, change) => {
    await signedTo(2);
    log.grow();
    const request = log.epoch(change(log));
    await expect(keys.signEpoch(request)).rejects.toMatchObject({
      kind: "invalid",
      faults: [{ field }],
    });
    expect(await rows()).toEqual([{ origin: ORIGIN, size: "2", succeeded_by: null }]);
    expect((await keys.signEpoch(log.epoch())).signedSize).toBe(3n);
  });

  test("an entry that names a key which does not sign the log", async () => {
    await signedTo(1);
    const vkey = (name: string, key: Buffer) => vkeyOf(keyOf(name, KEY_TYPE.ed25519, key));
    const [own = HASH] = FILE.publicKeys;
    const witness = vkeyOf(keyOf(ORIGIN, KEY_TYPE.ed25519Cosignature, own));
    const named = [
      [vkey(ORIGIN, HASH), { kind: "unavailable" }],
      [vkey("other.example.com", own), { faults: [{ field: "entry" }] }],
      [witness, { faults: [{ field: "entry" }] }],
      ["key", { faults: [{ field: "entry" }] }],
    ] as const;
    for (const [key, refusal] of named) {
      const other = new HeadLog(ORIGIN).grow(head(1)).add({ kind: "key", key });
      await expect(keys.signEpoch(other.epoch())).rejects.toMatchObject(refusal);
    }
    log.add({ kind: "key", key: vkey(ORIGIN, own) });
    expect((await keys.signEpoch(log.epoch())).signedSize).toBe(2n);
  });

  test("everything without a key", async () => {
    const refused = signingProcess(pool, undefined).signEpoch(log.grow().epoch());
    await expect(refused).rejects.toMatchObject({ kind: "unavailable" });
    expect(await rows()).toEqual([]);
  });
});

/** Two processes that read what was signed before either of them signs. */
const twoProcesses = () => {
  const database = readTogether(pool, 2);
  return [signingProcess(database, FILE), signingProcess(database, FILE)] as const;
};

test.each([0, 1, 5])(
  "of two heads of one size that two processes sign together after %d others, one is signed",
  async (size) => {
    await signedTo(size);
    const both = [HASH, OTHER_HASH].map((heads) => log.copy().add({ kind: "heads", heads }));
    const answers = await Promise.all(
      twoProcesses().map((each, at) => each.signEpoch(both[at]?.epoch() ?? {})),
    );
    expect(answers.map(({ signedSize }) => signedSize)).toEqual([size + 1, size + 1].map(BigInt));
    const signed = answers.map(({ checkpoint }) => checkpoint !== "");
    expect(signed.filter((is) => is)).toHaveLength(1);
    const [row] = await owner.query("SELECT root FROM keys.signed_heads");
    expect(row).toEqual({ root: both[signed.indexOf(true)]?.root() });
  },
);

test.each([0, 1])(
  "two processes that sign the same head together after %d others give the same bytes",
  async (size) => {
    await signedTo(size);
    const request = log.grow().epoch();
    const [one, two] = await Promise.all(twoProcesses().map((each) => each.signEpoch(request)));
    expect(one?.checkpoint).not.toBe("");
    expect(two).toEqual(one);
  },
);

describe("a database that was restored to an earlier moment", () => {
  const restored = { kind: "internal", message: `the signed head of ${ORIGIN} went back` };

  test("signs nothing, until the head is there again; it is reported once", async () => {
    const error = vi.fn<(fields: object, message: string) => void>();
    const quiet = createLog({ service: "test", level: "error" });
    keys = signingProcess(pool, FILE, { log: Object.assign(quiet, { error }) });
    await signedTo(3);
    const { root } =
      (await owner.query<{ root: Buffer }>("SELECT root FROM keys.signed_heads"))[0] ?? {};
    const back = new HeadLog(ORIGIN).grow(head(1)).grow(head(2));
    await owner.query("UPDATE keys.signed_heads SET size = 2, root = $1", [back.root()]);
    for (const request of [back.grow(head(7)).epoch(), log.epoch()])
      await expect(keys.signEpoch(request)).rejects.toMatchObject(restored);
    const fields = { origin: ORIGIN, size: 2, seen: 3 };
    expect(error.mock.calls).toEqual([[fields, "a signed head went back"]]);
    expect(keys.rollbacks()).toBe(2);
    expect(await keys.signer.largest(ORIGIN)).toMatchObject({ size: 3 });
    await owner.query("UPDATE keys.signed_heads SET size = 3, root = $1", [root]);
    await signedTo(4);
    expect(await rows()).toMatchObject([{ size: "4" }]);
  });

  test("signs nothing with another root, and nothing without the row", async () => {
    await signedTo(2);
    await owner.query("UPDATE keys.signed_heads SET root = $1", [HASH]);
    await expect(keys.signEpoch(log.grow().epoch())).rejects.toMatchObject(restored);
    await owner.query("DELETE FROM keys.signed_heads");
    await expect(keys.signEpoch(fork().epoch())).rejects.toMatchObject(restored);
    await expect(
      keys.signEpoch(new HeadLog("other.example.com").grow().epoch()),
    ).rejects.toMatchObject({ faults: [{ field: "origin" }] });
    expect(await rows()).toEqual([]);
  });

  test("is followed by a log that names the largest head", async () => {
    await signedTo(3);
    const [root, small] = [log.root(), log.root(2)];
    await owner.query("UPDATE keys.signed_heads SET size = 2, root = $1", [small]);
    const next = (size: number) =>
      new HeadLog(`${ORIGIN}/2`).add({ kind: "succeeds", origin: ORIGIN, size, root });
    await expect(keys.signEpoch(next(2).epoch())).rejects.toMatchObject({
      faults: [{ field: "entry" }],
    });
    expect((await keys.signEpoch(next(3).epoch())).signedSize).toBe(1n);
  });
});

describe("a log that follows another", () => {
  const successor = (origin: string, size: number, root: Buffer) =>
    new HeadLog(`${ORIGIN}/2`).add({ kind: "succeeds", origin, size, root });

  test.each([
    ["that does not say so", "origin", () => new HeadLog(`${ORIGIN}/2`).grow()],
    ["that names another one", "origin", () => successor("x.example.com", 9, HASH)],
    ["that is behind what was signed", "entry", () => successor(ORIGIN, 2, HASH)],
    ["with another root of the same size", "entry", () => successor(ORIGIN, 3, OTHER_HASH)],
  ])("is not begun by an entry %s", async (_, field, begin) => {
    await signedTo(3);
    await expect(keys.signEpoch(begin().epoch())).rejects.toMatchObject({ faults: [{ field }] });
    expect(await rows()).toMatchObject([{ origin: ORIGIN, succeeded_by: null }]);
  });

  test("ends it: nothing more of it is signed, and it cannot be followed twice", async () => {
    await signedTo(3);
    const next = successor(ORIGIN, 3, log.root());
    const { checkpoint } = await keys.signEpoch(next.epoch());
    expect(readNote(checkpoint, FILE)).toMatchObject({ origin: `${ORIGIN}/2`, size: 1 });
    expect((await keys.signEpoch(next.epoch())).checkpoint).toBe(checkpoint);
    expect((await keys.signEpoch(next.grow().epoch())).signedSize).toBe(2n);
    log.grow();
    for (const process of [keys, signingProcess(pool, FILE)])
      await expect(process.signEpoch(log.epoch())).rejects.toMatchObject({
        faults: [{ field: "origin", message: `must be ${ORIGIN}/2, which has succeeded it` }],
      });
    const third = new HeadLog(`${ORIGIN}/3`).add({
      kind: "succeeds",
      origin: ORIGIN,
      size: 9,
      root: HASH,
    });
    await expect(keys.signEpoch(third.epoch())).rejects.toMatchObject({
      faults: [{ field: "origin" }],
    });
    expect(await rows()).toEqual([
      { origin: ORIGIN, size: "3", succeeded_by: `${ORIGIN}/2` },
      { origin: `${ORIGIN}/2`, size: "2", succeeded_by: null },
    ]);
  });

  test("is not begun in the middle of a log", async () => {
    await signedTo(1);
    log.add({ kind: "succeeds", origin: ORIGIN, size: 9, root: HASH });
    await expect(keys.signEpoch(log.epoch())).rejects.toMatchObject({
      faults: [{ field: "entry", message: "must not succeed a log: it is not the first" }],
    });
  });

  test("is one of two that two processes begin together, also where there is no log yet", async () => {
    const begun = (logs: readonly HeadLog[]) =>
      Promise.allSettled(twoProcesses().map((each, at) => each.signEpoch(logs[at]?.epoch() ?? {})));
    const both = await begun([log.grow(), new HeadLog("other.example.com").grow()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [first] = await rows();
    const named = { kind: "succeeds", origin: first?.origin ?? "", size: 9, root: HASH } as const;
    const two = await begun(["a", "b"].map((name) => new HeadLog(name).add(named)));
    expect(two.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await rows()).filter((row) => row.succeeded_by === null)).toHaveLength(1);
  });
});
