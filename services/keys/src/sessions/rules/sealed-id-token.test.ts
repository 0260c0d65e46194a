// Guarantee: the ID token of a session opens with the second half of its cookie alone, also after the first
// half was replaced, and what is stored does not show it.

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openIdToken, sealIdToken } from "./sealed-id-token.ts";
import { newSessionCookie } from "./session-cookie.ts";

const cookie = newSessionCookie(randomBytes);
const sealed = sealIdToken(cookie, "header.payload.signature", randomBytes);

test("it opens with its cookie, and with the one that replaces that", () => {
  expect(openIdToken(cookie, sealed)).toBe("header.payload.signature");
  const next = newSessionCookie(randomBytes, cookie.sealing);
  expect(next.text).not.toBe(cookie.text);
  expect(openIdToken(next, sealed)).toBe("header.payload.signature");
});

test("it opens with no other cookie, and not if it was changed", () => {
  expect(sealed?.toString("latin1")).not.toContain("payload");
  expect(openIdToken(newSessionCookie(randomBytes), sealed)).toBeUndefined();
  for (const changed of [sealed?.subarray(1), sealed?.subarray(0, -1), Buffer.alloc(3), null])
    expect(openIdToken(cookie, changed ?? null)).toBeUndefined();
});

test("a token that is too large is not kept", () => {
  expect(sealIdToken(cookie, "a".repeat(65_508), randomBytes)).toHaveLength(65_536);
  expect(sealIdToken(cookie, "a".repeat(65_509), randomBytes)).toBeNull();
});
