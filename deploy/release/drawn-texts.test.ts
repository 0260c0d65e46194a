// Guarantee: a release dates the notes of its own section, and adds the digests of its migrations without a
// change of those that a release has.

import { expect, test } from "vitest";
import { datedNotes, withDigests } from "./drawn-texts.ts";

test("the section Unreleased becomes that of the version, once, and must have an entry", () => {
  const changes = "# Changes\n\n## Unreleased\n\n- A.\n\n## 1.2.2 (2026-01-01)\n\n- B.\n";
  const dated = "# Changes\n\n## 1.2.3 (2026-01-02)\n\n- A.\n\n## 1.2.2 (2026-01-01)\n\n- B.\n";
  expect(datedNotes(changes, "1.2.3", "2026-01-02")).toBe(dated);
  expect(() => datedNotes(changes, "1.2.2", "2026-01-02")).toThrow('has a section "## 1.2.2"');
  expect(() => datedNotes(dated, "1.2.4", "2026-01-02")).toThrow("no section");
});

test("digests of new migrations are added in order, and those of a release stay", () => {
  const entry = (path: string, digest: string) => `  "services/${path}":\n    "${digest}",\n`;
  const file = (...entries: string[]) => `const RELEASED = {\n${entries.join("")}};\n\ntest();\n`;
  const before = file(entry("b/1.sql", "b1"));
  const migrations = [
    ["services/a/1.sql", "a1"],
    ["services/b/1.sql", "changed"],
    ["services/b/2.sql", "b2"],
  ] as const;
  expect(withDigests(before, migrations)).toBe(
    file(entry("a/1.sql", "a1"), entry("b/1.sql", "b1"), entry("b/2.sql", "b2")),
  );
});
