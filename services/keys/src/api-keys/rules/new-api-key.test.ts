// Guarantees: a new key is minted from the given randomness in the documented shape, holds its
// scopes once and in order, and what is stored of it can neither be reversed nor be distinguished
// from any other.

import { isPlausibleKey, keyHash, SCOPES, isIdOf } from "@annals/contract";
import { expect, test } from "vitest";
import { type KeyMaker, newApiKey } from "./new-api-key.ts";

const NOW = "2026-01-31T09:30:00.000001Z";
const maker: KeyMaker = {
  clock: { nowMicros: () => 0, nowText: () => NOW },
  random: (size) => new Uint8Array(size).fill(7),
  prefix: "acme",
};

test("takes everything from its maker", () => {
  const made = newApiKey(maker, { name: "ci", scopes: ["verify"] });
  expect(made).toMatchObject({ name: "ci", scopes: ["verify"], createdAt: NOW });
  expect(made).toEqual(newApiKey(maker, { name: "ci", scopes: ["verify"] }));
  expect(made.secret).toMatch(/^acme_sk_7{40}[0-9A-Za-z]{6}$/);
  expect(isPlausibleKey(made.secret)).toBe(true);
  expect(made.secretSha256).toEqual(keyHash(made.secret));
  expect(made.keyPrefix).toBe(`acme_sk_7777...${made.secret.slice(-2)}`);
  expect(isIdOf("key", made.id)).toBe(true);
});

test("takes the secret that an operator provides as it is", () => {
  const secret = "acme_sk_0123456789abcdef";
  const made = newApiKey(maker, { name: "ci", scopes: SCOPES, secret });
  expect(made).toMatchObject({ secret, keyPrefix: "acme_sk_0123...ef" });
});

test("keeps each scope once, in the order of the interface", () => {
  const scopes = ["keys:manage", "verify", "keys:manage", "events:read"];
  expect(newApiKey(maker, { name: "n", scopes }).scopes).toEqual([
    "events:read",
    "verify",
    "keys:manage",
  ]);
});

test.each([[[]], [["admin"]], [["verify", "Verify"]], [[""]]])(
  "refuses the scopes %j",
  (scopes) => {
    expect(() => newApiKey(maker, { name: "n", scopes })).toThrow(
      "scopes: must contain at least one",
    );
  },
);

test.each([
  "",
  "key_",
  "key_7",
  "KEY_77777777777777777777777777",
  `key_${"7".repeat(27)}`,
  "key_\0",
])("%j is no id", (text) => {
  expect(isIdOf("key", text)).toBe(false);
});
