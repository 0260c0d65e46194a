// Guarantee: the import law that docs/architecture.md states is the one that the linter applies, part by
// part, and each folder of a service is in it. Never checks imports itself: oxlint does.

import { expect, test } from "vitest";
import { LAYERS } from "../../oxlint.config.ts";
import { FILES, matches, textOf } from "../../deploy/generate/sources.ts";

/** A cell of the table as the linter writes its parts: `domain/` is `domain/**`. */
function parts(cell: string): string[] {
  return matches(cell, /`([\w./*-]+\/?)`/g).map((name) =>
    name === "v1/" ? "v1/*/**" : name.replace(/\/$/, "/**"),
  );
}

test("the table of docs/architecture.md has each part with what it may import, as oxlint.config.ts has", () => {
  const [, table = ""] = textOf("docs/architecture.md").split(
    "| Part | Imports of its own service |\n",
  );
  const rows = matches(table.split("\n\n")[0] ?? "", /^(\| `.*\|)$/gm).map((row) => row.split("|"));
  const law = rows.flatMap(([, part = "", allowed = ""]) =>
    parts(part).map((name) => [name, parts(allowed).toSorted()] as const),
  );
  expect(Object.fromEntries(law)).toStrictEqual(
    Object.fromEntries(Object.entries(LAYERS).map(([part, may]) => [part, may.toSorted()])),
  );
});

test("each folder of a service has a row, and each row a folder or file", () => {
  const first = (path: string): string => path.split("/")[0] ?? "";
  const own = FILES.map(({ path }) => /^services\/[^/]+\/src\/([^/]+)(\/?)/.exec(path)).filter(
    (match) => match !== null,
  );
  const folders = new Set(own.filter(([, , slash]) => slash === "/").map(([, name]) => name));
  folders.delete("testing");
  const law = new Set(Object.keys(LAYERS).map(first));
  expect([...folders].filter((name) => !law.has(name ?? ""))).toStrictEqual([]);
  expect([...law].filter((name) => !own.some(([, part]) => part === name))).toStrictEqual([]);
});
