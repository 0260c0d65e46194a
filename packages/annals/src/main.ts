// The command `annals`: finds the command in verbs.ts and runs it in the program of its service. `migrate`
// starts several programs, and `status` queries the processes. The exit status is that of the program. It
// must never read a service's settings itself, nor print a secret.

import { fileURLToPath } from "node:url";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { adminUrls, completed } from "./local-stack.ts";
import { migrateAll } from "./migrate.ts";
import { programOf } from "./programs.ts";
import { statusLines, statusOf } from "./status.ts";
import { HELP, MIGRATE_HELP, MIGRATING, STATUS_HELP, type Verb, VERBS } from "./verbs.ts";

const USAGE = 2;
const CHECK_FAILED = 3;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const [first, ...args] = argv;
  const isHelp = args.includes("--help");
  if (first === "migrate") return isHelp ? print(MIGRATE_HELP) : migrate(args);
  if (first === "status") return isHelp ? print(STATUS_HELP) : status(args);
  const verb = VERBS.find((each) => each.words.every((word, at) => word === argv[at]));
  if (verb) return run(verb, argv.slice(verb.words.length));
  if (argv.includes("--help")) return print(HELP);
  return refuse(first === undefined ? HELP : `unknown command "${argv.join(" ")}"\n\n${HELP}`);
}

async function migrate(args: readonly string[]): Promise<number> {
  const given = parse(args, { service: { type: "string", multiple: true } }, MIGRATE_HELP);
  if (!given) return USAGE;
  const services = (given["service"] ?? [...MIGRATING.keys()]) as readonly string[];
  const unknown = services.find((service) => !MIGRATING.has(service));
  if (unknown !== undefined) {
    const known = [...MIGRATING.keys()].join(", ");
    return refuse(`--service: unknown service "${unknown}" (expected ${known})\n`);
  }
  const outcome = await migrateAll([...new Set(services)], process.env);
  print(`${outcome.line}\n`);
  return outcome.status;
}

async function status(args: readonly string[]): Promise<number> {
  const known = { url: { type: "string", multiple: true }, json: { type: "boolean" } } as const;
  const given = parse(args, known, STATUS_HELP);
  if (!given) return USAGE;
  const environment = process.env;
  const own = `http://127.0.0.1:${environment["ANNALS_ADMIN_PORT"] || "9091"}`;
  const urls = (given["url"] as string[] | undefined) ?? adminUrls(environment) ?? [own];
  const wrong = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
  if (wrong !== undefined) return refuse(`--url: must be http://host:port, got "${wrong}"\n`);
  const all = await statusOf(urls, new Date());
  print(given["json"] === true ? `${JSON.stringify(all)}\n` : statusLines(all));
  return all.every(({ healthy }) => healthy) ? 0 : CHECK_FAILED;
}

/** Runs a command of a service's own program in this process, and ends the process if it fails. */
async function run({ service, verb: name }: Verb, args: readonly string[]): Promise<number> {
  const program = programOf(service);
  Object.assign(process.env, completed(process.env));
  process.argv.splice(1, Infinity, fileURLToPath(program), name, ...args);
  await import(program.href);
  return Number(process.exitCode ?? 0);
}

/** Returns undefined for invalid arguments, after it has printed the error. */
function parse(args: readonly string[], options: ParseArgsOptionsConfig, help: string) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    refuse(`${error instanceof Error ? error.message : "invalid arguments"}\n${help}`);
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
