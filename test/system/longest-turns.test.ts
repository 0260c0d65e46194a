// Guarantee: a turn of the event loop that takes long is in the file of turns, under the service of its
// process, in CPU time, and the program prints the longest ones of each service.

import { createRegistry, startAdminServer } from "@annals/chassis";
import type { Stack } from "@annals/local";
import { execFile } from "node:child_process";
import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { noteTurns } from "./longest-turns.ts";

const TURN_MS = 300;
const MICROS_PER_MS = 1_000;

const cpuMs = () => process.threadCpuUsage().user / MICROS_PER_MS;

test("a long turn is reported", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-turns-"));
  const file = join(folder.path, "turns");
  const registry = createRegistry("ledger");
  const admin = await startAdminServer({ host: "127.0.0.1", port: 0, registry, checks: {} });
  onTestFinished(() => admin.close());
  const served = { adminUrl: `http://127.0.0.1:${admin.port}`, index: 1, service: "ledger" };
  const away = { ...served, adminUrl: "http://127.0.0.1:1", service: "keys" };
  const stack = { processes: [served, away] } as unknown as Pick<Stack, "processes">;
  await expect
    .poll(async () => {
      // The server looks at the clock after the turn.
      for (const begun = cpuMs(); cpuMs() - begun < TURN_MS;);
      await pause(1);
      await noteTurns(file, stack);
      const [last] = readFileSync(file, "utf8").trim().split("\n").toReversed();
      return JSON.parse(last ?? "{}");
    })
    .toMatchObject({ service: "ledger", index: 1, ms: expect.toSatisfy((ms) => ms >= TURN_MS) });
  const program = join(import.meta.dirname, "longest-turns.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["-C", "source", program, file]);
  expect(Number(/^ledger +(\d+)/mu.exec(stdout)?.[1])).toBeGreaterThanOrEqual(TURN_MS);
  expect(stdout).not.toContain("keys");
});
