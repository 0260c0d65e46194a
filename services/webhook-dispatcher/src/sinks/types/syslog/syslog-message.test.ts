// Guarantee: a message of syslog has the form of RFC 5424, whatever an event is named and holds, and its JSON
// is that of the record.

import { expect, test } from "vitest";
import { sinkRecord, streamLine } from "../../../testing/sink-receivers.ts";
import { syslogFrame } from "./syslog-message.ts";

const FORM =
  /^(\d+) <110>1 (\S+) - annals - ([!-~]{1,32}) \[annals@32473((?: [a-z]+="(?:[^"\\\]]|\\["\\\]])*")*)\] ([ -~]+)$/;

function read(chain: string, record = sinkRecord(7)) {
  const frame = syslogFrame(chain, record).toString("utf8");
  const [, length, time, messageId, params = "", json = ""] = FORM.exec(frame) ?? [];
  expect(Number(length)).toBe(Buffer.byteLength(frame) - `${length} `.length);
  return { time, messageId, params, json };
}

test("an event has its time, its action, its number and its hashes", () => {
  const record = sinkRecord(7);
  expect(read("acct_1")).toStrictEqual({
    time: record.occurredAt,
    messageId: "invoice.update",
    params: ` chain="acct_1" seq="7" hash="${record.hash}" prev="${record.previousHash}"`,
    json: record.json,
  });
});

test("a line of the stream has its chain alone", () => {
  expect(read("acct_1", streamLine()).params).toBe(' chain="acct_1"');
});

test.each([
  ["invoice.update", "invoice.update"],
  ['an action] with\n"all"', 'an_action]_with_"all"'],
  ["überweisung", "_berweisung"],
  ["x".repeat(40), "x".repeat(32)],
  ["", "-"],
])("the action %j is the message id %s", (action, expected) => {
  expect(read("acct_1", sinkRecord(7, { action })).messageId).toBe(expected);
});

test("what ends a parameter is escaped", () => {
  expect(read(String.raw`a"b]c\d`).params).toContain(String.raw` chain="a\"b\]c\\d"`);
});

test("JSON is in ASCII, so it needs no byte order mark, and says the same", () => {
  const value = { name: "Ünï \u{1F600} \u2028\u007F", text: 'a"\n' };
  const { json } = read("acct_1", sinkRecord(7, { json: JSON.stringify(value) }));
  expect(json).toContain(String.raw`\u00dcn\u00ef \ud83d\ude00 \u2028\u007f`);
  expect(JSON.parse(json)).toStrictEqual(value);
});
