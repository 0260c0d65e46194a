// Guarantee: helm/annals/README.md is what values.yaml and its schema give, and has a meaning of each value.

import { expect, test } from "vitest";
import { chartReadme } from "./chart-readme.ts";
import { textOf } from "./sources.ts";

test("the chart's page is up to date: `npm run generate` makes it", () => {
  expect(textOf("helm/annals/README.md")).toBe(chartReadme());
});

test("every value has a meaning", () => {
  expect(chartReadme().match(/^\| `.*\| +\|$/gm) ?? []).toStrictEqual([]);
});
