// Guarantee: only what says that it is a logout ends sessions, and it names whose.

import { describe, expect, test } from "vitest";
import { logoutOf } from "./logout-token.ts";

const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };
const CLAIMS = { jti: "j-1", sub: "u-1", sid: "s-1", events: EVENTS };

test("a logout names a session, a subject, or both", () => {
  expect(logoutOf(CLAIMS)).toEqual({ id: "j-1", subject: "u-1", sid: "s-1" });
  expect(logoutOf({ ...CLAIMS, sid: undefined })).toMatchObject({ subject: "u-1", sid: undefined });
  expect(logoutOf({ ...CLAIMS, sub: undefined })).toMatchObject({ subject: undefined, sid: "s-1" });
});

describe("refused", () => {
  test.each<[string, object, string]>([
    ["without events", { events: undefined }, "names no logout"],
    ["with a list of events", { events: Object.keys(EVENTS) }, "names no logout"],
    ["with another event", { events: { other: {} } }, "names no logout"],
    [
      "with an event that is a text",
      { events: { ...EVENTS, [Object.keys(EVENTS)[0] ?? ""]: "" } },
      "names no logout",
    ],
    ["with a nonce", { nonce: "n" }, "has a nonce"],
    ["without a jti", { jti: undefined }, "has no jti"],
    ["with an empty jti", { jti: "" }, "has no jti"],
    ["with a number for a sub", { sub: 7 }, "a sub that is not a text"],
    ["with an empty sid", { sid: "" }, "a sid that is not a text"],
    ["with neither", { sub: undefined, sid: undefined }, "has neither sub nor sid"],
  ])("%s", (_, change, fault) => {
    expect(() => logoutOf({ ...CLAIMS, ...change })).toThrow(fault);
  });
});
