// Guarantee: verify_checkpoint of the SDK for Python accepts what verifyCheckpoint of the one for TypeScript
// does (verify-checkpoint.test.ts), and refuses the rest for the same reasons. Its command says of numbers of
// producers what annals-verify of npm says (producers.test.ts). It runs with the outages, as those of Go do.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasPython310 } from "../system/programs.ts";
import { NUMBERED, numberedExport, producersIn } from "../verifiers/numbered-exports.ts";
import { temporaryFile } from "../verifiers/temporary-file.ts";
import { expectSameAnswers } from "./checkpoint-questions.ts";

const SOURCE = join(import.meta.dirname, "../../packages/sdk-python/src");
const env = { ...process.env, PYTHONPATH: SOURCE, PYTHONDONTWRITEBYTECODE: "1" };

const python = (words: readonly string[], input = "") =>
  spawnSync("python3", [...words], { encoding: "utf8", env, input });

test.runIf(hasPython310)("each checkpoint, and each change of one", async () => {
  const program = join(import.meta.dirname, "python/checkpoints.py");
  await expectSameAnswers((input) => python([program], input).stdout);
});

test.runIf(hasPython310).each(NUMBERED)("numbers of producers: %s", (_, numbers, status, said) => {
  using file = temporaryFile(numberedExport(numbers));
  const run = python(["-m", "annals_sdk", "verify", "--producers", file.path]);
  expect([run.status, producersIn(run.stdout)]).toEqual([status, said]);
});
