// Guarantee: a token that was minted is plausible, one that was mistyped or is an API key is not, and no more
// of it than a few characters may be shown.

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { isPlausibleKey, mintKey } from "./api-key.ts";
import { isPlausibleWidgetToken, mintWidgetToken, widgetTokenPrefix } from "./widget-token.ts";

const token = mintWidgetToken("annals", randomBytes);

test("a minted token is plausible, and no API key; nor is an API key a token", () => {
  expect(token).toMatch(/^annals_wt_[0-9A-Za-z]{46}$/);
  expect(isPlausibleWidgetToken(token)).toBe(true);
  expect(isPlausibleKey(token)).toBe(false);
  expect(isPlausibleWidgetToken(mintKey("annals"))).toBe(false);
});

test("with any character changed, or one more or less, it is not", () => {
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === "x" ? "y" : "x";
    expect(isPlausibleWidgetToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
  }
  for (const text of [
    token.slice(0, -1),
    `${token}0`,
    `${token} `,
    "",
    token.replace("_wt_", "_sk_"),
  ])
    expect(isPlausibleWidgetToken(text)).toBe(false);
});

test("what may be shown is its lead, four characters and the last two", () => {
  expect(widgetTokenPrefix(token)).toBe(`${token.slice(0, 14)}...${token.slice(-2)}`);
});
