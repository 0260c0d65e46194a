// Guarantee: annals-verify as it is published needs nothing private and stays within its budget. Its command
// runs where it is installed, and its worker for browsers decides as the command does without anything of
// Node.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  compile,
  install,
  type Installed,
  packageFaults,
  PACKED_WITHIN_MS,
} from "../sdk/installed.ts";
import { tarOf, vectorBytes, vectorFiles } from "./made-bundle.ts";
import { chainOf, csvOf, exportOf, verdict } from "./made-export.ts";

const run = promisify(execFile);
const PARTS = Array.from({ length: 50 }, (_, n) => ({ n, text: "é€😀", number: n / 7 }));

let installed: Installed;
let worker: string;

beforeAll(async () => {
  installed = await install("annals-verify", "annals-verify");
  const file = "node_modules/annals-verify/dist/npm/browser-worker.js";
  worker = await readFile(join(installed.folder, file), "utf8");
}, PACKED_WITHIN_MS);
afterAll(() => installed?.remove());

test("nothing keeps it from being published", async () => {
  const budget = {
    tarball: 120_000,
    files: { "dist/npm/browser-worker.js": 26_000, "dist/npm/browser.js": 1_300 },
    isCommonJsToo: false,
  };
  expect(await packageFaults(installed, budget)).toEqual([]);
});

test("its command runs, and its types are right", async () => {
  const file = join(installed.folder, "export.jsonl");
  const text = exportOf(chainOf("acct_1", PARTS));
  const command = () => run(join(installed.folder, "node_modules/.bin/annals-verify"), [file]);
  await writeFile(file, text);
  expect((await command()).stdout).toMatch(/^valid: 50 events of "acct_1"/);
  await writeFile(file, text.replace('"n":7,', '"n":8,'));
  await expect(command()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("line 8: ") as string,
  });
  const typed = `import { type EvidenceReport, verifyEvidence, verifyFile } from "annals-verify";
    import { type Report, verify } from "annals-verify/browser";
    export const file: Promise<Report> = verifyFile("x");
    export const evidence: Promise<EvidenceReport> = verifyEvidence("x", { policy: new Uint8Array() });
    export const blob: Promise<Report> = verify(new Blob([]), (done, total) => done + total);`;
  await writeFile(join(installed.folder, "typed.mts"), typed);
  const strict = { types: [], skipLibCheck: false };
  expect(await compile(installed.folder, ["typed.mts"], strict)).toBe("");
});

test("its command verifies a bundle of evidence", async () => {
  const [file, policy] = ["evidence.tar", "policy.txt"].map((name) => join(installed.folder, name));
  await writeFile(file ?? "", tarOf(vectorFiles("full")));
  await writeFile(policy ?? "", vectorBytes("policy.txt"));
  const command = join(installed.folder, "node_modules/.bin/annals-verify");
  const { stdout } = await run(command, ["--policy", policy ?? "", file ?? ""]);
  expect(stdout).toMatch(/^valid: 500 events of "acct_/);
});

interface Posted {
  readonly kind: string;
  readonly message?: string;
  readonly line?: number;
}

/** What the worker posts last, in a context that has what browsers have. */
async function inWorker(text: string): Promise<Posted> {
  const answered = Promise.withResolvers<Posted>();
  let listener: ((message: object) => void) | undefined;
  const self = {
    addEventListener: (_: string, given: (message: object) => void) => (listener = given),
    postMessage: (posted: Posted) => posted.kind === "progress" || answered.resolve(posted),
  };
  runInContext(worker, createContext({ self, TextDecoder, TextEncoder }));
  listener?.({ data: { file: new Blob([text]), sha256: undefined } });
  return answered.promise;
}

test("the worker finds exports valid, of both formats", async () => {
  for (const text of [exportOf(chainOf("acct_1", PARTS)), csvOf(chainOf("acct_1", PARTS))])
    expect(await inWorker(text)).toMatchObject({
      kind: "valid",
      report: { events: 50, linksChecked: 50, linksUnchecked: 0 },
    });
});

test.each<[string, (text: string) => string]>([
  ["a value", (text) => text.replace('"n":7,', '"n":8,')],
  ["another action", (text) => text.replace(/"action":"[^"]*"/, '"action":"forged"')],
  ["a missing line", (text) => text.split("\n").toSpliced(3, 1).join("\n")],
  ["a cut end", (text) => text.slice(0, -400)],
  ["a wrong manifest", (text) => text.replace('"event_count":50', '"event_count":51')],
  ["no JSON", (text) => text.replace('{"event"', '{"event')],
  ["invalid text", (text) => text.replace("€", "\\ud800")],
  ["nothing", () => ""],
])("the worker says of %s what the command says", async (_, change) => {
  const text = change(exportOf(chainOf("acct_1", PARTS)));
  const { kind, line, message } = await inWorker(text);
  expect(kind).toBe("invalid");
  expect(`${line}: ${message}`).toBe(await verdict(text));
});
