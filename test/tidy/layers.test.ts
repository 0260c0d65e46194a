// Guarantee: the import law that docs/architecture.md states is the one that the linter applies, part by
// part, and each folder of a service is in it. Never checks imports itself: oxlint does.

import { expect, test } from "vitest";
import { GATEWAY_LAYERS, GATEWAY_NOUNS, NOUN_LAYERS } from "../../deploy/generate/import-laws.ts";
import { FILES, matches, textOf } from "../../deploy/generate/sources.ts";

type Layers = Readonly<Record<string, readonly string[]>>;

/** A cell of the table as the linter writes its parts: `store/` is `store/**`. */
function parts(cell: string): string[] {
  return matches(cell, /`([^`]+)`/g).map((name) => name.replace(/\/$/, "/**"));
}

function tableAfter(heading: string): [string, string[]][] {
  const [, table = ""] = textOf("docs/architecture.md").split(heading);
  const rows = matches(table.split("\n\n")[0] ?? "", /^(\| `.*\|)$/gm).map((row) => row.split("|"));
  return rows.flatMap(([, part = "", allowed = ""]) =>
    parts(part).map((name): [string, string[]] => [name, parts(allowed).toSorted()]),
  );
}

const sorted = (layers: Layers) =>
  Object.fromEntries(Object.entries(layers).map(([part, may]) => [part, may.toSorted()]));

test.for<[string, Layers]>([
  ["| Part of another service | Imports of its own service |\n", NOUN_LAYERS],
  ["| Part of the gateway | Imports of the gateway |\n", GATEWAY_LAYERS],
])("the table of docs/architecture.md %j has each part as the linter has", ([heading, layers]) => {
  expect(Object.fromEntries(tableAfter(heading))).toStrictEqual(sorted(layers));
});

/** The folders of services, in `src`. */
const FOLDERS = FILES.map(({ path }) =>
  /^services\/([^/]+)\/src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path),
).filter((match) => match !== null && match[2] !== "testing");

test("each folder of the gateway is a noun or has a row, and each row a folder", () => {
  const folders = new Set(
    FOLDERS.filter((match) => match?.[1] === "gateway").map((match) => match?.[2]),
  );
  const rows = Object.keys(GATEWAY_LAYERS).filter((part) => /^[a-z]+\/\*\*$/.test(part));
  const named = [...GATEWAY_NOUNS, ...rows.map((part) => part.replace("/**", ""))];
  expect(folders).toStrictEqual(new Set(named));
});

test("each folder of a noun of the other services is one of the layers", () => {
  const layers = new Set(
    Object.keys(NOUN_LAYERS).map((part) => part.replace(/^[^/]+\//, "").replace(/\/.*/, "")),
  );
  const others = FOLDERS.filter((match) => match?.[1] !== "gateway").map((match) => match?.[3]);
  expect(
    [...new Set(others)].filter((name) => name !== undefined && !layers.has(name)),
  ).toStrictEqual([]);
});
