// However rows are cut into messages, their texts in turn are all the lines, byte for byte the rendering that
// the interface shares, none twice and none cut; each message says how many events it holds and where they
// stand; and no message grows with the page.

import { WIDGET_PARTS } from "@annals/contract";
import { eventCsv, eventJson, proofJson } from "@annals/event";
import { RecordFormat } from "@annals/proto/ledger";
import { expect, test } from "vitest";
import type { RecordRow } from "../../store/stream-events.ts";
import { eventRecords } from "./event-records.ts";

const ACCOUNT = "acct_1";
const OPTIONS = { accountId: ACCOUNT, includeProof: true, format: RecordFormat.JSONL } as const;
/** Of the messages: half as much again as eventRecords gathers. */
const MAX_CHARACTERS = 192 * 1024;

function row(n: number, metadata: string): RecordRow {
  const digit = (n % 10).toString();
  return {
    sequence_number: String(n),
    id: `evt_${n}`,
    action: 'says "é"',
    occurred_at: "o",
    received_at: "r",
    created_at: "c",
    digests: digit.repeat(320),
    previous_hash: `${digit}a`,
    hash: `${digit}b`,
    actor: '{"name":"Zoë"}',
    context: "{}",
    diff: "{}",
    metadata,
    target: "{}",
    salts: digit.repeat(160),
    erased: 0,
  };
}

const eventOf = (one: RecordRow) => ({
  ...one,
  sequenceNumber: BigInt(one.sequence_number),
  previousHash: one.previous_hash,
  occurredAt: one.occurred_at,
  receivedAt: one.received_at,
  createdAt: one.created_at,
});

/** What the same row gives by way of bytes, as every other reader of the ledger gets them. */
function expected(one: RecordRow, format = RecordFormat.JSONL): string {
  const event = eventOf(one);
  const [salts, digests] = [one.salts, one.digests].map((hex) => Buffer.from(hex, "hex"));
  const proof = proofJson({
    chain: ACCOUNT,
    salts: salts ?? Buffer.of(),
    digests: digests ?? Buffer.of(),
  });
  if (format === RecordFormat.CSV) return eventCsv(event, proof);
  return `{"event":${eventJson(event)},"proof":${proof}}\n`;
}

const textOf = (messages: Iterable<{ text?: Uint8Array }>) =>
  Buffer.concat(Array.from(messages, ({ text }) => text ?? Buffer.of())).toString();

test.each([
  ["small events go in one message", 100, 10, 1],
  ["larger ones in several", 100, 10_000, 8],
  ["the largest one by one, or two by two", 20, 70_000, 10],
])("%s", (_, count, size, messages) => {
  const metadata = `{"text":"${"x".repeat(size)}"}`;
  const rows = Array.from({ length: count }, (__, at) => row(at + 1, metadata));
  const made = [...eventRecords(rows, OPTIONS)];
  expect(textOf(made)).toBe(rows.map((one) => expected(one)).join(""));
  expect(made).toHaveLength(messages);
  let next = 1n;
  for (const { text, count: held = 0, first, last } of made) {
    expect(text?.length).toBeLessThan(MAX_CHARACTERS);
    expect(textOf([{ text: text ?? Buffer.of() }]).match(/\n/g)).toHaveLength(held);
    expect(first?.sequenceNumber).toBe(next);
    next += BigInt(held);
    expect(last?.sequenceNumber).toBe(next - 1n);
  }
  expect(next).toBe(BigInt(count) + 1n);
});

test("an event as large as a message is whole, and the next ones keep their places", () => {
  const texts = ["x", "é".repeat(140_000), "x", "é".repeat(70_000), "é".repeat(70_000), "x"];
  const rows = texts.map((text, at) => row(at + 1, `{"text":"${text}"}`));
  const made = [...eventRecords(rows, OPTIONS)];
  expect(textOf(made)).toBe(rows.map((one) => expected(one)).join(""));
  expect(made.map(({ count }) => count)).toEqual([2, 3, 1]);
});

test("without proofs a line is the event alone", () => {
  const [message] = eventRecords([row(7, "{}")], { ...OPTIONS, includeProof: false });
  expect(JSON.parse(Buffer.from(message?.text ?? []).toString())).toMatchObject({
    id: "evt_7",
    sequence_number: 7,
  });
  expect(message?.last).toEqual({ sequenceNumber: 7n, hash: "7b", previousHash: "7a" });
});

test("as CSV each record has its proof or none", () => {
  const rows = [row(1, "{}"), row(2, '{"a":"b"}')];
  const csv = { ...OPTIONS, format: RecordFormat.CSV } as const;
  expect(textOf(eventRecords(rows, csv))).toBe(
    rows.map((one) => expected(one, RecordFormat.CSV)).join(""),
  );
  expect(textOf(eventRecords(rows, { ...csv, includeProof: false }))).toBe(
    rows.map((one) => eventCsv(eventOf(one))).join(""),
  );
});

test("an erased part is named, and has no salt in its proof", () => {
  const one = { ...row(1, "{}"), actor: "{}", erased: 1 + 8 };
  const flags = [[row(1, "{}"), one], [row(1, "{}")]].map(
    (rows) => eventRecords(rows, OPTIONS).next().value?.hasErased,
  );
  expect(flags).toEqual([true, false]);
  const { event, proof } = JSON.parse(textOf(eventRecords([one], OPTIONS)));
  expect(event.erased).toEqual(["actor", "metadata"]);
  expect(Object.keys(proof.salts)).toEqual(["context", "diff", "target"]);
  expect(Object.keys(proof.digests)).toHaveLength(5);
  const csv = textOf(eventRecords([one], { ...OPTIONS, format: RecordFormat.CSV }));
  expect(csv).toContain(proof.salts.context);
  expect(csv).not.toMatch(/""salts"":\{""actor/);
});

test("a part that is left out is in no record, and its salt in no proof", () => {
  const secret = "left out";
  const part = JSON.stringify({ id: "u_1", meta: { text: secret } });
  const texts = { actor: part, target: part, context: part, diff: part, metadata: part };
  const one = { ...row(1, "{}"), ...texts };
  const text = (leaveOut: readonly (typeof WIDGET_PARTS)[number][]) =>
    textOf(eventRecords([one], { ...OPTIONS, leaveOut }));
  for (const name of WIDGET_PARTS) {
    const others = JSON.parse(text([name]));
    expect(Object.keys(others.proof.salts)).toHaveLength(4);
    expect(Object.keys(others.proof.digests)).toHaveLength(5);
    expect(text([name]).split(secret)).toHaveLength(text([]).split(secret).length - 1);
  }
  const all = text(WIDGET_PARTS);
  expect(all).not.toContain(secret);
  expect(JSON.parse(all)).toMatchObject({
    event: { id: "evt_1", actor: { id: "u_1" }, target: { id: "u_1" } },
    proof: { salts: {} },
  });
});
