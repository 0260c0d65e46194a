#!/usr/local/bin/node --disable-sigusr1
// The image's entrypoint, and under the name `annals` its command. It replaces itself by Node.js with the
// options that deploy/node-options.txt has for the service in `services/<name>/dist/main.js <verb>`.
// Variables that are already set keep their value. It must never stay as a parent: the service is process 1
// and gets the signals itself. The image has no shell that could do the same.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const COMMAND = join(import.meta.dirname, "../packages/annals/dist/main.js");
const USAGE = "services/<name>/dist/main.js <verb>, nor annals <verb>";
const [program = "", ...args] = process.argv.slice(1);

if (basename(program) === "annals") await import(COMMAND);
else if (args[0] === "annals") become([COMMAND, ...args.slice(1)]);
else startService(args);

/** `words` begin with the path of the service's main.js, from the working folder. */
function startService(words) {
  const [, service] = /^services\/([^/]+)\/dist\/main\.js$/.exec(words[0] ?? "") ?? [];
  if (service === undefined) {
    process.stderr.write(`annals: ${words[0] ?? "nothing"} is not ${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const lines = readFileSync(join(import.meta.dirname, "node-options.txt"), "utf8")
    .split("\n")
    .map((line) => line.split(/ +/));
  const wordsOf = (...names) =>
    lines.flatMap(([name, ...rest]) => (names.includes(name) ? rest : []));
  for (const each of wordsOf("environment")) {
    const [name, value] = each.split("=", 2);
    process.env[name] ||= value;
  }
  become([...wordsOf("every", service), ...words]);
}

/** Without --disable-sigusr1 SIGUSR1 would open a debugger. */
function become(words) {
  process.execve(process.execPath, [process.execPath, "--disable-sigusr1", ...words], process.env);
}
