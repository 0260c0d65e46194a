// Guarantee: annals-verify --producers names the numbers of a producer that are missing in a valid export. It
// does not take for missing what a producer dropped before acceptance, what a killed process may not have
// given, or what was stored later than its successors. The real process is run.

import { commandArguments } from "@annals/testing";
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { NUMBERED, numberedExport, producersIn } from "./numbered-exports.ts";
import { temporaryFile } from "./temporary-file.ts";

test.each(NUMBERED)("%s", (_, numbers, status, said) => {
  using file = temporaryFile(numberedExport(numbers));
  const words = [...commandArguments("annals-verify"), "--producers", file.path];
  const run = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect([run.status, producersIn(run.stdout)]).toEqual([status, said]);
});
