// Guarantee: the verifier takes nothing on trust. It answers with the first row that is not what
// was appended, whichever member of it was changed, and never throws for what someone wrote into
// the tables.

import { atOnce } from "@annals/contract";
import { PARTS, GENESIS_HASH, SALT_BYTES } from "@annals/event";
import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { eventOf } from "../../testing/append-fixtures.ts";
import { ChainVerifier, type ChainPayload, type ChainRow } from "./chain-verifier.ts";
import { planFlush } from "../../append/rules/plan-flush.ts";
import { DIGESTS_BYTES, prepareAppend } from "../../append/rules/prepare-append.ts";

const CHAIN = "acct_1";
const TIME = "2026-01-31T09:30:00.000000Z";
const ANCHOR = { sequenceNumber: 0, hash: GENESIS_HASH };
const EVENTS = 10;
/** Of one event. */
const SALTS_BYTES = PARTS.length * SALT_BYTES;
let rows: ChainRow[];

beforeEach(() => {
  const texts = {
    actor: '{"id":"u","type":"user"}',
    actorId: "u",
    actorType: "user",
    context: '{"ip":1}',
    diff: "{}",
    metadata: "{}",
    target: '{"id":"t"}',
    targetId: "t",
  };
  const append = atOnce(
    prepareAppend(
      {
        accountId: CHAIN,
        receivedAt: TIME,
        idempotencyKey: "",
        requestSha256: Buffer.alloc(32),
        events: Array.from({ length: EVENTS }, () => eventOf("a", texts)),
      },
      randomBytes,
    ),
  );
  const head = { sequence: 0, hash: GENESIS_HASH, createdAt: "", monthStart: 0 };
  const plan = planFlush({
    accountId: CHAIN,
    appends: [append],
    head,
    moment: { now: TIME, latest: () => TIME },
    known: new Map(),
    random: randomBytes,
  });
  let previousHash = GENESIS_HASH;
  rows = plan.events.map(({ event: { action, occurredAt }, ...stored }, index) => {
    const row = {
      ...stored,
      action,
      occurredAt,
      sequenceNumber: index + 1,
      createdAt: TIME,
      previousHash,
      digests: append.digests.subarray(index * DIGESTS_BYTES, (index + 1) * DIGESTS_BYTES),
      payload: {
        erased: 0,
        targetType: undefined,
        ...texts,
        salts: Buffer.from(append.salts.subarray(index * SALTS_BYTES, (index + 1) * SALTS_BYTES)),
      },
    };
    previousHash = stored.hash;
    return row;
  });
});

function verify(given: readonly ChainRow[], anchor = ANCHOR, chain = CHAIN) {
  const verifier = new ChainVerifier(chain, anchor);
  verifier.take(given);
  return verifier;
}

/** The rows with number 5 changed. */
const changed = (change: Partial<ChainRow>) =>
  rows.map((row) => (row.sequenceNumber === 5 ? { ...row, ...change } : row));

const changedPayload = (change: Partial<ChainPayload>) =>
  rows.map((row) =>
    row.sequenceNumber === 5 && row.payload
      ? { ...row, payload: { ...row.payload, ...change } }
      : row,
  );

const invalid = (sequenceNumber: number, reason: string) => ({ sequenceNumber, reason });

describe("valid", () => {
  test("a whole chain, in one piece or in many", () => {
    expect(verify(rows)).toMatchObject({ checked: EVENTS, firstInvalid: undefined });
    const piecewise = new ChainVerifier(CHAIN, ANCHOR);
    for (const row of rows) piecewise.take([row]);
    expect(piecewise).toMatchObject({ checked: EVENTS, firstInvalid: undefined });
    expect(piecewise.tip).toEqual({ next: EVENTS + 1, hash: rows.at(-1)?.hash });
  });

  test("a range after its anchor", () => {
    const anchor = { sequenceNumber: 4, hash: rows[3]?.hash ?? "" };
    expect(verify(rows.slice(4), anchor)).toMatchObject({ checked: 6, firstInvalid: undefined });
  });
});

describe("a block that was recomputed elsewhere", () => {
  const blockOf = (from: number, to: number) => ({
    from,
    to,
    previousHash: rows[from - 1]?.previousHash ?? "",
    hash: rows[to - 1]?.hash ?? "",
    hasErased: false,
  });

  test("is taken where it goes on, among blocks and rows", () => {
    const verifier = verify(rows.slice(0, 3));
    expect(verifier.takeBlock(blockOf(4, 7))).toBe(true);
    expect(verifier.takeBlock(blockOf(8, 8))).toBe(true);
    verifier.take(rows.slice(8));
    expect(verifier).toMatchObject({ checked: EVENTS, firstInvalid: undefined });
    expect(verifier.tip).toEqual({ next: EVENTS + 1, hash: rows.at(-1)?.hash });
  });

  test.each([
    ["after a gap", () => blockOf(5, 7)],
    ["that was taken before", () => blockOf(1, 3)],
    ["that links to another", () => ({ ...blockOf(4, 7), previousHash: "f".repeat(64) })],
  ])("is not taken %s", (_, block) => {
    const verifier = verify(rows.slice(0, 3));
    const { tip } = verifier;
    expect(verifier.takeBlock(block())).toBe(false);
    expect(verifier).toMatchObject({ checked: 3, firstInvalid: undefined, tip });
  });
});

describe("invalid", () => {
  test.each<[string, string, Partial<ChainRow>]>([
    ["action", "hash_mismatch", { action: "b" }],
    ["id", "hash_mismatch", { id: "evt_x" }],
    ["occurred_at", "hash_mismatch", { occurredAt: "2026-01-31T09:30:00.000001Z" }],
    ["received_at", "hash_mismatch", { receivedAt: "" }],
    ["created_at", "hash_mismatch", { createdAt: "2027-01-31T09:30:00.000000Z" }],
    ["hash", "hash_mismatch", { hash: "f".repeat(64) }],
    ["hash in capitals", "hash_mismatch", { hash: "F".repeat(64) }],
    ["previous_hash", "link_mismatch", { previousHash: "f".repeat(64) }],
    ["digests", "digest_mismatch", { digests: Buffer.alloc(160) }],
    ["digests of another size", "digest_mismatch", { digests: Buffer.alloc(1) }],
    ["a payload that is gone", "digest_mismatch", { payload: undefined }],
    ["half a character", "hash_mismatch", { action: "\ud800" }],
  ])("%s: %s", (_, reason, change) => {
    const verifier = verify(changed(change));
    expect(verifier.firstInvalid).toMatchObject(invalid(5, reason));
    expect(verifier.firstInvalid?.eventId).toBe(change.id ?? rows[4]?.id);
    expect(verifier.checked).toBe(5);
  });

  test.each<[string, Partial<ChainPayload>]>([
    ["actor", { actor: '{"id":"u","type":"user","x":1}' }],
    ["actor that is no JSON", { actor: "{" }],
    ["actor that is null", { actor: "null" }],
    ["context", { context: '{"ip": 1}' }],
    ["diff", { diff: '{"after":{}}' }],
    ["metadata", { metadata: "" }],
    ["target", { target: "{}", targetId: undefined }],
    ["salts", { salts: Buffer.alloc(80) }],
    ["salts of another size", { salts: Buffer.alloc(0) }],
    ["actor_id", { actorId: "v" }],
    ["actor_id that is gone", { actorId: undefined }],
    ["actor_type", { actorType: "User" }],
    ["target_id", { targetId: "" }],
    ["target_type that was not there", { targetType: "x" }],
  ])("payload's %s", (_, change) => {
    expect(verify(changedPayload(change)).firstInvalid).toMatchObject(
      invalid(5, "digest_mismatch"),
    );
  });

  test("a row that is gone, twice there, or out of order", () => {
    expect(verify(rows.toSpliced(4, 1)).firstInvalid).toEqual({
      ...invalid(5, "sequence_gap"),
      eventId: undefined,
    });
    const [row] = rows.slice(4, 5);
    if (!row) throw new Error("no row");
    expect(verify(rows.toSpliced(5, 0, row)).firstInvalid).toMatchObject(
      invalid(6, "sequence_gap"),
    );
    expect(verify(rows.toReversed()).firstInvalid).toMatchObject(invalid(1, "sequence_gap"));
    expect(verify(rows.slice(1)).firstInvalid).toMatchObject(invalid(1, "sequence_gap"));
  });

  test("the rows of another chain", () => {
    expect(verify(rows, ANCHOR, "acct_2").firstInvalid).toMatchObject(invalid(1, "hash_mismatch"));
  });

  test("the first of many faults is the one that is told", () => {
    const many = changed({ action: "b" }).toSpliced(7, 1);
    expect(verify(many).firstInvalid).toMatchObject(invalid(5, "hash_mismatch"));
  });
});
