// Runs a line as an operator types it, with the command `annals`. Called by the tests of the command.

import { commandArguments, type Outcome, runProgram } from "@annals/testing";

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
const ANNALS = `annals() { ${quoted([process.execPath, ...commandArguments("annals")])} "$@"; }`;

export function typeLine(
  line: string,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return runProgram("/bin/sh", ["-c", `${ANNALS}\n${line}`], environment, folder);
}
