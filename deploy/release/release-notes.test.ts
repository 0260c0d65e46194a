// Guarantee: every relative link of the notes leads to the file as the release has it. Other links stay.

import { expect, test } from "vitest";
import { releaseNotes } from "./release-notes.ts";

test.each([
  ["[a](docs/a.md)", "[a](https://forge.example/o/r/blob/v1.2.3/docs/a.md)"],
  [
    "[a](docs/a.md#b), [c](c.md)",
    "[a](https://forge.example/o/r/blob/v1.2.3/docs/a.md#b), [c](https://forge.example/o/r/blob/v1.2.3/c.md)",
  ],
  ["[a](#b)", "[a](https://forge.example/o/r/blob/v1.2.3/CHANGELOG.md#b)"],
  ["[a](https://semver.org)", "[a](https://semver.org)"],
  ["[a](mailto:a@example.com)", "[a](mailto:a@example.com)"],
  ["a[0] (docs/a.md)", "a[0] (docs/a.md)"],
])("%s is %s", (section, notes) =>
  expect(releaseNotes(section, "1.2.3", "https://forge.example/o/r")).toBe(notes),
);
