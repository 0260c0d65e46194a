// The commands of `annals`: `migrate` and `distribute`, which start several programs, `status`, which queries
// the processes, `log-key new`, which needs no service, and those of services. Called by main.ts.

import type { Command } from "@annals/cli";
import { distributeCommand } from "./distribute.ts";
import type { Environment } from "./local-stack.ts";
import { logKeyCommand } from "./log-key.ts";
import { migrateCommand } from "./migrate.ts";
import { SERVICE_COMMANDS } from "./service-commands.ts";
import { statusCommand } from "./status.ts";

export type CommandService = (typeof SERVICE_COMMANDS)[number][1];

/** Runs a command of a service, and resolves to its exit status. */
export type RunInService = (service: CommandService, argv: readonly string[]) => Promise<number>;

export function commandsOf(environment: Environment, runInService: RunInService): Command[] {
  return [
    ...SERVICE_COMMANDS.map(([name, service, summary]): Command => {
      const run = (args: readonly string[]) => runInService(service, [name, ...args]);
      return { name, summary, usage: `annals ${name}`, examples: [], help: undefined, run };
    }),
    logKeyCommand,
    ...[migrateCommand, distributeCommand, statusCommand].map((of) => of(environment)),
  ];
}
