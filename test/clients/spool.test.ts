// Guarantee: with a spool, an accepted event is stored once and in order, though processes are killed in each
// state of a file, disks are full and files damaged. The control: with the fault that a case names, the
// driver does not pass it. Each process is a driver of its own, since it is killed.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DISK_CASES } from "./disk-cases.ts";
import { hasGo } from "../system/go.ts";
import { bundleDriver, type Command, DRIVERS } from "./drivers.ts";
import { buildGo } from "./go-driver.ts";
import { PRODUCER_CASES } from "./producer-cases.ts";
import { SPOOL_CASES, type SpoolCase } from "./spool-cases.ts";
import { type Commands, SpoolWorld } from "./spool-world.ts";

/** The SDKs whose drivers have the commands of a spool. */
const WITH_SPOOL = ["typescript", "python"].filter((language) => language in DRIVERS);
if (hasGo) WITH_SPOOL.push("go");

const ALL = [...SPOOL_CASES, ...DISK_CASES, ...PRODUCER_CASES];

async function seen(both: Commands, { answer, run }: SpoolCase, fault?: string): Promise<unknown> {
  const parent = mkdtempSync(join(tmpdir(), "annals-spool-"));
  const dir = join(parent, "spool");
  mkdirSync(dir);
  const world = await SpoolWorld.create(dir, both, answer, fault);
  onTestFinished(async () => {
    await world.end();
    rmSync(parent, { recursive: true });
  });
  return run(world);
}

/** Each other language with TypeScript. */
const MIXED = WITH_SPOOL.slice(1).flatMap((other) => [
  ["typescript", other] as const,
  [other, "typescript"] as const,
]);

const commands = new Map<string, Command>(Object.entries(DRIVERS));
const of = (language: string): Command => {
  const command = commands.get(language);
  if (command === undefined) throw new Error(`${language} has no driver`);
  return command;
};

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annals-driver-"));
  commands.set("typescript", await bundleDriver(folder));
  if (hasGo) commands.set("go", await buildGo("driver", folder));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(WITH_SPOOL)("the SDK of %s", (language) => {
  const both = () => ({ first: of(language), next: of(language) });

  test.each(ALL)("passes: $name", async (each) => {
    expect(await seen(both(), each)).toEqual(each.seen);
  });

  test.each(ALL)("with $fault does not pass: $name", async (each) => {
    expect(await seen(both(), each, each.fault)).not.toEqual(each.seen);
  });
});

describe.each(MIXED)("a process of the SDK of %s, and others of %s", (first, next) => {
  test.each([...SPOOL_CASES, ...PRODUCER_CASES])("pass: $name", async (each) => {
    expect(await seen({ first: of(first), next: of(next) }, each)).toEqual(each.seen);
  });
});
