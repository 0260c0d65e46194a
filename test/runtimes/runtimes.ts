// The runtimes that the pages of the published packages name, from npm: installed once per checkout, in the
// cache. Called by runtimes.test.ts. It must not take what is missing on this machine for a failure, nor a
// failed download for a machine that lacks the runtime.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "../../node_modules/.cache/annals/runtimes");

/** Node's own package fetches another one while it is installed; this is the other one. */
const NODE = `npm:node-${process.platform}-${process.arch}`;

/** Those of Node are the oldest that the packages allow in `engines`. */
const PACKAGES = {
  bun: "1.4.5",
  deno: "2.9.6",
  "node-of-sdk": `${NODE}@20.3.0`,
  "node-of-verify": `${NODE}@22.0.0`,
  workerd: "1.20261117.1",
};

type Name = keyof typeof PACKAGES;

/** The program of a runtime. */
export function programOf(name: Name): string {
  const program = name.startsWith("node-") ? `${name}/bin/node` : `.bin/${name}`;
  return join(FOLDER, "node_modules", program);
}

/** Which of them run on this machine. */
export async function installRuntimes(): Promise<Record<Name, boolean>> {
  const manifest = JSON.stringify({
    private: true,
    // npm leaves out what has no build for this machine.
    optionalDependencies: PACKAGES,
    allowScripts: { bun: true, deno: true, workerd: true },
  });
  const stamp = join(FOLDER, "installed");
  const before = existsSync(stamp) ? await readFile(stamp, "utf8") : "";
  if (before !== manifest) {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    await writeFile(join(FOLDER, "package.json"), manifest);
    const options = ["--no-audit", "--no-fund", "--no-package-lock"];
    const { stderr } = await run("npm", ["install", ...options], { cwd: FOLDER });
    if (!existsSync(programOf("deno"))) throw new Error(`no runtime was installed: ${stderr}`);
    await writeFile(stamp, manifest);
  }
  const names = Object.keys(PACKAGES) as Name[];
  const runs = await Promise.all(names.map(async (name) => [name, await doesRun(name)]));
  return Object.fromEntries(runs) as Record<Name, boolean>;
}

async function doesRun(name: Name): Promise<boolean> {
  try {
    const { stdout } = await run(programOf(name), ["--version"]);
    process.stdout.write(`${name}: ${stdout.split("\n", 1)[0]}\n`);
    return true;
  } catch (error) {
    process.stdout.write(`${name} does not run on this machine: ${String(error)}\n`);
    return false;
  }
}
