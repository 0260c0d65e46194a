// Guarantee: annals-verify watch prints what it has seen and exits with 0; with 1 and the reason where the
// log is not what was kept; with 2 where nothing was checked. The real process asks a real server.

import { commandArguments } from "@annals/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { CHAIN, NO_QUORUM, ORIGIN, POLICY } from "./made-bundle.ts";
import { MadeLog, serveLog } from "./made-log.ts";

const COMMAND = commandArguments("annals-verify");
const START = Math.floor(Date.now() / 1000 / 60) * 60 - 600;
const at = (seconds: number) => new Date((START + seconds) * 1000).toISOString();
const closed = (seconds: number) => at(seconds).slice(0, 19).replace("T", " ");
const seen = (seconds: number) =>
  at(seconds).slice(0, 10) === at(0).slice(0, 10) ? at(seconds).slice(11, 19) : closed(seconds);

test("a first call, the next ones, and another history", async () => {
  let log = new MadeLog().grow(1204).close(START, { w1: START + 6, w3: START + 7 });
  await using served = await serveLog(() => log);
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-watch-"));
  writeFileSync(join(folder.path, "policy"), POLICY);
  writeFileSync(join(folder.path, "none"), NO_QUORUM);
  const watch = async (words: readonly string[] = [], apiKey = "annals_live_1") => {
    const given = ["--policy", "policy", "--state", "annals.state", ...words];
    const child = spawn(process.execPath, [...COMMAND, "watch", "--url", served.url, ...given], {
      cwd: folder.path,
      env: { ...process.env, ANNALS_API_KEY: apiKey },
    });
    const printed = Promise.all([text(child.stdout), text(child.stderr)]);
    await once(child, "close");
    const [stdout, stderr] = await printed;
    return { status: child.exitCode, stdout, stderr };
  };

  const origin = `origin ${ORIGIN} · account ${CHAIN}`;
  expect(await watch()).toEqual({
    status: 0,
    stdout:
      `${origin} · epoch 1 of ${closed(0)}\n` +
      `covered 1,204 of 1,204 events · seen by 2 of 3 witnesses: w1 ${seen(6)}, w3 ${seen(7)}\n` +
      `first checkpoint in annals.state · 1 epoch checked, one head each\n`,
    stderr: "",
  });
  for (const minute of [60, 120])
    log.grow(1).close(START + minute, { w1: START + minute, w2: START + minute });
  const { status, stdout } = await watch(["--policy", "none", "--no-witnesses"]);
  expect(stdout.split("\n").slice(2)).toEqual([
    "consistent with epoch 1 of annals.state · 2 epochs checked, one head each",
    "not checked: when anything was seen, for the policy has quorum none",
    "",
  ]);
  expect(status).toBe(0);

  log = new MadeLog("other").grow(1300).close(START, { w1: START, w2: START });
  expect(await watch()).toEqual({
    status: 1,
    stdout: "",
    stderr:
      "invalid: checkpoint_conflict: the log does not continue the kept checkpoint of 1206 events\n",
  });
  expect(await watch([], "")).toEqual({
    status: 2,
    stdout: "",
    stderr: "not checked: ANNALS_API_KEY is not set\n",
  });
  const failed = await watch(["--url", "http://127.0.0.1:9"]);
  expect(failed).toMatchObject({ status: 2, stdout: "" });
  expect(failed.stderr).toMatch(/^not checked: GET http:\/\/127.0.0.1:9\/v1\/log: /);
  const absent = await watch(["--policy", "absent"]);
  expect(absent).toMatchObject({
    status: 2,
    stderr: 'not checked: "absent" cannot be read (ENOENT)\n',
  });
  const wrong = await watch(["--max-anchor-lag", "-1"]);
  expect(wrong).toMatchObject({ status: 2, stderr: expect.stringMatching(/^--max-anchor/) });
});
