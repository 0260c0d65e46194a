export { command } from "./command.ts";
export type { Command, Declaration } from "./declaration.ts";
export * from "./exit.ts";
export * from "./options.ts";
export { runCommands } from "./run-commands.ts";
