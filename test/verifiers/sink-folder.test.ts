// Guarantee: `annals-verify` with a copy of the bucket of a sink accepts what the service writes, in each way
// that it may be interrupted or replayed, and names each object or manifest that is missing, changed, cut off
// or swapped, and each event that is not the one of the chain.

import type { Manifest } from "@annals/webhook-dispatcher/src/sinks/types/s3/s3-manifest.ts";
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { chainOf } from "./made-export.ts";
import { linesOf, nameOf, sinkVerdict, write } from "./made-sink.ts";

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "annals-sink-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const object = (from: number, to: number) => nameOf({ from, to });

describe("what the service writes is valid:", () => {
  test("three batches", async () => {
    const folder = await newFolder();
    let before: Manifest | undefined;
    for (const from of [1, 11, 21]) before = await write(folder, { from, to: from + 9, before });
    const said = await sinkVerdict(folder);
    expect(said).toContain('valid: 30 events of "acct_1" by "sink_1", sequence numbers 1 to 30');
    expect(said).toContain("30 hashes recomputed, 0 not");
    expect(said).toContain("30 checked, 0 not");
  });

  test("a batch that was interrupted, and cut otherwise when it was sent again", async () => {
    const folder = await newFolder();
    const before = await write(folder, { from: 1, to: 10 });
    await write(folder, { from: 11, to: 15, before });
    const second = await write(folder, { from: 11, to: 20, before });
    await write(folder, { from: 21, to: 30, before: second });
    await rm(join(folder, `${object(11, 15)}.manifest.json`));
    expect(await sinkVerdict(folder)).toMatch(/^valid: .*\nnote: 1 /s);
    await write(folder, { from: 11, to: 15, before });
    expect(await sinkVerdict(folder)).toMatch(/^valid: /);
  });

  test("a replay", async () => {
    const folder = await newFolder();
    const before = await write(folder, { from: 1, to: 20 });
    const again = await write(folder, { from: 6, to: 20, replays: 1, before });
    await write(folder, { from: 21, to: 30, replays: 1, before: again });
    expect(await sinkVerdict(folder)).toMatch(/^valid: /);
  });

  test("events that a filter selects, and lines without a proof", async () => {
    const folder = await newFolder();
    const some = [...linesOf(3, 3, false), ...linesOf(7, 8, false)];
    const before = await write(folder, { from: 3, to: 8, lines: some });
    await write(folder, { from: 12, to: 12, lines: linesOf(12, 12), before });
    const said = await sinkVerdict(folder);
    expect(said).toMatch(/^valid: /);
    expect(said).toContain("1 hashes recomputed, 3 not");
    expect(said).toContain("1 checked, 3 not");
  });

  test("lines of another format", async () => {
    const folder = await newFolder();
    await write(folder, { from: 1, to: 3, lines: ['{"class_uid":3004}', "{}", "{}"] });
    expect(await sinkVerdict(folder)).toMatch(/^valid: /);
  });
});

describe("is named:", () => {
  let made: string;

  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), "annals-sink-"));
    let before: Manifest | undefined;
    for (const from of [1, 11, 21]) before = await write(made, { from, to: from + 9, before });
    return () => rm(made, { recursive: true });
  });

  /** The faults of a copy of the bucket that was tampered with. */
  async function faultsAfter(tamper: (folder: string) => Promise<unknown>): Promise<string[]> {
    const folder = await newFolder();
    await cp(made, folder, { recursive: true });
    await tamper(folder);
    const faults = (await sinkVerdict(folder)).split("\n");
    expect(faults.filter((fault) => !fault.startsWith("invalid: "))).toEqual([]);
    return faults;
  }

  const manifest = (from: number, to: number) => `${object(from, to)}.manifest.json`;

  test("a manifest that is missing", async () => {
    expect(await faultsAfter((folder) => rm(join(folder, manifest(11, 20))))).toStrictEqual([
      "invalid: sink_1 of acct_1: manifest 2 is missing, after event 10, before event 21",
    ]);
  });

  test("the first manifest that is missing", async () => {
    expect(await faultsAfter((folder) => rm(join(folder, manifest(1, 10))))).toStrictEqual([
      "invalid: sink_1 of acct_1: manifest 1 is missing, before event 11",
    ]);
  });

  test("an object that is missing", async () => {
    expect(await faultsAfter((folder) => rm(join(folder, object(11, 20))))).toStrictEqual([
      `invalid: "${object(11, 20)}" is missing`,
    ]);
  });

  test("an object that was cut off, and one that was changed", async () => {
    const faults = await faultsAfter(async (folder) => {
      const bytes = await readFile(join(folder, object(1, 10)));
      await writeFile(join(folder, object(1, 10)), bytes.subarray(0, -1));
      const other = await readFile(join(folder, object(21, 30)));
      await writeFile(join(folder, object(21, 30)), other.fill(0, 100, 101));
    });
    expect(faults[0]).toMatch(/1-10\.jsonl\.zst" was cut off: it has \d+ bytes of \d+$/);
    expect(faults[1]).toMatch(/21-30\.jsonl\.zst" was changed: its SHA-256 is another$/);
    expect(faults.length).toBe(2);
  });

  test("two objects that were swapped", async () => {
    const faults = await faultsAfter(async (folder) => {
      await rename(join(folder, object(1, 10)), join(folder, "kept"));
      await rename(join(folder, object(11, 20)), join(folder, object(1, 10)));
      await rename(join(folder, "kept"), join(folder, object(11, 20)));
    });
    expect(faults.length).toBe(2);
    expect(faults.join()).toMatch(/1-10.* was .*11-20.* was /);
  });

  test("a manifest under the name of another", async () => {
    const faults = await faultsAfter((folder) =>
      cp(join(folder, manifest(1, 10)), join(folder, manifest(11, 20))),
    );
    expect(faults).toContain(
      `invalid: "${manifest(11, 20)}" is that of another object, "${object(1, 10)}"`,
    );
  });

  test("a manifest that was changed, by the next one", async () => {
    const faults = await faultsAfter(async (folder) => {
      const text = await readFile(join(folder, manifest(11, 20)), "utf8");
      await writeFile(join(folder, manifest(11, 20)), text.replace("{", "{ "));
    });
    expect(faults).toStrictEqual([
      "invalid: sink_1 of acct_1: manifest 2 is not the one that manifest 3 names: it was changed or swapped",
    ]);
  });

  test("a manifest that is not one", async () => {
    const faults = await faultsAfter((folder) => writeFile(join(folder, manifest(21, 30)), "{}"));
    expect(faults[0]).toContain('the manifest has no member "format"');
  });

  test.each([
    [
      "an event that was changed",
      (lines: string[]) => lines.with(4, lines[4]?.replace('"n":14', '"n":15') ?? ""),
      "line 5: sequence number 15: digest_mismatch in metadata",
    ],
    [
      "two events that were swapped",
      (lines: string[]) => [...lines.slice(1, 2), ...lines.slice(0, 1), ...lines.slice(2)],
      "line 2: sequence number 11 follows 12",
    ],
    [
      "an event of another chain",
      (lines: string[]) =>
        lines.with(4, lines[4]?.replace('"chain":"acct_1"', '"chain":"acct_2"') ?? ""),
      "line 5: an event of another chain",
    ],
    ["a line that is not JSON", (lines: string[]) => lines.with(4, "{"), "line 5: is not JSON"],
  ])("%s, in an object that fits its manifest", async (_name, change, expected) => {
    const folder = await newFolder();
    const before = await write(folder, { from: 1, to: 10 });
    await write(folder, { from: 11, to: 20, lines: change(linesOf(11, 20)), before });
    const said = await sinkVerdict(folder);
    expect(said).toMatch(/^invalid: /);
    expect(said).toContain(expected);
  });
});

describe("is named, where the bytes are those of the manifest:", () => {
  const other = chainOf(
    "acct_1",
    Array.from({ length: 30 }, (_, n) => ({ n: -n })),
  );
  const hashAt = (number: number): string => other.places[number - 1]?.hash ?? "";

  test.each<[string, Partial<Parameters<typeof write>[1]>, string]>([
    ["another count", { claims: { count: 11 } }, "has 10 lines, and its manifest says 11"],
    ["another range", { claims: { to: 21 } }, "is not named after its chain and range"],
    [
      "another first event",
      { claims: { first_hash: hashAt(11) } },
      "its first event is not that of its manifest",
    ],
    [
      "another event before the first",
      { claims: { first_previous_hash: hashAt(10) } },
      "its first event is not that of its manifest",
    ],
    [
      "another last event",
      { claims: { last_hash: hashAt(20) } },
      "its last event is not that of its manifest",
    ],
    [
      "an object of another history",
      {
        lines: linesOf(11, 20, true, other),
        claims: {
          first_hash: hashAt(11),
          last_hash: hashAt(20),
          first_previous_hash: hashAt(10),
        },
      },
      "sink_1 of acct_1: event 11 does not link to event 10",
    ],
    [
      "an event of another history",
      { lines: [...linesOf(11, 14), ...linesOf(15, 15, true, other), ...linesOf(16, 20)] },
      "line 5: sequence number 15 does not link to the event before",
    ],
  ])("%s", async (_, change, expected) => {
    const folder = await newFolder();
    const before = await write(folder, { from: 1, to: 10 });
    await write(folder, { from: 11, to: 20, before, ...change });
    const said = await sinkVerdict(folder);
    expect(said).toMatch(/^invalid: /);
    expect(said).toContain(expected);
  });
});

test("a folder without a manifest is not checked", async () => {
  const folder = await newFolder();
  expect(await sinkVerdict(folder)).toBe(`notChecked: "${folder}" has no manifest of a sink`);
});
