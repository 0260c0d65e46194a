// Guarantee: no action of a client looks like one that the service records of itself, in any case of letters,
// in any width, with or without characters that are not shown; any other action is a client's.

import { expect, test } from "vitest";
import { isReservedAction } from "./audit.ts";

test.each([
  "annals.",
  "annals.key.created",
  "ANNALS.KEY.CREATED",
  "Annals.x",
  "aNNALS.x",
  "ａｎｎａｌｓ.x",
  "annals．x",
  "annals․x",
  "annalſ.x",
  " annals.x",
  "\u3000annals.x",
  "\u200bannals.x",
  "an\u200dna\u00adls.x",
  "\ufeff\u2060annals.x",
  `${"\u200b".repeat(200)}annals.x`,
])("%j is reserved", (action) => {
  expect(isReservedAction(action)).toBe(true);
});

test.each([
  "annals",
  "annals_x",
  "annalsx.y",
  "my.annals.x",
  "bannals.x",
  "a",
  "",
  "αnnals.x",
  "0",
])("%j is a client's", (action) => {
  expect(isReservedAction(action)).toBe(false);
});
