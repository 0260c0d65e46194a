// Guarantees: an epoch is served once a quorum of the policy's witnesses has signed it, and not before. A
// signature is stored only if it is right for that checkpoint and that witness. The proofs for witnesses lead
// to the newest checkpoint.

import {
  keyOf,
  parseCheckpoint,
  parseNote,
  verifyConsistency,
  verifyNote,
  vkeyOf,
} from "@annals/tlog";
import { beforeEach, expect, test } from "vitest";
import { ORIGIN } from "../../testing/log-signer.ts";
import { INTERVAL_S, TestLog } from "../../testing/test-log.ts";
import { newWitness, SEEN_S } from "../../testing/witnesses.ts";

const ACCOUNT = "acct_1";
const [FIRST, SECOND, STRANGER] = [
  newWitness("w1", 11),
  newWitness("w2", 12),
  newWitness("w3", 13),
];
const policyOf = (quorum: string) =>
  `witness w1 ${FIRST.vkey}\nwitness w2 ${SECOND.vkey}\n` +
  `group any any w1 w2\nquorum ${quorum}\n`;

let log: TestLog;
let closer: ReturnType<TestLog["newCloser"]>;

beforeEach(async () => {
  log = await TestLog.open();
  closer = log.newCloser();
  log.ledger.policy.use(policyOf("any"));
});

async function epoch(): Promise<void> {
  await log.grow(ACCOUNT, 1);
  log.later(INTERVAL_S);
  await closer.run();
}

const work = (...witnesses: { name: string; oldSize: bigint }[]) =>
  log.ledger.client.listAnchorWork({ witnesses });
const newest = async () => (await work()).checkpoint;
const add = (size: number, cosignatures: string) =>
  log.ledger.client.addAnchor({
    log: 1,
    size: BigInt(size),
    anchor: { case: "cosignatures", value: cosignatures },
  });

/** The newest served checkpoint of the head log. */
async function served(): Promise<string | undefined> {
  const asked = log.ledger.client.readHeadLog({ part: { case: "checkpoint", value: {} } });
  return asked.then(
    ({ content }) => Buffer.from(content).toString(),
    () => undefined,
  );
}

const servedSize = async () => {
  const note = await served();
  return note === undefined ? 0 : parseCheckpoint(parseNote(note).text).size;
};

test("an epoch is served with its cosignature, once a quorum has signed it", async () => {
  await epoch();
  expect(await served()).toBeUndefined();
  expect((await work()).unservedSince).toBe("2026-05-10T12:01:00.000000Z");
  const line = FIRST.sign(await newest());
  expect((await add(1, line)).names).toEqual(["w1"]);
  expect(await served()).toBe((await newest()) + line);
  expect((await work()).unservedSince).toBe("");
  const said = await log.ledger.client.getLog({ accountId: ACCOUNT });
  expect(said.policy).toBe(policyOf("any"));
  expect(said.covered?.witnesses).toMatchObject([
    { name: "w1", time: "2026-05-10T12:00:05.000000Z" },
  ]);
  await epoch();
  expect(await servedSize()).toBe(1);
  expect((await work()).unservedSince).toBe("2026-05-10T12:02:00.000000Z");
});

test("fewer than the threshold serve nothing", async () => {
  log.ledger.policy.use(policyOf("any").replace("group any any", "group any all"));
  await epoch();
  const note = await newest();
  await add(1, FIRST.sign(note));
  expect(await servedSize()).toBe(0);
  await add(1, SECOND.sign(note));
  expect(await servedSize()).toBe(1);
});

test("since when it is served never changes, nor a signature that is there", async () => {
  await epoch();
  const note = await newest();
  await add(1, FIRST.sign(note));
  const rows = () =>
    log.owner.query("SELECT quorum_at, bytes FROM ledger.epochs JOIN ledger.anchors USING (epoch)");
  const before = await rows();
  await add(1, FIRST.sign(note, SEEN_S + 9));
  expect(await rows()).toEqual(before);
});

test("both lines of an answer are stored; a line of another key is ignored", async () => {
  await epoch();
  const note = await newest();
  const lines = [STRANGER, FIRST, SECOND].map(({ sign }) => sign(note)).join("");
  expect((await add(1, lines)).names).toEqual(["w1", "w2"]);
});

test("what is not the signature of a witness under this checkpoint is refused", async () => {
  await epoch();
  const old = await newest();
  await epoch();
  const note = await newest();
  // What ends another text than that of the checkpoint, which the witness has signed.
  const longer = (more: string) =>
    `${more}\n${FIRST.sign(`${parseNote(note).text}\n${more}\n— x AAAAAAAA\n`)}`;
  for (const lines of [
    FIRST.sign(old),
    STRANGER.sign(note),
    FIRST.sign(note, 0),
    FIRST.sign(note, SEEN_S * 1_000),
    FIRST.sign(note) + SECOND.sign(old),
    "",
    "no line\n",
    longer(""),
    longer("more\n"),
    FIRST.sign(note).repeat(600),
  ])
    await expect(add(2, lines)).rejects.toThrow("cosignatures: ");
  await expect(add(3, FIRST.sign(note))).rejects.toThrow("No epoch");
  expect(await log.owner.query("SELECT name FROM ledger.anchors")).toEqual([]);
  expect(await served()).toBeUndefined();
});

test("a witness of another key under the same name does not count for the quorum", async () => {
  await epoch();
  await add(1, FIRST.sign(await newest()));
  await epoch();
  const lone = `witness w1 ${STRANGER.vkey}\nwitness w2 ${SECOND.vkey}\ngroup all all w1 w2\nquorum all\n`;
  const line = FIRST.sign(await newest());
  await add(2, line);
  await log.owner.query("UPDATE ledger.epochs SET quorum_at = NULL");
  log.ledger.policy.use(lone);
  await add(2, SECOND.sign(await newest()));
  expect(await servedSize()).toBe(0);
});

test("another policy serves the newest epoch without a new signature", async () => {
  log.ledger.policy.use(policyOf("any").replace("group any any", "group any all"));
  await epoch();
  await add(1, FIRST.sign(await newest()));
  expect(await servedSize()).toBe(0);
  log.ledger.policy.use(policyOf("any"));
  await closer.run();
  expect(await servedSize()).toBe(1);
});

test("with `quorum none` an epoch is served at once, and cosignatures are kept", async () => {
  log.ledger.policy.use(policyOf("none"));
  await epoch();
  expect(await servedSize()).toBe(1);
  const line = SECOND.sign(await newest());
  await add(1, line);
  expect(await served()).toContain(line);
});

test("each witness of the policy gets a proof from what it has seen", async () => {
  await epoch();
  const old = parseCheckpoint(parseNote(await newest()).text);
  for (let at = 0; at < 4; at += 1) await epoch();
  const answer = await work(
    { name: "w1", oldSize: 1n },
    { name: "w2", oldSize: 0n },
    { name: "w3", oldSize: 1n },
    { name: "w1", oldSize: 9n },
  );
  expect(answer.proofs.map(({ name, oldSize }) => [name, oldSize])).toEqual([
    ["w1", 1n],
    ["w2", 0n],
  ]);
  const note = parseNote(answer.checkpoint);
  verifyNote(note, log.signer.keysOf(""));
  const hashes = answer.proofs[0]?.hashes.map((hash) => Buffer.from(hash)) ?? [];
  verifyConsistency(old, parseCheckpoint(note.text), hashes);
  expect([answer.log, answer.size, answer.proofs[1]?.hashes]).toEqual([1, 5n, []]);
  const many = Array.from({ length: 33 }, () => ({ name: "w1", oldSize: 1n }));
  await expect(work(...many)).rejects.toThrow("witnesses: Must be at most 32.");
});

test("a policy that names other logs only begins no log", async () => {
  const [key] = log.signer.keysOf("");
  if (key === undefined) throw new Error("no key");
  const named = (origin: string) =>
    `log ${vkeyOf(keyOf(origin, key.type, key.publicKey))}\nquorum none\n`;
  log.ledger.policy.use(named("other.example"));
  await log.grow(ACCOUNT, 1);
  await expect(closer.run()).rejects.toThrow(`no log line of the policy has a key of the log`);
  log.ledger.policy.use(named(ORIGIN));
  await closer.run();
  expect(await servedSize()).toBe(1);
});
