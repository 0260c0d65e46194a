// Guarantee: notices are decoded as they were encoded, and other bytes give none: a later release may send
// kinds that this one does not know.

import { create, toBinary } from "@bufbuild/protobuf";
import { NoticeKind, NoticesSchema } from "@annals/proto/notices";
import { expect, test } from "vitest";
import {
  decodeNotices,
  encodeNotices,
  MAX_TRACED_NOTICES,
  MAX_TRACES,
  NOTICE_KINDS,
  type Notice,
  subjectOf,
} from "./subjects.ts";

const ACCOUNT = "acct_1";

test.for(NOTICE_KINDS)("notices of %s are decoded as they were encoded", (kind) => {
  const notices: Notice[] = [
    { kind, accountId: ACCOUNT, position: 2n ** 60n },
    { kind, accountId: "acct_2", position: 1n },
  ];
  expect(decodeNotices(encodeNotices(notices))).toEqual(notices);
  expect(subjectOf(kind)).toBe(`annals.notices.${kind}`);
});

const traced: Notice = {
  kind: "events",
  accountId: `acct_${"x".repeat(26)}`,
  position: 2n ** 62n,
  traces: Array.from({ length: MAX_TRACES }, (_, at) => ({
    first: 2n ** 62n - BigInt(at),
    last: 2n ** 62n,
    traceId: "a1".repeat(16),
    spanId: "b2".repeat(8),
  })),
};

test("traces are decoded as they were encoded, a few of a notice, and a message of them is small", () => {
  expect(decodeNotices(encodeNotices([traced]))).toEqual([traced]);
  const more = { ...traced, traces: [...(traced.traces ?? []), ...(traced.traces ?? [])] };
  expect(decodeNotices(encodeNotices([more]))).toEqual([traced]);
  const message = encodeNotices(Array.from({ length: MAX_TRACED_NOTICES }, () => traced));
  expect(message.length).toBeLessThan(3.5 * 1024);
});

test("a trace whose ids have another length is none, and its notice is kept", () => {
  const [trace] = traced.traces ?? [];
  const wrong = { ...traced, traces: [{ ...trace!, spanId: "b2" }] };
  const { traces: _, ...bare } = traced;
  expect(decodeNotices(encodeNotices([wrong]))).toEqual([bare]);
});

test("an unknown or empty notice is skipped, and the others are kept", () => {
  const known: Notice = { kind: "events", accountId: ACCOUNT, position: 1n };
  const bytesOf = (...notices: readonly object[]) =>
    toBinary(NoticesSchema, create(NoticesSchema, { notices: [...notices] }));
  const valid = { kind: NoticeKind.EVENTS, accountId: ACCOUNT, position: 1n };
  const unknown = { kind: 99 as never, accountId: ACCOUNT, position: 1n };
  const empty = { kind: NoticeKind.EVENTS, accountId: "", position: 1n };
  expect(decodeNotices(bytesOf(unknown, valid, empty))).toEqual([known]);
  expect(decodeNotices(bytesOf(unknown))).toEqual([]);
  expect(decodeNotices(bytesOf(empty))).toEqual([]);
  expect(decodeNotices(Buffer.from("not protobuf"))).toEqual([]);
  expect(decodeNotices(new Uint8Array())).toEqual([]);
});
