// Guarantee: the exit status of annals-verify tells a valid export (0) from one that is not (1), and both
// from a run that checked nothing (2), such as a file that is not there. The real process is run.

import { commandArguments } from "@annals/testing";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { archiveOf } from "./made-archive.ts";
import { NO_QUORUM, relisted, tarOf, vectorBytes, vectorFiles, withFile } from "./made-bundle.ts";
import { chainOf, exportOf } from "./made-export.ts";
import { nameOf, write } from "./made-sink.ts";

const COMMAND = commandArguments("annals-verify");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "annals-verify-"));
  const text = exportOf(chainOf("acct_1", [{ n: 1 }]));
  await writeFile(join(folder, "valid"), text);
  await writeFile(
    join(folder, "changed"),
    text.replace('"metadata":{"n":1}', '"metadata":{"n":2}'),
  );
  const files = vectorFiles("full");
  await writeFile(join(folder, "evidence"), tarOf(files));
  const before = await write(join(folder, "sinks"), { from: 1, to: 10 });
  await write(join(folder, "sinks"), { from: 11, to: 20, before });
  await cp(join(folder, "sinks"), join(folder, "gaps"), { recursive: true });
  for (const object of [nameOf({ from: 1, to: 10 }), nameOf({ from: 11, to: 20 })])
    await rm(join(folder, "gaps", object));
  const other = String(files.get("events.jsonl")).replace('"n":3,', '"n":4,');
  const forged = relisted(withFile(files, "events.jsonl", Buffer.from(other)));
  await writeFile(join(folder, "forged"), tarOf(forged));
  const { evidence, events } = archiveOf(files);
  await writeFile(join(folder, "archive"), tarOf(evidence));
  await writeFile(join(folder, "events"), zstdCompressSync(events));
  await writeFile(join(folder, "policy"), vectorBytes("policy.txt"));
  await writeFile(join(folder, "none"), NO_QUORUM);
  await mkdir(join(folder, "empty"));
  await writeFile(join(folder, "known"), vectorBytes("known-checkpoint.txt"));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (...words: string[]) =>
  spawnSync(process.execPath, [...COMMAND, ...words], { cwd: folder, encoding: "utf8" });

test.each([
  [0, ["valid"], /^valid: 1 events/, /^$/],
  [1, ["changed"], /^$/, /^invalid: line 1: .*digest_mismatch in metadata\n$/],
  [1, ["--sha256", "0", "valid"], /^$/, /^invalid: line 2: sha256_mismatch/],
  [2, ["absent"], /^$/, /^not checked: "absent" cannot be read \(ENOENT\)\n$/],
  [
    0,
    ["sinks"],
    /^valid: 20 events of "acct_1" by "sink_1", [^]*: compare the cursor of the sink\n$/,
    /^$/,
  ],
  [
    1,
    ["gaps"],
    /^$/,
    /^invalid: "[^"]*1-10\.jsonl\.zst" is missing\ninvalid: "[^"]*11-20.*" is missing\n$/,
  ],
  [2, ["empty"], /^$/, /^not checked: "empty" has no manifest of a sink\n$/],
  [
    2,
    ["--sha256", "0", "sinks"],
    /^$/,
    /^--sha256 is for exports, and not for a folder or a bucket\n/,
  ],
  [
    2,
    [],
    /^$/,
    /^<file> is required\nUsage: annals-verify \[--sha256 <hex>\] \[--policy <file>\] /,
  ],
  [2, ["--colour", "valid"], /^$/, /^unknown option "--colour"\nUsage: annals-verify/],
  [2, ["--\u001B[2J"], /^$/, /^unknown option "--\\u001b\[2J"\nUsage: annals-verify/],
  [2, ["valid", "changed"], /^$/, /^unexpected argument "changed"\nUsage: annals-verify/],
  [0, ["--policy", "policy", "--known", "known", "evidence"], /^valid: 500 events of "acct_/, /^$/],
  [
    0,
    ["--policy", "none", "evidence"],
    /\n {2}anchored {2}500 events are not anchored: .*\n {2}unchecked whether the log is as old as it says: /s,
    /^$/,
  ],
  [1, ["--policy", "policy", "forged"], /^$/, /^invalid: digest_mismatch: events\.jsonl line 2: /],
  [1, ["--policy", "policy", "valid"], /^$/, /^invalid: file_mismatch: /],
  [
    1,
    ["--policy", "policy", "--max-anchor-lag", "60", "evidence"],
    /^$/,
    /^invalid: anchored_late: sequence number 101: /,
  ],
  [2, ["evidence"], /^$/, /^not checked: a bundle of evidence needs --policy <file>\n$/],
  [
    2,
    ["--policy", "absent", "evidence"],
    /^$/,
    /^not checked: "absent" cannot be read \(ENOENT\)\n$/,
  ],
  [2, ["--policy", "valid", "evidence"], /^$/, /^not checked: the policy cannot be used: line 1: /],
  [
    2,
    ["--policy", "policy", "absent"],
    /^$/,
    /^not checked: "absent" cannot be read \(ENOENT\)\n$/,
  ],
  [2, ["--policy", "policy", "."], /^$/, /^not checked: "\." cannot be read \(EISDIR\)\n$/],
  [
    2,
    ["--policy", "policy", "--known", "policy", "evidence"],
    /^$/,
    /^not checked: a known checkpoint /,
  ],
  [
    2,
    ["--policy", "policy", "--tsa-ca", "policy", "evidence"],
    /^$/,
    /^not checked: the authorities /,
  ],
  [2, ["--policy", "policy", "--max-anchor-lag", "-1", "evidence"], /^$/, /Usage: annals-verify/],
  [2, ["--policy", "policy", "--sha256", "0", "evidence"], /^$/, /^--sha256 is for exports/],
  [
    2,
    ["--known", "known", "valid"],
    /^$/,
    /^--events, --known, --max-anchor-lag and --tsa-ca need/,
  ],
  [2, ["--events", "events", "valid"], /^$/, /^--events, --known, --max-anchor-lag and --tsa-ca/],
  [
    0,
    ["archive", "--events", "events", "--policy", "policy"],
    /^valid: 500 events of "acct_/,
    /^$/,
  ],
  [
    1,
    ["archive", "--events", "valid", "--policy", "policy"],
    /^$/,
    /^invalid: file_mismatch: the events are \d+ bytes, and not /,
  ],
  [2, ["archive", "--policy", "policy"], /^$/, /^not checked: the events of an archive are /],
  [
    2,
    ["archive", "--events", "absent", "--policy", "policy"],
    /^$/,
    /^not checked: "absent" cannot be read \(ENOENT\)\n$/,
  ],
  [0, ["--help"], /^Usage: annals-verify/, /^$/],
  [0, ["-h"], /^Usage: annals-verify/, /^$/],
] as const)("%i: %j", (status, words, stdout, stderr) => {
  const ended = run(...words);
  expect(ended.status).toBe(status);
  expect(ended.stdout).toMatch(stdout);
  expect(ended.stderr).toMatch(stderr);
});

test("an error that no command expects is no fault of the file", () => {
  const broken =
    "data:text/javascript,Array.prototype.toSorted=()=>{throw new RangeError('broken')}";
  const words = [`--import=${broken}`, ...COMMAND, folder];
  const { status, stderr, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect({ status, stderr, stdout }).toEqual({
    status: 2,
    stderr: "not checked: an internal error (broken)\n",
    stdout: "",
  });
});
