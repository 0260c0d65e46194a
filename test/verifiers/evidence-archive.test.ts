// Guarantee: an archive, whose events are in a file of their own, is verified as the one bundle that both
// files are, by both verifiers. A file with more or less than one zstd frame of the text that bundle.json
// names is never valid, although runtimes decompress the first frame without an error.

import { gzipSync, constants, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { archiveOf, archiveVerdict, naming, rawFrame } from "./made-archive.ts";
import {
  changed,
  type Files,
  line,
  relisted,
  vectorFiles,
  verdictOf,
  withFile,
} from "./made-bundle.ts";
import { hasPython } from "../system/programs.ts";
import {
  agreed,
  hasPythonAndZstd,
  reasonOf as named,
  verdict,
  verdictInTurn,
} from "./python-evidence.ts";

const FULL = archiveOf(vectorFiles("full"));
const PRUNED = archiveOf(vectorFiles("pruned"));
const FRAME = zstdCompressSync(FULL.events);
const CHECKED_FRAME = zstdCompressSync(FULL.events, {
  params: { [constants.ZSTD_c_checksumFlag]: 1 },
});
const SKIPPABLE_FRAME = Buffer.from("502a4d180100000078", "hex");
const CHUNK_BYTES = 1024 * 1024;

const [FIRST_HALF, SECOND_HALF] = [
  FULL.events.subarray(0, FULL.events.length / 2),
  FULL.events.subarray(FULL.events.length / 2),
].map((half) => zstdCompressSync(half)) as [Buffer, Buffer];

const damaged = Buffer.from(CHECKED_FRAME);
damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);

const listed = (change: Parameters<typeof naming>[2]) => naming(FULL.evidence, FULL.events, change);

type Case = [expected: RegExp, what: string, evidence: Files, events: Buffer];

const CASES: Case[] = [
  [/^valid$/, "a zstd frame", FULL.evidence, FRAME],
  [/^valid$/, "a zstd frame with a checksum", FULL.evidence, CHECKED_FRAME],
  [
    /^valid$/,
    "a zstd frame of blocks that are not compressed",
    FULL.evidence,
    rawFrame(FULL.events),
  ],
  [/^valid$/, "a plain text", FULL.evidence, FULL.events],
  [/^valid$/, "a part of a chain", PRUNED.evidence, zstdCompressSync(PRUNED.events)],
  [
    / bytes behind/,
    "the text in two frames",
    FULL.evidence,
    Buffer.concat([FIRST_HALF, SECOND_HALF]),
  ],
  [/ bytes behind/, "a second frame", FULL.evidence, Buffer.concat([FRAME, SECOND_HALF])],
  [
    / bytes behind/,
    "a second frame of no bytes",
    FULL.evidence,
    Buffer.concat([FRAME, zstdCompressSync("")]),
  ],
  [
    / bytes behind/,
    "a skippable frame",
    FULL.evidence,
    Buffer.concat([CHECKED_FRAME, SKIPPABLE_FRAME]),
  ],
  [
    / bytes behind/,
    "one byte behind the frame",
    FULL.evidence,
    Buffer.concat([FRAME, Buffer.of(0)]),
  ],
  [/ are \d+ bytes, and not/, "the first of two frames", FULL.evidence, FIRST_HALF],
  [/ cut off/, "a frame without its last byte", FULL.evidence, FRAME.subarray(0, -1)],
  [/ cut off/, "a frame without its checksum", FULL.evidence, CHECKED_FRAME.subarray(0, -4)],
  [/ cut off/, "the first half of a frame", FULL.evidence, FRAME.subarray(0, FRAME.length / 2)],
  [/ cut off/, "the first bytes of a frame", FULL.evidence, FRAME.subarray(0, 4)],
  [
    / are \d+ bytes, and not/,
    "a plain text that was cut off",
    FULL.evidence,
    FULL.events.subarray(0, -1),
  ],
  [/ are 0 bytes/, "an empty file", FULL.evidence, Buffer.alloc(0)],
  [
    / are more than/,
    "a plain text with a line more",
    FULL.evidence,
    Buffer.concat([FULL.events, Buffer.from("\n")]),
  ],
  [
    / are more than/,
    "a frame of a longer text",
    FULL.evidence,
    zstdCompressSync(Buffer.alloc(1 << 26)),
  ],
  [/ damaged/, "a wrong checksum", FULL.evidence, damaged],
  [
    / needs more than/,
    "a frame that needs 1 GiB of memory",
    FULL.evidence,
    rawFrame(FULL.events, [0, 0xa0]),
  ],
  [
    / needs more than/,
    "one that says so by its size",
    FULL.evidence,
    rawFrame(FULL.events, [0xa0, 0, 0, 0, 0x40]),
  ],
  [/ are /, "another compression", FULL.evidence, gzipSync(FULL.events)],
  [
    / are \d+ bytes, and not/,
    "another size in bundle.json",
    listed((is) => ({ ...is, size: is.size + 1 })),
    FRAME,
  ],
  [
    / are more than/,
    "a smaller size in bundle.json",
    listed((is) => ({ ...is, size: is.size - 1 })),
    FRAME,
  ],
  [
    / are not those/,
    "another digest in bundle.json",
    listed((is) => ({ ...is, sha256: "0".repeat(64) })),
    FRAME,
  ],
  [/ has no member "size"/, "no size in bundle.json", listed(({ sha256 }) => ({ sha256 })), FRAME],
  [/ not an object/, "no digest in bundle.json", listed(() => null), FRAME],
  [/ twice/, "its events named twice", naming(vectorFiles("full"), FULL.events), FRAME],
  [/ are /, "the events of another archive", FULL.evidence, zstdCompressSync(PRUNED.events)],
];

/** A file_mismatch, but for those that are valid. */
const reasonOf = ({ source }: RegExp) => (source === "^valid$" ? "valid" : "file_mismatch");

test.each(CASES)("%s: %s", async (expected, _, evidence, events) => {
  const said = await archiveVerdict(evidence, events);
  expect(said).toMatch(expected);
  expect(said.split(":", 1)[0]).toBe(reasonOf(expected));
});

describe("what the digest does not show:", () => {
  const others = naming(FULL.evidence, PRUNED.events);
  const forged = changed(
    vectorFiles("full"),
    "events.jsonl",
    line(2, (text) => text.replace('"n":3,', '"n":4,')),
  );
  const { evidence, events } = archiveOf(forged);
  const behind = withFile(FULL.evidence, "events.jsonl", FULL.events);

  test.each<Case>([
    [
      /^sequence_gap: /,
      "the events of another piece, which bundle.json names",
      others,
      PRUNED.events,
    ],
    [
      /^digest_mismatch: events\.jsonl line 2: /,
      "a changed event",
      evidence,
      zstdCompressSync(events),
    ],
    [/^file_mismatch: .* is not in bundle\.json/, "other events in the tar file", behind, FRAME],
    [
      /^file_mismatch: .* is not the file/,
      "another file of the bundle",
      withFile(FULL.evidence, "policy", Buffer.of(10)),
      FRAME,
    ],
  ])("%s: %s", async (expected, _, ...archive) => {
    expect(await archiveVerdict(...archive)).toMatch(expected);
    if (hasPythonAndZstd) expect(await agreedOn(...archive)).toBe(/\w+/.exec(expected.source)?.[0]);
  });
});

test("the end of the frame is found wherever a read of the file ends", async () => {
  for (let length = CHUNK_BYTES - 5; length <= CHUNK_BYTES + 5; length += 1) {
    const text = Buffer.alloc(
      length - rawFrame(Buffer.alloc(CHUNK_BYTES - 64)).length + CHUNK_BYTES - 64,
      "x\n",
    );
    const frame = rawFrame(text);
    expect(frame).toHaveLength(length);
    const evidence = naming(FULL.evidence, text);
    expect(await archiveVerdict(evidence, frame)).toMatch(/^file_malformed: /);
    const second = Buffer.concat([frame, FRAME]);
    expect(await archiveVerdict(evidence, second)).toMatch(/^file_mismatch: .* bytes behind/);
  }
});

test("nothing is checked without the file of the events, nor with one that the bundle does not name", async () => {
  expect(await verdictOf(FULL.evidence)).toMatch(/^NotChecked: .* name it with --events/);
  expect(await archiveVerdict(vectorFiles("full"), FRAME)).toMatch(
    /^NotChecked: .* for an archive/,
  );
  for (const [path, code] of [
    ["/absent", "ENOENT"],
    ["/", "EISDIR"],
  ] as const)
    expect(await verdictOf(FULL.evidence, { events: path })).toBe(
      `NotChecked: "${path}" cannot be read (${code})`,
    );
});

/** The reason that both verifiers name. */
async function agreedOn(evidence: Files, events: Buffer): Promise<string> {
  return await agreed(evidence, { events });
}

describe.runIf(hasPythonAndZstd)("evidence.py names the same reason:", () => {
  test.each(CASES)("%s: %s", async (expected, _, evidence, events) => {
    const said = await verdictInTurn(evidence, { events });
    expect(named(said)).toBe(reasonOf(expected));
  });
});

describe.runIf(hasPython)("evidence.py,", () => {
  test("which cannot decompress zstd, says so", () => {
    expect(verdict(FULL.evidence, { events: FULL.events, path: "" }).text).toMatch(
      /^valid: 500 events/,
    );
    expect(verdict(FULL.evidence, { events: FRAME, path: "" }).text).toMatch(
      /^not checked: .*zstd/,
    );
  });

  test("checks nothing without the file of the events", async () => {
    expect(await agreed(FULL.evidence)).toBe("NotChecked");
    expect(await agreed(relisted(vectorFiles("full")), { events: FULL.events })).toBe("NotChecked");
  });
});
