// However rows are cut into messages, their texts in turn are all the lines, byte for byte the rendering that
// the interface shares, none twice and none cut; each message says how many events it holds and where they
// stand; and no message grows with the page.

import { eventJson, proofJson } from "@annals/contract";
import { expect, test } from "vitest";
import type { LineRow } from "../store/stream-lines.ts";
import { eventLines } from "./event-lines.ts";

const ACCOUNT = "acct_1";
const OPTIONS = { accountId: ACCOUNT, includeProof: true };
/** Of the messages: half as much again as eventLines gathers. */
const MAX_CHARACTERS = 192 * 1024;

function row(n: number, metadata: string): LineRow {
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
  };
}

/** What the same row gives by way of bytes, as every other reader of the ledger gets them. */
function expected(one: LineRow): string {
  const event = eventJson({
    ...one,
    sequenceNumber: BigInt(one.sequence_number),
    previousHash: one.previous_hash,
    occurredAt: one.occurred_at,
    receivedAt: one.received_at,
    createdAt: one.created_at,
  });
  const [salts, digests] = [one.salts, one.digests].map((hex) => Buffer.from(hex, "hex"));
  const proof = proofJson({
    chain: ACCOUNT,
    salts: salts ?? Buffer.of(),
    digests: digests ?? Buffer.of(),
  });
  return `{"event":${event},"proof":${proof}}\n`;
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
  const made = [...eventLines(rows, OPTIONS)];
  expect(textOf(made)).toBe(rows.map(expected).join(""));
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
  const made = [...eventLines(rows, OPTIONS)];
  expect(textOf(made)).toBe(rows.map(expected).join(""));
  expect(made.map(({ count }) => count)).toEqual([2, 3, 1]);
});

test("without proofs a line is the event alone", () => {
  const [message] = eventLines([row(7, "{}")], { ...OPTIONS, includeProof: false });
  expect(JSON.parse(Buffer.from(message?.text ?? []).toString())).toMatchObject({
    id: "evt_7",
    sequence_number: 7,
  });
  expect(message?.last).toEqual({ sequenceNumber: 7n, hash: "7b", previousHash: "7a" });
});
