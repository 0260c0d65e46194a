// Guarantee: the commands of docs/evidence.md work as they stand there. Those for a clone lead a new account
// to the printed lines of a first watch, and those for a bundle verify one with a time stamp.

import { newAccount } from "@annals/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, inject, test } from "vitest";
import { NO_QUORUM, relisted, tarOf, vectorBytes, vectorFiles } from "../verifiers/made-bundle.ts";
import { hasPythonAndOpenssl } from "../verifiers/python-evidence.ts";

const CLONE = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(CLONE, "docs/evidence.md"), "utf8");
/** The shared stack closes an epoch each second, as soon as the trees of all accounts are complete. */
const WITHIN_MS = 90_000;

/** The blocks of a section: commands, and what they print. */
function blocksOf(heading: string): string[] {
  const [, section = ""] = PAGE.split(`\n${heading}\n`);
  const [body = ""] = section.split(/\n##/);
  return [...body.matchAll(/```(?:sh)?\n([^]*?)```/g)].map(([, block = ""]) => block);
}

async function bash(script: string, cwd: string) {
  const child = spawn("bash", ["-c", script], { cwd, timeout: WITHIN_MS });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  await once(child, "close");
  const [stdout, stderr] = await printed;
  return { status: child.exitCode, stdout, stderr };
}

/** Without what differs from log to log and from day to day. Others' events close epochs at any moment. */
const comparable = (lines: string): string =>
  lines
    .replace(/origin \S+ · account \S+ · epoch \d+ of [\d-]+ [\d:]+/, "origin")
    .replace(/\b\d+ epochs? checked/, "epochs checked");

test("from a clone to a first watch", { timeout: 2 * WITHIN_MS }, async () => {
  const [start, record = "", watch = "", printed = "", ...others] = blocksOf(
    "### On one machine, from a clone",
  );
  expect([start, ...others]).toEqual(["npm start\n"]);
  const { baseUrl, databaseUrl } = inject("stack");
  const { key } = await newAccount(databaseUrl);
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-page-"));
  writeFileSync(join(folder.path, "bootstrap-key"), `${key}\n`);

  // The first watches come before an epoch covers the event. What they print is in the message of a failure.
  const untilCovered = `until ${watch.trim()}; do echo "status $?" >&2; sleep 0.5; done`;
  const script = `${record}\n${untilCovered}`
    .replaceAll("http://127.0.0.1:8080", baseUrl)
    .replaceAll(".annals/", `${folder.path}/`);
  const { status, stdout, stderr } = await bash(script, CLONE);

  expect(status, stdout + stderr).toBe(0);
  expect(comparable(stdout.slice(stdout.indexOf("origin ")))).toBe(comparable(printed));
  expect(printed).toContain("\ncovered 1 of 1 events ");
});

test.runIf(hasPythonAndOpenssl)("both verifiers and OpenSSL, on a bundle", async () => {
  const given = JSON.parse(String(vectorBytes("timestamp.json"))) as Record<string, string>;
  const files = new Map([
    ...vectorFiles("pruned"),
    ["timestamps/8.tsr", Buffer.from(given["response_base64"] ?? "", "base64")],
    ["timestamps/8.checkpoint", Buffer.from(given["checkpoint"] ?? "")],
  ]);
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-page-"));
  writeFileSync(join(folder.path, "evidence.tar"), tarOf(relisted(files)));
  writeFileSync(join(folder.path, "policy.txt"), NO_QUORUM);
  writeFileSync(join(folder.path, "tsa-ca.pem"), given["ca_pem"] ?? "");

  const commands = blocksOf("## Taking it along").join("").trim().split("\n");
  const said: string[] = [];
  for (const line of commands) {
    const command = line
      .replace("npx annals-verify", `${CLONE}/node_modules/.bin/annals-verify`)
      .replace("test/verifiers", `${CLONE}/test/verifiers`);
    const { status, stdout, stderr } = await bash(command, folder.path);
    said.push(`${line.split(" ", 1)[0]} ${status === 0 ? 0 : `${status}: ${stdout}${stderr}`}`);
  }
  expect(said).toEqual(["npx 0", "python3 0", "tar 0", "openssl 0"]);
});
