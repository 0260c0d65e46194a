// Guarantee: helm/annals/README.md has a meaning of each value.

import { expect, test } from "vitest";
import { chartReadme } from "../../deploy/generate/chart-readme.ts";

test("every value has a meaning", () => {
  expect(chartReadme().match(/^\| `.*\| +\|$/gm) ?? []).toStrictEqual([]);
});
