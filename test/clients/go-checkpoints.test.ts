// Guarantee: VerifyCheckpoint of the SDK for Go accepts what verifyCheckpoint of the SDK for TypeScript does
// (verify-checkpoint.test.ts), and refuses the rest for the same reasons. It runs with the outages, since Go
// builds the program.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { hasGo } from "../system/go.ts";
import { expectSameAnswers } from "./checkpoint-questions.ts";
import { buildGo } from "./go-driver.ts";

test.runIf(hasGo)("each checkpoint, and each change of one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "annals-go-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [program] = await buildGo("checkpoints", folder);
  await expectSameAnswers((input) => spawnSync(program, { encoding: "utf8", input }).stdout);
});
