// Runs a line as an operator types it, with the command `annals` or in the process of the test. Called by the
// tests of the command, and by flows in which an operator acts.

import { statusOf } from "@annals/chassis";
import { runCommands } from "@annals/cli";
import { commandsOf, type CommandService } from "@annals/command/src/commands.ts";
import { PROGRAM as KEYS } from "@annals/keys/src/program.ts";
import { PROGRAM as LEDGER } from "@annals/ledger/testing/program";
import { captured, commandArguments, type Outcome, runProgram } from "@annals/testing";
import { PROGRAM as DISPATCHER } from "@annals/webhook-dispatcher/src/program.ts";

type Environment = Readonly<Record<string, string>>;

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
const ANNALS = `annals() { ${quoted([process.execPath, ...commandArguments("annals")])} "$@"; }`;

/** Runs a line of the shell in a folder. */
export function typeLine(
  line: string,
  folder: string,
  environment: Environment = {},
): Promise<Outcome> {
  return runProgram("/bin/sh", ["-c", `${ANNALS}\n${line}`], environment, folder);
}

/** Runs `annals` with these words in the process of the test, but for what starts programs. */
export function runAnnals(words: readonly string[], environment: Environment): Promise<Outcome> {
  const runInService = (service: CommandService, argv: readonly string[]): Promise<number> => {
    const given = { argv, environment };
    if (service === "keys") return statusOf({ ...KEYS, ...given }, process);
    if (service === "ledger") return statusOf({ ...LEDGER, ...given }, process);
    return statusOf({ ...DISPATCHER, ...given }, process);
  };
  return captured(() => runCommands("annals", commandsOf(environment, runInService), words));
}

/** The same for an operator's work that must succeed; resolves to what it prints. */
export async function printedBy(
  { databaseUrl }: { readonly databaseUrl: string },
  ...words: readonly string[]
): Promise<string> {
  const environment = { ANNALS_DATABASE_URL: databaseUrl };
  const { status, stderr, stdout } = await runAnnals(words, environment);
  if (status !== 0) throw new Error(`annals ${words.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}
