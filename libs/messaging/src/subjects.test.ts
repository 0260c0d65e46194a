// Guarantee: notices are decoded as they were encoded, and other bytes give none: a later release may send
// kinds that this one does not know.

import { create, toBinary } from "@bufbuild/protobuf";
import { NoticeKind, NoticesSchema } from "@annals/proto/notices";
import { expect, test } from "vitest";
import { decodeNotices, encodeNotices, NOTICE_KINDS, type Notice, subjectOf } from "./subjects.ts";

const ACCOUNT = "acct_1";

test.for(NOTICE_KINDS)("notices of %s are decoded as they were encoded", (kind) => {
  const notices: Notice[] = [
    { kind, accountId: ACCOUNT, position: 2n ** 60n },
    { kind, accountId: "acct_2", position: 1n },
  ];
  expect(decodeNotices(encodeNotices(notices))).toEqual(notices);
  expect(subjectOf(kind)).toBe(`annals.notices.${kind}`);
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
