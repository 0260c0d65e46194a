// The command `annals`. A command of a service runs in the program of that service, whose exit status it has.
// It must never read a service's settings itself, nor print a secret but a new key.

import { runCommands } from "@annals/cli";
import { fileURLToPath } from "node:url";
import { commandsOf } from "./commands.ts";
import { completed } from "./local-stack.ts";
import { programOf } from "./programs.ts";

process.exitCode = await runCommands(
  "annals",
  commandsOf(process.env, runInService),
  process.argv.slice(2),
);

/** Runs a command of a service's own program in this process, and ends the process if it fails. */
async function runInService(service: string, argv: readonly string[]): Promise<number> {
  const program = programOf(service);
  Object.assign(process.env, completed(process.env));
  process.argv.splice(1, Infinity, fileURLToPath(program), ...argv);
  await import(program.href);
  return Number(process.exitCode ?? 0);
}
