// Guarantee: what an operator can set or watch stands in docs/operating.md, in a row of a table
// that begins with its name, and nothing stands there that is not so; decisions are numbered; every
// package says its licence.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CODE, FILES, PRODUCT, ROOT } from "./sources.ts";

const OPERATING = FILES.find(({ path }) => path === "docs/operating.md")?.text ?? "";

/**
 * The names in the first column of the tables of docs/operating.md, in backquotes; a row may name
 * several.
 */
const ROWS = new Set(
  [...OPERATING.matchAll(/^\| *((`[\w{}=",*]+`[ ,and]*)+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)/g)].map(([, name = ""]) => name),
  ),
);

const strings = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name);

describe("settings", () => {
  const declared = PRODUCT.filter(({ path }) =>
    /\/(config|settings|[a-z-]*-settings)\.ts$/.test(path),
  );
  const settings = new Set(
    declared.flatMap(({ text }) => strings(text, /"(ANNALS_\w+|DANGEROUS_\w+)"/g)),
  );

  test.each([...settings])("%s has a row in docs/operating.md", (name) => {
    expect(
      ROWS,
      `add a row to docs/operating.md: | \`${name}\` | default | what it does |`,
    ).toContain(name);
  });

  test("every row is a setting that something reads", () => {
    const rows = [...ROWS].filter((name) => /^(ANNALS|DANGEROUS)_/.test(name));
    const product = CODE.filter(({ path }) => !/\.test\.ts$|^test\//.test(path));
    const unread = rows.filter((name) => !product.some(({ text }) => text.includes(name)));
    // Addresses of services are put together from their names.
    expect(unread.filter((name) => !/^ANNALS_\w+_ADDRESS$/.test(name))).toStrictEqual([]);
    expect(settings.size).toBeGreaterThan(15);
  });
});

describe("metrics", () => {
  const declared = PRODUCT.flatMap(({ text }) =>
    strings(text, /new (?:Counter|Gauge|Histogram)(?:<[^>]*>)?\(\{\s*name: "(\w+)"/g),
  );

  test.each(declared.map((name) => [name]))("%s has a row in docs/operating.md", (name) => {
    expect(
      ROWS,
      `add a row to docs/operating.md: | \`${name}\` | labels | what it tells |`,
    ).toContain(name);
  });

  test("every one is found, and every row of ours is one", () => {
    const constructed = PRODUCT.flatMap(({ text }) =>
      strings(text, /new (Counter|Gauge|Histogram)\b/g),
    );
    expect(declared).toHaveLength(constructed.length);
    const section = /^## Metrics$[^]*?(?=^## )/m.exec(OPERATING)?.[0] ?? "";
    const rows = strings(section, /^\| *`(annals_\w+)/gm);
    expect(rows.filter((name) => !declared.includes(name))).toStrictEqual([]);
  });

  test("each has a name of the product's domain or of OpenTelemetry, and its unit", () => {
    const shape = /^(annals_\w+|(http|rpc|db|messaging)_\w+)$/;
    expect(declared.filter((name) => !shape.test(name))).toStrictEqual([]);
  });
});

test("decisions are numbered from 0001 without a gap, each with a title", () => {
  const records = FILES.filter(({ path }) => /^docs\/adr\/\d/.test(path));
  const numbers = records.map(({ path }) =>
    Number(/^docs\/adr\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]),
  );
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers).toStrictEqual(numbers.map((_, index) => index + 1));
  expect(records.filter(({ text }) => !/^# \S/.test(text)).map(({ path }) => path)).toStrictEqual(
    [],
  );
});

test("the links of the documentation lead to files", () => {
  const broken = FILES.filter(({ path }) => path.endsWith(".md")).flatMap(({ path, text }) =>
    strings(prose(text), /\]\((?!\w+:|#)([^)#\s]+)/g)
      .filter((target) => !exists(join(ROOT, path, "..", target)))
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toStrictEqual([]);
});

test("and their anchors to headings", () => {
  const pages = new Map(
    FILES.filter(({ path }) => path.endsWith(".md")).map(({ path, text }) => [path, prose(text)]),
  );
  const broken = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)#([^)\s]+)\)/g)]
      .filter(([, target = "", anchor = ""]) => {
        const page = pages.get(target === "" ? path : join(path, "..", target));
        return page === undefined || !anchorsOf(page).has(anchor);
      })
      .map(([link]) => `${path}: ${link}`),
  );
  expect(broken).toStrictEqual([]);
  expect(pages.size).toBeGreaterThan(20);
});

test("what was measured is one page: older runs and attempts go to docs/performance/ by date", () => {
  const page = FILES.find(({ path }) => path === "docs/performance.md")?.text ?? "";
  expect(page.split("\n").length - 1).toBeLessThanOrEqual(150);
  const dated = FILES.filter(({ path }) => path.startsWith("docs/performance/"));
  expect(dated.length).toBeGreaterThan(0);
  for (const { path } of dated) expect(path).toMatch(/\/\d{4}-\d{2}(-\d{2})?-[a-z-]+\.md$/);
});

test("every package is Apache-2.0, says what it is for, and the licence is there", () => {
  expect(readFileSync(join(ROOT, "LICENSE"), "utf8")).toContain("Apache License");
  const manifests = FILES.filter(
    ({ path }) => /(^|\/)package\.json$/.test(path) && !path.includes("fixtures"),
  );
  expect(manifests.length).toBeGreaterThan(10);
  for (const { path, text } of manifests)
    expect(JSON.parse(text), path).toMatchObject({
      license: "Apache-2.0",
      description: expect.stringMatching(/\.$/),
    });
});

function prose(text: string): string {
  return text.replaceAll(/```[^]*?```/g, "");
}

/** As the hosts of repositories make them: lower case, punctuation gone, a hyphen for each space. */
function anchorsOf(page: string): Set<string> {
  return new Set(
    strings(page, /^#+ (.+)$/gm).map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function exists(path: string): boolean {
  return FILES.some((file) => join(ROOT, file.path) === path) || isThere(path);
}

function isThere(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EISDIR";
  }
}
