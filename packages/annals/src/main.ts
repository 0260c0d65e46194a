// The command `annals`: finds the verb in verbs.ts and runs the program of its service with it; `migrate`
// starts several programs; `status` asks the processes. It ends as the program does. It must never read a
// service's settings itself, nor print a secret.

import { fileURLToPath } from "node:url";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { adminUrls } from "./local-stack.ts";
import { migrateAll } from "./migrate.ts";
import { environmentOf, programOf } from "./programs.ts";
import { statusLines, statusOf } from "./status.ts";
import { HELP, MIGRATE_HELP, MIGRATING, STATUS_HELP, type Verb, VERBS } from "./verbs.ts";

const USAGE = 2;
const NOT_GOOD = 3;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const [first, ...words] = argv;
  const isHelp = words.includes("--help");
  if (first === "migrate") return isHelp ? print(MIGRATE_HELP) : migrate(words);
  if (first === "status") return isHelp ? print(STATUS_HELP) : status(words);
  const verb = VERBS.find((each) => each.words.every((word, at) => word === argv[at]));
  if (verb) return run(verb, argv.slice(verb.words.length));
  if (argv.includes("--help")) return print(HELP);
  return refuse(first === undefined ? HELP : `there is no verb ${argv.join(" ")}\n\n${HELP}`);
}

async function migrate(words: readonly string[]): Promise<number> {
  const given = parse(words, { service: { type: "string", multiple: true } }, MIGRATE_HELP);
  if (!given) return USAGE;
  const services = (given["service"] ?? [...MIGRATING.keys()]) as readonly string[];
  const unknown = services.find((service) => !MIGRATING.has(service));
  if (unknown !== undefined) {
    const known = [...MIGRATING.keys()].join(", ");
    return refuse(`--service: there is no ${unknown}: there are ${known}\n`);
  }
  const outcome = await migrateAll([...new Set(services)], process.env);
  print(`${outcome.line}\n`);
  return outcome.status;
}

async function status(words: readonly string[]): Promise<number> {
  const known = { url: { type: "string", multiple: true }, json: { type: "boolean" } } as const;
  const given = parse(words, known, STATUS_HELP);
  if (!given) return USAGE;
  const environment = process.env;
  const own = `http://127.0.0.1:${environment["ANNALS_ADMIN_PORT"] || "9091"}`;
  const urls = (given["url"] as string[] | undefined) ?? adminUrls(environment) ?? [own];
  const wrong = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
  if (wrong !== undefined) return refuse(`--url: must be http://host:port (is ${wrong})\n`);
  const all = await statusOf(urls, new Date());
  print(given["json"] === true ? `${JSON.stringify(all)}\n` : statusLines(all));
  return all.every(({ well }) => well) ? 0 : NOT_GOOD;
}

/** Runs a verb of a service's own program in this process. It ends the process where it fails. */
async function run({ service, verb: name }: Verb, words: readonly string[]): Promise<number> {
  const program = programOf(service);
  Object.assign(process.env, environmentOf(process.env));
  process.argv.splice(1, Infinity, fileURLToPath(program), name, ...words);
  await import(program.href);
  return Number(process.exitCode ?? 0);
}

/** Undefined where the words are wrong, which is then said. */
function parse(words: readonly string[], options: ParseArgsOptionsConfig, help: string) {
  try {
    return parseArgs({ args: [...words], options, strict: true }).values;
  } catch (error) {
    refuse(`${error instanceof Error ? error.message : "wrong words"}\n${help}`);
    return undefined;
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(text: string): number {
  process.stderr.write(text);
  return USAGE;
}
