// Runs a line as an operator types it, with the command `annals` or in the process of the test. Called by the
// tests of the command.

import { statusOf } from "@annals/chassis";
import { PROGRAM as LEDGER } from "@annals/ledger/testing/program";
import { captured, commandArguments, type Outcome, runProgram } from "@annals/testing";
import { PROGRAM as DISPATCHER } from "@annals/webhook-dispatcher/src/program.ts";

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
const ANNALS = `annals() { ${quoted([process.execPath, ...commandArguments("annals")])} "$@"; }`;

export function typeLine(
  line: string,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return runProgram("/bin/sh", ["-c", `${ANNALS}\n${line}`], environment, folder);
}

/** Runs a command of the ledger, or one of the dispatcher: `sinks` and `webhooks`. */
export function runLine(
  line: string,
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const given = { argv: line.split(" "), environment };
  return captured(() =>
    /^(?:sinks|webhooks) /.test(line)
      ? statusOf({ ...DISPATCHER, ...given }, process)
      : statusOf({ ...LEDGER, ...given }, process),
  );
}
