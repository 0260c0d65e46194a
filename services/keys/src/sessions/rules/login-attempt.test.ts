// Guarantee: what the browser keeps of a login opens only here, unchanged, within ten minutes, and survives a
// new secret of admissions as long as the old one is in its file. It leads nowhere but into the dashboard.

import { createHash, createSecretKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { challengeOf, newAttempt, openAttempt, sealAttempt } from "./login-attempt.ts";

const secret = () => createSecretKey(randomBytes(32));
const SECRETS = new Map([["one", secret()]]);
const NOW = 1_800_000_000_000;

const begin = (returnTo = "#/acct_1/events") =>
  newAttempt("okta", returnTo, { nowMs: NOW, random: randomBytes });

test("it opens as it was sealed", () => {
  const attempt = begin();
  const sealed = sealAttempt(SECRETS, attempt, randomBytes);
  expect(openAttempt(SECRETS, sealed, NOW)).toEqual(attempt);
  // It is the value of a cookie.
  expect(sealed).toMatch(/^[A-Za-z0-9._-]+$/);
  expect(sealed.length).toBeLessThan(400);
  expect(Buffer.from(sealed.slice(4), "base64url").toString("latin1")).not.toContain(attempt.state);
});

test("the three random texts differ, and the challenge is that of RFC 7636", () => {
  const attempt = begin();
  expect(new Set([attempt.state, attempt.nonce, attempt.verifier]).size).toBe(3);
  expect(attempt.verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const digest = createHash("sha256").update(attempt.verifier).digest("base64url");
  expect(challengeOf(attempt)).toBe(digest);
});

test("any changed character, another secret and another id are refused", () => {
  const sealed = sealAttempt(SECRETS, begin(), randomBytes);
  const changed = Array.from(sealed, (character, at) => {
    const other = character === "A" ? "B" : "A";
    return sealed.slice(0, at) + other + sealed.slice(at + 1);
  });
  // The last character has bits that are not part of a byte.
  const opened = changed.slice(0, -1).filter((text) => openAttempt(SECRETS, text, NOW));
  expect(opened).toEqual([]);
  expect(openAttempt(new Map([["one", secret()]]), sealed, NOW)).toBeUndefined();
  expect(openAttempt(new Map(), sealed, NOW)).toBeUndefined();
  for (const text of ["", ".", "one.", "one.AAAA", "x".repeat(10_000)])
    expect(openAttempt(SECRETS, text, NOW)).toBeUndefined();
});

test("it is valid for ten minutes", () => {
  const sealed = sealAttempt(SECRETS, begin(), randomBytes);
  expect(openAttempt(SECRETS, sealed, NOW + 600_000)).toBeDefined();
  expect(openAttempt(SECRETS, sealed, NOW + 600_001)).toBeUndefined();
});

test("a new secret seals, and the old one still opens", () => {
  const sealed = sealAttempt(SECRETS, begin(), randomBytes);
  const rotated = new Map([["two", secret()], ...SECRETS]);
  expect(openAttempt(rotated, sealed, NOW)).toBeDefined();
  expect(sealAttempt(rotated, begin(), randomBytes)).toMatch(/^two\./);
  expect(() => sealAttempt(new Map(), begin(), randomBytes)).toThrow("no secret of admissions");
});

test.each([
  ["#/acct_1/events?after=5", "#/acct_1/events?after=5"],
  ["", "#/"],
  ["https://example.com/", "#/"],
  ["//example.com", "#/"],
  ["/dashboard", "#/"],
  ["#", "#/"],
  ["#/a\r\nSet-Cookie: x", "#/"],
  ["#/ä", "#/"],
  [`#/${"a".repeat(1001)}`, "#/"],
])("%j leads to %j", (returnTo, led) => {
  expect(begin(returnTo).returnTo).toBe(led);
});
