// Guarantee: a setting is declared once. The operators' page has a row for each, every program accepts the
// names that the programs and the clients declare and no others, and `settings` of a service in the chart
// takes those that the chart has no value for.

import { expect, test } from "vitest";
import { LISTS, OF_CLIENTS } from "./setting-lists.ts";
import { FILES, textOf } from "./sources.ts";

test.each(LISTS)("%s is up to date: `npm run generate` makes it", (path, text) => {
  expect(textOf(path)).toBe(text);
});

test.each(OF_CLIENTS)("%s is still read by an example or by compose", (name) => {
  const examples = FILES.filter(({ path }) =>
    /^(docs\/receivers|test\/example|deploy\/compose)/.test(path),
  );
  expect(examples.some(({ text }) => text.includes(name))).toBe(true);
});
