// Makes a command of its declaration and of the work that it does. Called by the files in commands/ of the
// services and by the programs. run-commands.ts runs it.

import type { Arguments, Command, Declaration } from "./declaration.ts";
import { helpOf, usageOf } from "./help.ts";
import type { Options } from "./options.ts";
import { parseArguments } from "./parse.ts";

export function command<
  Context = undefined,
  const O extends Options = Options,
  const P extends string = never,
>(
  declaration: Declaration<O, P>,
  work: (values: Arguments<O, P>, context: Context) => Promise<number | void>,
): Command<Context> {
  const { examples = [], name, summary } = declaration;
  return {
    name,
    summary,
    usage: usageOf(declaration),
    examples,
    help: helpOf(declaration),
    run: async (args, context) => {
      const values = parseArguments(declaration, args);
      return work(values, context());
    },
  };
}
