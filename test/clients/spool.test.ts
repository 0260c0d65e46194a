// Guarantee: with a spool, an accepted event is stored once and in order, though processes are killed in each
// state of a file, disks are full and files damaged. The control: with the fault that a case names, the
// driver does not pass it. Each process is a driver of its own, since it is killed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DRIVERS } from "./drivers.ts";
import { PRODUCER_CASES } from "./producer-cases.ts";
import { SPOOL_CASES, type SpoolCase } from "./spool-cases.ts";
import { SpoolWorld } from "./spool-world.ts";

const ALL = [...SPOOL_CASES, ...PRODUCER_CASES];

type Command = (typeof DRIVERS)[string];

async function seen(
  command: Command,
  { answer, run }: SpoolCase,
  fault?: string,
): Promise<unknown> {
  const dir = mkdtempSync(join(tmpdir(), "annals-spool-"));
  const world = await SpoolWorld.create(dir, command, answer, fault);
  onTestFinished(async () => {
    await world.end();
    rmSync(dir, { recursive: true });
  });
  return run(world);
}

describe.each(Object.entries(DRIVERS))("the SDK of %s", (_, command) => {
  test.each(ALL)("passes: $name", async (each) => {
    expect(await seen(command, each)).toEqual(each.seen);
  });

  test.each(ALL)("with $fault does not pass: $name", async (each) => {
    expect(await seen(command, each, each.fault)).not.toEqual(each.seen);
  });
});
