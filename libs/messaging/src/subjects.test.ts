// A notice comes out of its bytes as it went in, and bytes that are none are told apart: a later release
// may send kinds that this one does not know.

import { create, toBinary } from "@bufbuild/protobuf";
import { NoticeKind, NoticeSchema } from "@annals/proto/notices";
import { expect, test } from "vitest";
import {
  decodeNotice,
  encodeNotice,
  messageIdOf,
  NOTICE_KINDS,
  type Notice,
  subjectOf,
} from "./subjects.ts";

const ACCOUNT = "acct_1";

test.for(NOTICE_KINDS)("a notice of %s survives its bytes", (kind) => {
  const notice: Notice = { kind, accountId: ACCOUNT, position: 2n ** 60n };
  expect(decodeNotice(encodeNotice(notice))).toEqual(notice);
  expect(subjectOf(notice)).toBe(`annals.notices.${kind}`);
  expect(messageIdOf(notice)).toBe(`${kind}-acct_1-1152921504606846976`);
});

test("what is no notice is none", () => {
  const strange = create(NoticeSchema, { kind: 99 as never, accountId: ACCOUNT, position: 1n });
  const nobody = create(NoticeSchema, { kind: NoticeKind.EVENTS, accountId: "", position: 1n });
  expect(decodeNotice(toBinary(NoticeSchema, strange))).toBeUndefined();
  expect(decodeNotice(toBinary(NoticeSchema, nobody))).toBeUndefined();
  expect(decodeNotice(Buffer.from("not protobuf"))).toBeUndefined();
  expect(decodeNotice(new Uint8Array())).toBeUndefined();
});
