export { command } from "./command.ts";
export type { Command, Declaration } from "./declaration.ts";
export * from "./exit.ts";
export * from "./options.ts";
export { type Output, runCommands } from "./run-commands.ts";
