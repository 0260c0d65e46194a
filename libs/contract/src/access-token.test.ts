// Guarantee: a token that was minted is plausible; one that was mistyped, an API key and a widget token are
// not, and the token is neither of them.

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { isPlausibleAccessToken, mintAccessToken } from "./access-token.ts";
import { isPlausibleKey, mintKey } from "./api-key.ts";
import { isPlausibleWidgetToken, mintWidgetToken } from "./widget-token.ts";

const token = mintAccessToken("annals", randomBytes);

test("a minted token is plausible, and neither an API key nor a widget token", () => {
  expect(token).toMatch(/^annals_at_[0-9A-Za-z]{46}$/);
  expect(isPlausibleAccessToken(token)).toBe(true);
  expect(isPlausibleKey(token)).toBe(false);
  expect(isPlausibleWidgetToken(token)).toBe(false);
  expect(isPlausibleAccessToken(mintKey("annals"))).toBe(false);
  expect(isPlausibleAccessToken(mintWidgetToken("annals", randomBytes))).toBe(false);
});

test("with any character changed, or one more or less, it is not", () => {
  const changed = Array.from(token, (letter, at) => {
    const other = letter === "x" ? "y" : "x";
    return token.slice(0, at) + other + token.slice(at + 1);
  });
  const texts = [...changed, token.slice(0, -1), `${token}0`, `${token} `, ""];
  expect(texts.filter(isPlausibleAccessToken)).toEqual([]);
});
