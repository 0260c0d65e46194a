// Guarantee: with several processes of keys and of the ledger, one head log is signed. A new key signs it
// without a restart, the log names the key, and who has the old key alone goes on: a witness cosigns, and
// annals-verify finds the new key. The old key cannot be left out early: what signs stays as it is. After its
// overlap it can, and the log names the new key alone. A witness that was never told refuses from then on.

import type { Stack } from "@annals/local";
import { HttpClient, newAccount, ownerOf } from "@annals/testing";
import {
  keyOf,
  KEY_TYPE,
  noteSigner,
  parseCheckpoint,
  parseNote,
  type VerifierKey,
  verifyNote,
  vkeyOf,
} from "@annals/tlog";
import { followKeys } from "annals-verify";
import { randomBytes } from "node:crypto";
import { mkdtempDisposableSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { FakeWitness } from "../system/fake-witness.ts";

const WAIT = { timeout: 30_000 };

interface Epoch {
  readonly entry: string;
  readonly checkpoint: string;
}

let stack: Stack;
let owner: ReturnType<typeof ownerOf>;
let client: HttpClient;
/** What the witness is configured with. */
const witnessed: VerifierKey[] = [];
const witness = new FakeWitness("one.example", 1, () => witnessed);

beforeAll(async () => {
  await witness.start();
  afterAll(() => witness.stop());
  const folder = mkdtempDisposableSync(join(tmpdir(), "annals-policy-"));
  afterAll(() => folder.remove());
  const file = join(folder.path, "policy");
  writeFileSync(file, `${witness.line("w1")}quorum none\n`);
  const policy = { ANNALS_LOG_POLICY_FILE: file };
  stack = await startConstellation({
    shared: inject("stack"),
    replicas: { keys: 2, ledger: 2 },
    env: {
      ledger: { ...policy, ANNALS_LOG_EPOCH_S: "1" },
      "webhook-dispatcher": policy,
    },
  });
  owner = ownerOf(stack.databaseUrl);
  const { key } = await newAccount(stack.databaseUrl);
  client = new HttpClient(stack.baseUrls[0] ?? "", key);
});
afterAll(async () => {
  await owner?.close();
  await stack?.stop();
});

/** Appends an event, and resolves to the newest epoch after it. */
async function nextEpoch(): Promise<Epoch> {
  const read = () =>
    owner.query<Epoch & { epoch: string }>(
      "SELECT epoch, entry, checkpoint FROM ledger.epochs ORDER BY epoch DESC LIMIT 1",
    );
  const [before] = await read();
  const { status } = await client.post("/v1/events", {
    action: "user.login",
    actor: { id: "u", type: "user" },
  });
  expect(status).toBe(201);
  return vi.waitFor(async () => {
    const [newest] = await read();
    if (newest === undefined || newest.epoch === before?.epoch) throw new Error("no new epoch yet");
    return newest;
  }, WAIT);
}

/** Replaces the file of keys at once. */
function writeKeys(...lines: readonly string[]): void {
  const file = join(stack.dataDir, "log-key");
  writeFileSync(`${file}.new`, `${lines.join("\n")}\n`);
  renameSync(`${file}.new`, file);
}

/** Whether both processes of keys have logged a line with this text. */
async function haveLogged(text: string): Promise<void> {
  const logOf = (name: string) => readFile(join(stack.dataDir, `log/${name}.log`), "utf8");
  await vi.waitFor(async () => {
    for (const name of ["keys-1", "keys-2"]) expect(await logOf(name)).toContain(text);
  }, WAIT);
}

/** The public keys, out of these, that signed a checkpoint. Throws where a signature is wrong. */
function signersOf(checkpoint: string, keys: readonly Buffer[]): readonly Buffer[] {
  const note = parseNote(checkpoint);
  const { origin } = parseCheckpoint(note.text);
  const known = keys.map((key) => keyOf(origin, KEY_TYPE.ed25519, key));
  return verifyNote(note, known).signed.map(({ key }) => Buffer.from(key.publicKey));
}

/** What the witness answers to an epoch that it has not seen yet. */
async function witnessAnswer(): Promise<number | undefined> {
  const before = witness.answered.length;
  await nextEpoch();
  return vi.waitFor(
    () => witness.answered.slice(before).at(0) ?? Promise.reject(new Error("not asked")),
    WAIT,
  );
}

const publicKeyOf = (line: string) =>
  Buffer.from(noteSigner("log", Buffer.from(line, "base64")).key.publicKey);

test("a new key joins the log; the old one stays for its overlap, and then leaves", async () => {
  const oldLine = readFileSync(join(stack.dataDir, "log-key"), "utf8").trim();
  const newLine = randomBytes(32).toString("base64");
  const [old, added] = [oldLine, newLine].map(publicKeyOf) as [Buffer, Buffer];
  const { checkpoint } = await nextEpoch();
  expect(signersOf(checkpoint, [old])).toEqual([old]);
  const { origin } = parseCheckpoint(parseNote(checkpoint).text);
  const [oldKey, newKey] = [old, added].map((each) => keyOf(origin, KEY_TYPE.ed25519, each)) as [
    VerifierKey,
    VerifierKey,
  ];
  const [oldVkey, newVkey] = [vkeyOf(oldKey), vkeyOf(newKey)];
  witnessed.push(oldKey);
  await vi.waitFor(async () => expect(await witnessAnswer()).toBe(200), WAIT);
  /** The keys that follow the old one, for who has nothing else. */
  const following = async (kept?: string) => {
    const policy = Buffer.from(`log ${oldVkey}\nquorum none\n`);
    const given = kept === undefined ? {} : { checkpoint: Buffer.from(kept) };
    const { keys } = await followKeys({ url: `${stack.baseUrls[0]}/log/`, policy, ...given });
    return keys.map(({ vkey }) => vkey);
  };
  expect(await following()).toEqual([]);

  writeKeys(newLine, oldLine);
  await haveLogged("new keys are in use");
  const { entry, ...joined } = await vi.waitFor(async () => {
    const [row] = await owner.query<Epoch>(
      `SELECT entry, checkpoint FROM ledger.epochs WHERE entry LIKE '%"kind":"key"%'`,
    );
    return row ?? Promise.reject(new Error("no key has joined yet"));
  }, WAIT);
  expect(JSON.parse(entry)).toMatchObject({ key: newVkey });
  for (const each of [old, added]) expect(signersOf(joined.checkpoint, [each])).toEqual([each]);
  await vi.waitFor(async () => expect(await following()).toEqual([newVkey]), WAIT);
  expect(await witnessAnswer()).toBe(200);

  writeKeys(newLine);
  await haveLogged("failed to load new keys: keeping the current ones");
  const { checkpoint: last } = await nextEpoch();
  expect(signersOf(last, [old, added])).toEqual([added, old]);
  expect(await owner.query("SELECT origin FROM keys.signed_heads")).toEqual([{ origin }]);

  await owner.query("UPDATE keys.log_keys SET superseded_at = superseded_at - interval '91 days'");
  writeKeys("# The old key has left.", newLine);
  await vi.waitFor(async () => {
    const { checkpoint: next } = await nextEpoch();
    expect(signersOf(next, [old, added])).toEqual([added]);
    const shown = await (await fetch(`${stack.baseUrls[0]}/log/vkey`)).text();
    expect(shown).toBe(`${newVkey}\n`);
  }, WAIT);
  await vi.waitFor(async () => expect(await witnessAnswer()).toBe(403), WAIT);
  witnessed.push(newKey);
  await vi.waitFor(async () => expect(await witnessAnswer()).toBe(200), WAIT);
  await expect(following()).rejects.toThrow("no known key signed");
  expect(await following(last)).toEqual([newVkey]);
});
