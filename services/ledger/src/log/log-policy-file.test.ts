// Guarantees: a policy of the log that is malformed, or that names other logs only, does not start the
// ledger, and the error names the setting and the line. While it runs, such a file does not replace the one
// in use. One that has lines of the log with dropped keys only starts it with a warning.

import { Closers, ConfigError, createLog } from "@annals/chassis";
import { keyOf, vkeyOf } from "@annals/tlog";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openLogPolicy } from "./log-policy-file.ts";
import { ORIGIN } from "../testing/log-signer.ts";
import { INTERVAL_S, TestLog } from "../testing/test-log.ts";

const NONE = "quorum none\n";

let log: TestLog;
let file: string;

beforeEach(async () => {
  log = await TestLog.open();
  const folder = await mkdtemp(join(tmpdir(), "annals-policy-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  file = join(folder, "policy");
});

async function write(text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

async function open(text: string) {
  await write(text);
  const closers = new Closers();
  const quiet = createLog({ service: "test", level: "error" });
  const error = vi.fn<(fields: object, message: string) => void>();
  const warn = vi.fn<(fields: object, message: string) => void>();
  onTestFinished(() => closers.closeAll(quiet));
  const around = { closers, database: log.ledger.database, intervalMs: 5 };
  const options = { ...around, log: Object.assign(quiet, { error, warn }) };
  return { error, warn, policy: await openLogPolicy({ logPolicyFile: file }, options) };
}

function logLine(origin: string): string {
  const [key] = log.signer.keysOf("");
  if (key === undefined) throw new Error("the signer has no key");
  return `log ${vkeyOf(keyOf(origin, key.type, key.publicKey))}\n`;
}

async function beginLog(): Promise<void> {
  await log.grow("acct_1", 1);
  await log.newCloser().run();
}

test("a malformed file does not start it", async () => {
  const opened = open(`# one\nwitness w1\n${NONE}`);
  await expect(opened).rejects.toBeInstanceOf(ConfigError);
  await expect(opened).rejects.toThrow(`ANNALS_LOG_POLICY_FILE ${file}: line 2: witness <name>`);
});

test("a file that names other logs only does not start it", async () => {
  await beginLog();
  const opened = open(`${logLine("other.example")}${NONE}`);
  await expect(opened).rejects.toBeInstanceOf(ConfigError);
  await expect(opened).rejects.toThrow("no log line of the policy has a key of the log");
  const { policy } = await open(`${logLine(ORIGIN)}${NONE}`);
  expect(policy.isServedAtOnce).toBe(true);
});

test("a file whose key of the log was dropped starts it with a warning, and cannot be put in place", async () => {
  await beginLog();
  const dropped = logLine(ORIGIN);
  log.signer.seeds.splice(0, 1, Buffer.alloc(32, 2));
  log.later(INTERVAL_S);
  await log.endClaim();
  await log.newCloser().run();
  const { error, policy, warn } = await open(`${dropped}${NONE}`);
  expect(warn.mock.calls.map(([, message]) => message)).toEqual([
    "the policy has no key that signs the log now",
  ]);
  expect(policy.text).toBe(`${dropped}${NONE}`);
  await write(`${logLine(ORIGIN)}${NONE}`);
  await vi.waitFor(() => expect(policy.text).toBe(`${logLine(ORIGIN)}${NONE}`));
  // The file of the start is not new: no pass has reported it.
  expect(error).not.toHaveBeenCalled();
  await write(`${dropped}${NONE}`);
  await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1));
});

test("another file is in use without a restart, unless it cannot be used", async () => {
  await beginLog();
  const { error, policy } = await open(NONE);
  await write(`# new\n${NONE}`);
  await vi.waitFor(() => expect(policy.text).toBe(`# new\n${NONE}`));
  await write(`${logLine("other.example")}${NONE}`);
  await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1));
  await write("quorum w9\n");
  await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(2));
  expect(policy.text).toBe(`# new\n${NONE}`);
  const message = "failed to load a new policy of the log: keeping the current one";
  const reason = "line 1: the name is not defined on a line before";
  expect(error.mock.lastCall).toEqual([{ setting: "ANNALS_LOG_POLICY_FILE", reason }, message]);
});

test("without a file an epoch is served at once", async () => {
  const closers = new Closers();
  const quiet = createLog({ service: "test", level: "error" });
  const around = { closers, database: log.ledger.database, log: quiet };
  const policy = await openLogPolicy({ logPolicyFile: undefined }, around);
  expect([policy.isServedAtOnce, policy.text]).toEqual([true, ""]);
});
