// Guarantee: whatever is added to a bundle of evidence, with a bundle.json that names it where that is
// possible, both verifiers refuse: entries of any type at any place, fields of a header that other programs
// honour, bytes between and behind the entries, files of any other name, members, lines. What is not refused
// is listed with the reason why every reader ignores it.

import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Case, tarCases } from "./added-tar.ts";
import {
  bundleOf,
  CHAIN,
  changed,
  type Files,
  POLICY,
  relisted,
  tarOf,
  vectorBytes,
  verdictOf,
  withFile,
} from "./made-bundle.ts";
import { erasure, recordedChain } from "./made-erasure.ts";
import { hasPython } from "../system/programs.ts";
import { python } from "./python-evidence.ts";

const STAMP = JSON.parse(String(vectorBytes("timestamp.json"))) as Readonly<
  Record<"checkpoint" | "response_base64", string>
>;
const TOKEN = Buffer.from(STAMP.response_base64, "base64");
const STAMPED = Buffer.from(STAMP.checkpoint);
const FILES = small();

/** A bundle of a few events, with a policy and a time stamp. */
function small(): Files {
  const made = recordedChain(
    CHAIN,
    { action: "annals.erasure", metadata: erasure("1") },
    { 1: ["actor"] },
  );
  const files = bundleOf(
    made.lines,
    made.places.map(({ hash }) => hash),
  );
  return relisted(
    new Map([
      ...files,
      ["policy", POLICY],
      ["timestamps/8.tsr", TOKEN],
      ["timestamps/8.checkpoint", STAMPED],
    ]),
  );
}

const NAMES = [
  "timestamps/notes.txt",
  "timestamps/events.jsonl",
  "timestamps/\u001b[2Jx",
  "timestamps/../../../../tmp/x",
  "timestamps/08.tsr",
  "timestamps/9.tsr",
  "timestamps/9.checkpoint",
  "timestamps/",
  "timestamps",
  "tile/x",
  "tile/../x",
  "tile/0/001.txt",
  "tile",
  "events.jsonl.zst",
  "EVENTS.jsonl",
  "./policy",
  "/policy",
  "policy/",
  "README",
  ".checkpoint",
];

const nameCases = (): Case[] =>
  NAMES.map((name) => [
    `a file ${JSON.stringify(name)}`,
    tarOf(relisted(withFile(FILES, name, Buffer.from("quorum none\n")))),
  ]);

const file = (name: string, change: (text: string) => string): Buffer =>
  tarOf(changed(FILES, name, change));
const index = (change: (text: string) => string): Buffer =>
  tarOf(withFile(FILES, "bundle.json", Buffer.from(change(String(FILES.get("bundle.json"))))));
const firstLine = (change: (line: string) => string) => (text: string) =>
  text.replace(/^.*$/m, change);

function contentCases(): Case[] {
  const lines = ["events.jsonl", "heads.jsonl"].flatMap((name): Case[] => [
    [`a blank line in ${name}`, file(name, (text) => `\n${text}`)],
    [`a blank line behind ${name}`, file(name, (text) => `${text}\n`)],
    [
      `a carriage return in ${name}`,
      file(
        name,
        firstLine((line) => `${line}\r`),
      ),
    ],
    [`a byte order mark before ${name}`, file(name, (text) => `\uFEFF${text}`)],
    [`NUL behind ${name}`, file(name, (text) => `${text}\0`)],
    [
      `a line again in ${name}`,
      file(
        name,
        firstLine((line) => `${line}\n${line}`),
      ),
    ],
    [`a line of no member in ${name}`, file(name, (text) => `${text}{}\n`)],
    [
      `a member in ${name}`,
      file(
        name,
        firstLine((line) => `${line.slice(0, -1)},"by":"auditor"}`),
      ),
    ],
    [
      `a value behind a line of ${name}`,
      file(
        name,
        firstLine((line) => `${line}{}`),
      ),
    ],
  ]);
  return [
    ...lines,
    ["a policy that is any text", file("policy", () => "approved by the auditor\n")],
    ["a policy with control characters", file("policy", (text) => `# \u001b[2J\n${text}`)],
    ["a policy with a line more", file("policy", (text) => `${text}approved\n`)],
    ["a member of bundle.json", index((text) => text.replace("{", '{"by":"auditor",'))],
    ["a member of bundle.json twice", index((text) => text.replace("{", '{"v":1,'))],
    ["text behind bundle.json", index((text) => `${text}{}`)],
    ["a byte order mark before bundle.json", index((text) => `\uFEFF${text}`)],
    ["a line of the checkpoint", file("checkpoint", (text) => text.replace("\n\n", "\nmore\n\n"))],
    ["text behind the checkpoint", file("checkpoint", (text) => `${text}approved\n`)],
    [
      "a token that is any text",
      tarOf(relisted(withFile(FILES, "timestamps/8.tsr", Buffer.from("x")))),
    ],
    [
      "bytes behind a token",
      tarOf(relisted(withFile(FILES, "timestamps/8.tsr", Buffer.concat([TOKEN, TOKEN])))),
    ],
    ["a stamped text that no log signed", file("timestamps/8.checkpoint", (text) => `${text}x`)],
  ];
}

/** What is not refused, and why every reader ignores it. */
const IGNORED: readonly (readonly [what: string, why: string, tar: Buffer])[] = [
  [
    "zeros behind the end of the tar file",
    "the end is zeros, of any number",
    Buffer.concat([tarOf(FILES), Buffer.alloc(512 * 20)]),
  ],
  [
    "white space in a line",
    "white space of JSON",
    file(
      "events.jsonl",
      firstLine((line) => ` ${line}`),
    ),
  ],
  ["white space behind bundle.json", "white space of JSON", index((text) => `${text}\n`)],
  [
    "a signature of another key",
    "notes have lines of keys that a reader does not know",
    file("checkpoint", (text) => `${text}— other.example AAAAAAAAAAAA\n`),
  ],
  [
    "a comment in the policy",
    "a policy has comments, and is not used",
    file("policy", (text) => `# x\n${text}`),
  ],
];

const SCRIPT = `
import glob, json, sys
import evidence
from evidence_notes import Fault, NotChecked
policy, found = open(sys.argv[1], "rb").read(), []
for path in sorted(glob.glob(sys.argv[2] + "/*.tar")):
    try:
        evidence.verify(open(path, "rb"), policy)
        found.append("valid")
    except Fault as fault:
        found.append(fault.reason)
    except NotChecked:
        found.append("NotChecked")
print(json.dumps(found))
`;

/** What evidence.py says of each, in one process. */
function pythonReasons(tars: readonly Buffer[]): readonly string[] {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-added-"));
  for (const [at, tar] of tars.entries())
    writeFileSync(join(folder.path, `${String(at).padStart(4, "0")}.tar`), tar);
  const policy = join(folder.path, "policy.txt");
  writeFileSync(policy, POLICY);
  const { status, text } = python("-c", [SCRIPT, policy, folder.path]);
  expect([status, text]).toEqual([0, expect.stringMatching(/^\[/)]);
  return JSON.parse(text) as string[];
}

const CASES = [...tarCases(FILES), ...nameCases(), ...contentCases()];
const ALL = [...CASES, ...IGNORED.map(([what, , tar]): Case => [what, tar])];

describe("annals-verify", () => {
  test("accepts the bundle", async () => {
    expect(await verdictOf(FILES)).toBe("valid");
  });

  test.each(CASES)("refuses %s", async (_, tar) => {
    expect(await verdictOf(tar)).toMatch(/^[a-z_]+: /);
  });

  test.each(IGNORED)("accepts %s: %s", async (_, __, tar) => {
    expect(await verdictOf(tar)).toBe("valid");
  });
});

test.runIf(hasPython)("evidence.py refuses and accepts the same", { timeout: 240_000 }, () => {
  const reasons = pythonReasons([tarOf(FILES), ...ALL.map(([, tar]) => tar)]);
  const accepted = ["the bundle", ...ALL.map(([what]) => what)].filter(
    (_, at) => reasons[at] === "valid",
  );
  expect(accepted).toEqual(["the bundle", ...IGNORED.map(([what]) => what)]);
  expect(reasons).toHaveLength(ALL.length + 1);
});
