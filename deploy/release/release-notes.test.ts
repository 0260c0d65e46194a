// Guarantee: every relative link of the notes leads to the file as the release has it. Other links stay.

import { expect, test } from "vitest";
import { releaseNotes } from "./release-notes.ts";

test.each([
  [
    "[a](docs/search-fields.md)",
    "[a](https://forge.example/o/r/blob/v1.2.3/docs/search-fields.md)",
  ],
  [
    "[a](docs/search-fields.md#filter-by-a-field), [c](c.md)",
    "[a](https://forge.example/o/r/blob/v1.2.3/docs/search-fields.md#filter-by-a-field), [c](https://forge.example/o/r/blob/v1.2.3/c.md)",
  ],
  ["[a](#b)", "[a](https://forge.example/o/r/blob/v1.2.3/CHANGELOG.md#b)"],
  ["[a](https://semver.org)", "[a](https://semver.org)"],
  ["[a](mailto:a@example.com)", "[a](mailto:a@example.com)"],
  ["a[0] (docs/search-fields.md)", "a[0] (docs/search-fields.md)"],
])("%s is %s", (section, notes) =>
  expect(releaseNotes(section, "1.2.3", "https://forge.example/o/r")).toBe(notes),
);
