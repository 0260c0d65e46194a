// The programs of the services and the commands, and how tests run them as an operator does.

import { execFile } from "node:child_process";
import { resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");

type Environment = Readonly<Record<string, string | undefined>>;

export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program of a service. */
export function serviceProgram(service: string): string {
  return programIn(`services/${service}`);
}

/** The arguments of Node.js that run a command; those of the command follow. */
export function commandArguments(command: "annals" | "annals-verify"): string[] {
  return ["-C", "source", programIn(`packages/${command}`)];
}

/** The bundle that a run of tests has made (deploy/bundle/programs.mjs), else the source. */
function programIn(folder: string): string {
  const isBundled = process.env["ANNALS_TEST_BUNDLED"] === "true";
  return resolve(ROOT, folder, isBundled ? "dist/bundle/main.js" : "src/main.ts");
}

/** Runs a verb of a service to its end. */
export function runService(
  service: string,
  words: readonly string[],
  environment: Environment,
): Promise<Outcome> {
  return runProgram(
    process.execPath,
    ["-C", "source", serviceProgram(service), ...words],
    environment,
  );
}

/** Runs a program to its end. Besides `environment` it gets the path and the cache of compiled modules. */
export function runProgram(
  program: string,
  words: readonly string[],
  environment: Environment,
  cwd?: string,
): Promise<Outcome> {
  const { NODE_COMPILE_CACHE, PATH } = process.env;
  const env = { NODE_COMPILE_CACHE, PATH, ...environment };
  return new Promise((done) => {
    execFile(program, words, { cwd, env }, (error, stdout, stderr) =>
      done({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}
