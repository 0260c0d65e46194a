// Guarantee: with a spool, an accepted event is stored once and in order, though processes are killed in each
// state of a file, disks are full and files damaged. The control: with the fault that a case names, the
// driver does not pass it. Each process is a driver of its own, since it is killed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DISK_CASES } from "./disk-cases.ts";
import { bundleDriver, type Command, DRIVERS } from "./drivers.ts";
import { PRODUCER_CASES } from "./producer-cases.ts";
import { SPOOL_CASES, type SpoolCase } from "./spool-cases.ts";
import { SpoolWorld } from "./spool-world.ts";

/** The SDKs whose drivers have the commands of a spool. */
const WITH_SPOOL = ["typescript"];

const ALL = [...SPOOL_CASES, ...DISK_CASES, ...PRODUCER_CASES];

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

describe.each(WITH_SPOOL)("the SDK of %s", (language) => {
  let folder: string;
  let command: Command;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "annals-driver-"));
    const started = language === "typescript" ? await bundleDriver(folder) : DRIVERS[language];
    if (started === undefined) throw new Error(`${language} has no driver`);
    command = started;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(ALL)("passes: $name", async (each) => {
    expect(await seen(command, each)).toEqual(each.seen);
  });

  test.each(ALL)("with $fault does not pass: $name", async (each) => {
    expect(await seen(command, each, each.fault)).not.toEqual(each.seen);
  });
});
