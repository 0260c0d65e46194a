// Runs a program of a tier: its output goes to the terminal and is returned. The programs of npm get npm
// itself.

import { spawn } from "node:child_process";

export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** `isQuiet`: the output is only returned. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { env = {}, isQuiet = false }: { env?: NodeJS.ProcessEnv; isQuiet?: boolean } = {},
): Promise<Ended> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output.push(text);
      if (!isQuiet) process.stdout.write(text);
    });
  }
  const { promise, resolve } = Promise.withResolvers<number>();
  child.on("error", (error) => {
    output.push(`${error.message}\n`);
    resolve(1);
  });
  child.on("close", (code) => resolve(code ?? 1));
  return { code: await promise, output: output.join("") };
}
