// Guarantee: whatever is added to an export as JSON Lines or CSV, at any place of its structure and with a
// manifest that fits, annals-verify refuses, unless the list below says why every reader ignores it. So other
// readers of a valid file find the rows that were checked and no more.

import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { chainOf, csvOf, exportOf, type Made, verdict } from "./made-export.ts";

const MADE = chainOf(
  "acct_1",
  Array.from({ length: 3 }, (_, n) => ({ n })),
);
const FORGED = chainOf("acct_1", [{ forged: true }], 4, MADE.places.at(-1)?.hash);
const latin1 = (bytes: Buffer): string => bytes.toString("latin1");

/** What is added, by a name. */
const ADDED: Readonly<Record<string, string>> = {
  "a byte order mark": "\uFEFF",
  NUL: "\0",
  "a line feed": "\n",
  "CR LF": "\r\n",
  CR: "\r",
  space: " ",
  tab: "\t",
  comma: ",",
  quote: '"',
  brace: "}",
  "a comment": "#",
  "a member twice": '"event":{},',
  "an event": `${FORGED.lines[0]}\n`,
  "the record of an event": FORGED.records[0] ?? "",
  "an event without its proof": '{"event":{"id":"evt_9"}}\n',
  "a gzip member": latin1(gzipSync("x\n")),
  "a zstd frame": latin1(zstdCompressSync(Buffer.from("x\n"))),
};

const JSON_SPACE = "white space of JSON, which every reader skips";

/** What is not refused, and why. */
const IGNORED: Readonly<Record<string, string>> = {
  "jsonl: space before a line": JSON_SPACE,
  "jsonl: tab before a line": JSON_SPACE,
  "jsonl: space in a line": JSON_SPACE,
  "jsonl: tab in a line": JSON_SPACE,
  "jsonl: space behind a line": JSON_SPACE,
  "jsonl: tab behind a line": JSON_SPACE,
  "jsonl: space behind its end": JSON_SPACE,
  "jsonl: tab behind its end": JSON_SPACE,
};

type Place = "before a line" | "in a line" | "behind a line" | "behind its end";

/** A line with something added. A line has its own end in `end`. */
function added(line: string, place: Place, text: string, end: string): string {
  switch (place) {
    case "before a line":
      return text + line + end;
    case "in a line": {
      const at = line.indexOf(",") + 1;
      return line.slice(0, at) + text + line.slice(at) + end;
    }
    case "behind a line":
      return line + text + end;
    case "behind its end":
      return line + end + text;
  }
}

const PLACES: readonly Place[] = ["before a line", "in a line", "behind a line", "behind its end"];
const NAMES = Object.keys(ADDED);
const CASES = PLACES.flatMap((place) => NAMES.map((name) => [place, name] as const));

/** Names of what is accepted, of all that may be added to each of the records. */
async function accepted(format: string, make: (at: number, place: Place, text: string) => string) {
  const found = new Set<string>();
  for (const [place, name] of CASES)
    for (const at of MADE.lines.keys())
      if ((await verdict(make(at, place, ADDED[name] ?? ""))) === "Error: valid")
        found.add(`${format}: ${name} ${place}`);
  return [...found].toSorted();
}

const ignoredOf = (format: string) =>
  Object.keys(IGNORED)
    .filter((name) => name.startsWith(format))
    .toSorted();

describe("JSON Lines:", () => {
  const textOf = (lines: readonly string[]): string => {
    // Each has its end already.
    const made = { ...MADE, lines: [lines.join("").slice(0, -1)] } satisfies Made;
    return exportOf(made);
  };

  test("the events", async () => {
    const make = (at: number, place: Place, text: string) =>
      textOf(
        MADE.lines.map((line, own) => (own === at ? added(line, place, text, "\n") : `${line}\n`)),
      );
    expect(await verdict(make(-1, "in a line", ""))).toBe("Error: valid");
    expect(await accepted("jsonl", make)).toEqual(ignoredOf("jsonl"));
  });

  test("the manifest, and the file behind it", async () => {
    const lines = exportOf(MADE).trimEnd().split("\n");
    const manifest = lines.pop() ?? "";
    const body = lines.map((line) => `${line}\n`).join("");
    for (const [place, name] of CASES)
      expect(await verdict(body + added(manifest, place, ADDED[name] ?? "", "\n")), name).not.toBe(
        "Error: valid",
      );
  });
});

describe("CSV:", () => {
  const records = MADE.records.map((record) => record.slice(0, -2));

  test("the events", async () => {
    const make = (at: number, place: Place, text: string) =>
      csvOf({
        ...MADE,
        records: records.map((record, own) =>
          own === at ? added(record, place, text, "\r\n") : `${record}\r\n`,
        ),
      });
    expect(await verdict(make(-1, "in a line", ""))).toBe("Error: valid");
    expect(await accepted("csv", make)).toEqual(ignoredOf("csv"));
  });

  test("the header and the manifest, and the file behind it", async () => {
    const lines = csvOf(MADE).slice(0, -2).split("\r\n");
    for (const at of [0, lines.length - 1])
      for (const [place, name] of CASES) {
        const own = lines.map((line, each) =>
          each === at ? added(line, place, ADDED[name] ?? "", "\r\n") : `${line}\r\n`,
        );
        expect(await verdict(own.join("")), name).not.toBe("Error: valid");
      }
  });

  test.each([
    ["an action in quotes that it does not need", /^([^,]*),([^,]*),/, '$1,"$2",'],
    ["a number in quotes", /^(\d+),/, '"$1",'],
    ["a record that ends with a line feed alone", /\r$/, ""],
    ["a quote within a cell", /u_1/, 'u_"1'],
    ["a line break within a cell without quotes", /^(\d+),evt_(\d+),/, '$1,evt_$2"\n",'],
  ])("%s", async (_, from, to) => {
    const changed = MADE.records.map((record) => `${record.slice(0, -1).replace(from, to)}\n`);
    expect(changed).not.toEqual(MADE.records);
    expect(await verdict(csvOf({ ...MADE, records: changed }))).not.toBe("Error: valid");
  });
});
