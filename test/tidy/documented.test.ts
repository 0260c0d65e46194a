// Guarantee: the documentation's links and anchors lead somewhere, and so do the addresses of pages in code,
// messages, alerts and the chart, and the citations of the interface. Decisions are numbered, measurements
// are in a history, and every package says its licence.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILES, matches, ROOT, textOf } from "../../deploy/generate/sources.ts";

/** The pages, without their blocks of code. */
const PAGES = new Map(
  FILES.filter(({ path }) => path.endsWith(".md")).map(({ path, text }) => [
    path,
    text.replaceAll(/```[^]*?```/g, ""),
  ]),
);

/** As the hosts of repositories make them: lower case, punctuation gone, a hyphen for each space. */
const anchorsOf = (page: string) =>
  matches(page, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Whether there is a file or folder, and a heading if the address names one. */
function leadsSomewhere(path: string, anchor?: string): boolean {
  if (anchor !== undefined) return anchorsOf(PAGES.get(path) ?? "").includes(anchor);
  return existsSync(join(ROOT, path));
}

/** The targets of links, with what they lead to if they are relative. */
const linksIn = (path: string, text: string) =>
  matches(text, /(?:\]\(|^\[[^\]]+\]: +|\bsrc=")(?!\w+:)([^)\s"]+)/gm).map((link) => {
    const [target = "", anchor] = link.split("#");
    return { link, target: target === "" ? path : join(path, "..", target), anchor };
  });

test("the links of the documentation lead to files, and their anchors to headings", () => {
  const links = [...PAGES].flatMap(([path, text]) => linksIn(path, text));
  expect(links.length).toBeGreaterThan(500);
  expect(links.filter(({ anchor, target }) => !leadsSomewhere(target, anchor))).toStrictEqual([]);
  const [example] = linksIn("docs/README.md", "[b](operators/tls.md#c)");
  expect(example).toMatchObject({ target: "docs/operators/tls.md", anchor: "c" });
});

/** The addresses of pages, from the root, that a file of any kind names. */
const addressesIn = (text: string) =>
  [...text.matchAll(/(?<![\w./-])docs\/[\w./-]*\w(?:#([\w-]+))?/g)].map(([address, anchor]) => ({
    path: address.split("#")[0] ?? "",
    anchor,
  }));

test("the addresses of pages in alerts, messages, the chart and code lead to pages and headings", () => {
  const named = FILES.filter(({ path }) => !PAGES.has(path)).flatMap(({ path: file, text }) =>
    addressesIn(text).map((address) => ({ file, ...address })),
  );
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter(({ anchor, path }) => !leadsSomewhere(path, anchor))).toStrictEqual([]);
  const example = 'throw wrong("see docs/operators/tls.md#renew-them.");';
  expect(addressesIn(example)).toStrictEqual([
    { path: "docs/operators/tls.md", anchor: "renew-them" },
  ]);
});

/** What a file cites as "interface 9.2" or "section 6 of the interface". */
const citedIn = (text: string): string[] =>
  [
    ...matches(text, /\binterface (\d[\d.]*(?:(?:, | and )\d[\d.]*)*)/g),
    ...matches(text, /\bsection (\d[\d.]*) of the interface/g),
  ].flatMap((numbers) => matches(numbers, /(\d+(?:\.\d+)?)/g));

test("every number of the interface that a file cites is a section of docs/interface.md", () => {
  const page = PAGES.get("docs/interface.md") ?? "";
  const sections = new Set(matches(page, /^##+ (\d+(?:\.\d+)?)\.? \S/gm));
  const cited = FILES.flatMap(({ path, text }) =>
    citedIn(text).map((number) => ({ path, number })),
  );
  expect(cited.filter(({ number }) => !sections.has(number))).toStrictEqual([]);
  expect(cited.length).toBeGreaterThan(80);
  const example = ["(interface 9.1 and 6)", "section 4 of the interface"].join("\n");
  expect(citedIn(example)).toStrictEqual(["9.1", "6", "4"]);
});

test("decisions are numbered from 1 without a gap, each a page with a title or a row of the archive", () => {
  const records = FILES.filter(({ path }) => /^docs\/adr\/\d/.test(path));
  expect(records.length).toBeGreaterThan(0);
  for (const { path, text } of records) {
    expect(path).toMatch(/^docs\/adr\/\d{4}-[a-z0-9-]+\.md$/);
    expect(text, path).toMatch(/^# \S/);
  }
  const numbers = [
    ...records.map(({ path }) => Number(path.slice("docs/adr/".length).slice(0, 4))),
    ...matches(PAGES.get("docs/adr/archive.md") ?? "", /^\| (\d+) \|/gm).map(Number),
  ].toSorted((a, b) => a - b);
  expect(numbers).toStrictEqual(numbers.map((_, index) => index + 1));
});

test("what was measured is one page, with a history: a row for each change", () => {
  expect(textOf("docs/performance.md").split("\n").length - 1).toBeLessThanOrEqual(80);
  const pages = FILES.filter(({ path }) => path.startsWith("docs/performance/"));
  expect(pages.length).toBeGreaterThan(2);
  for (const { path } of pages)
    expect(path).toMatch(/\/(history|last-run|what-a-request-costs)\.md$/);
});

test("every package is Apache-2.0, says what it is for, and the licence is there", () => {
  expect(existsSync(join(ROOT, "LICENSE"))).toBe(true);
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

/** The names of the types of sinks, and the files of their schemas. */
function sinkTypes(): { readonly name: string; readonly file: string }[] {
  const text = textOf("libs/interface/src/sink-types.ts");
  const [, table = ""] = /SINK_TYPES = \{([^}]*)\}/.exec(text) ?? [];
  const files = new Map(
    Array.from(
      text.matchAll(/^import \{ (\w+) \} from "\.(\/sink-types\/\S+)";/gm),
      ([, of, file]) => [of, file],
    ),
  );
  return Array.from(table.matchAll(/^ *(\w+)(?:: (\w+))?,/gm), ([, name = "", of = name]) => ({
    name,
    file: `libs/interface/src${files.get(of)}`,
  }));
}

test("each type of sinks has its row in the tables of docs/interface.md and docs/sinks.md", () => {
  const types = sinkTypes().map(({ name }) => name);
  expect(types).toContain("http");
  const interfaceRows = matches(textOf("docs/interface.md"), /^\| `(\w+)` \| (?!string)/gm);
  const rows = matches(textOf("docs/sinks.md"), /^\| [^|`]+ \| `(\w+)` \|/gm);
  expect(types.filter((type) => !interfaceRows.includes(type))).toStrictEqual([]);
  expect(types.filter((type) => !rows.includes(type))).toStrictEqual([]);
});

test("each type of sinks is in the lists of the tests that docs/adding-a-sink-type.md names", () => {
  const types = sinkTypes();
  const refusing = types.filter(({ file }) => textOf(file).includes("refusesEvents: true"));
  expect(refusing.length).toBeGreaterThan(3);
  const missing = (file: string, of: typeof types) =>
    of.filter(({ name }) => !textOf(file).includes(`type: "${name}"`));
  expect(missing("test/api/sinks/sink-bodies.ts", types)).toStrictEqual([]);
  const receivers = "services/webhook-dispatcher/src/testing/refusing-receivers.ts";
  expect(missing(receivers, refusing)).toStrictEqual([]);
});
