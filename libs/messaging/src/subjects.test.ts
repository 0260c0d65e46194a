// Notices come out of their bytes as they went in, and bytes that are none are told apart: a later release
// may send kinds that this one does not know.

import { create, toBinary } from "@bufbuild/protobuf";
import { NoticeKind, NoticesSchema } from "@annals/proto/notices";
import { expect, test } from "vitest";
import { decodeNotices, encodeNotices, NOTICE_KINDS, type Notice, subjectOf } from "./subjects.ts";

const ACCOUNT = "acct_1";

test.for(NOTICE_KINDS)("notices of %s survive their bytes", (kind) => {
  const notices: Notice[] = [
    { kind, accountId: ACCOUNT, position: 2n ** 60n },
    { kind, accountId: "acct_2", position: 1n },
  ];
  expect(decodeNotices(encodeNotices(notices))).toEqual(notices);
  expect(subjectOf(kind)).toBe(`annals.notices.${kind}`);
});

test("what is no notice is none, and takes none of the others with it", () => {
  const known: Notice = { kind: "events", accountId: ACCOUNT, position: 1n };
  const bytesOf = (...notices: readonly object[]) =>
    toBinary(NoticesSchema, create(NoticesSchema, { notices: [...notices] }));
  const told = { kind: NoticeKind.EVENTS, accountId: ACCOUNT, position: 1n };
  const strange = { kind: 99 as never, accountId: ACCOUNT, position: 1n };
  const nobody = { kind: NoticeKind.EVENTS, accountId: "", position: 1n };
  expect(decodeNotices(bytesOf(strange, told, nobody))).toEqual([known]);
  expect(decodeNotices(bytesOf(strange))).toEqual([]);
  expect(decodeNotices(bytesOf(nobody))).toEqual([]);
  expect(decodeNotices(Buffer.from("not protobuf"))).toEqual([]);
  expect(decodeNotices(new Uint8Array())).toEqual([]);
});
