// The command `annals`: its own commands are `migrate` and `distribute`, which start several programs,
// `status`, which queries the processes, and `log-key new`, which needs no service. Every other command runs in the program of its service, whose exit
// status it has. It must never read a service's settings itself, nor print a secret.

import { type Command, runCommands } from "@annals/cli";
import { fileURLToPath } from "node:url";
import { distributeCommand } from "./distribute.ts";
import { completed } from "./local-stack.ts";
import { logKeyCommand } from "./log-key.ts";
import { migrateCommand } from "./migrate.ts";
import { programOf } from "./programs.ts";
import { SERVICE_COMMANDS } from "./service-commands.ts";
import { statusCommand } from "./status.ts";

const FORWARDED = SERVICE_COMMANDS.map(([name, service, summary]): Command => {
  const run = (args: readonly string[]) => runInService(service, [name, ...args]);
  return { name, summary, usage: `annals ${name}`, examples: [], help: undefined, run };
});

process.exitCode = await runCommands(
  "annals",
  [
    ...FORWARDED,
    logKeyCommand,
    ...[migrateCommand, distributeCommand, statusCommand].map((of) => of(process.env)),
  ],
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
