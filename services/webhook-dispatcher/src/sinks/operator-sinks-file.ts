// The operator's file of sinks (ANNALS_SINKS_FILE, docs/operators/sinks.md): read once at the start, with
// the secrets that it names by file. Its members have the rules of POST /v1/sinks. Called by start-sinks.ts
// and the commands. A fault never repeats a value: it may be a secret.

import { ConfigError } from "@annals/chassis";
import { AnnalsError, type FieldFault, invalid } from "@annals/errors";
import { checkSinkConfig, readSinkConfig } from "@annals/interface";
import { readFile } from "node:fs/promises";
import type { OperatorSink, OperatorSinks } from "./rules/operator-sink.ts";
import { ON_REJECTED, SINK_FORMATS } from "./rules/sink.ts";
import type { AddressGuard } from "../outbound/address-guard.ts";
import { givenFilter, type Members, membersOf } from "./given-members.ts";
import { configRules } from "./config-rules.ts";
import { checkLeaveOut, checkMappingOf } from "./sink-members.ts";
import { checkFilter } from "../webhooks/filter-members.ts";

/** Maximum sinks of the file: each account has a cursor for each. */
export const MAX_OPERATOR_SINKS = 10;
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const ACCOUNTS = ["all", "system"] as const;
const MEMBERS = [
  "accounts",
  "config",
  "config_files",
  "filter",
  "format",
  "include_proof",
  "leave_out",
  "mapping",
  "name",
  "on_rejected",
  "type",
];

/** Without a file there are no sinks. Throws a ConfigError that names a fault of each sink. */
export async function readOperatorSinks(
  path: string | undefined,
  guard: AddressGuard,
): Promise<OperatorSinks> {
  if (path === undefined) return new Map();
  const faults: string[] = [];
  const sinks = new Map<string, OperatorSink>();
  for (const [index, given] of (await listOf(path)).entries()) {
    try {
      const sink = await readSink(given, guard);
      if (sinks.has(sink.name)) throw invalid({ field: "name", message: "must be unique" });
      sinks.set(sink.name, sink);
    } catch (error) {
      if (!(error instanceof AnnalsError)) throw error;
      faults.push(...error.faults.map((fault) => `  ${said(`sinks[${index}]`, fault)}`));
    }
  }
  if (faults.length === 0) return sinks;
  throw new ConfigError(`ANNALS_SINKS_FILE (${path}) is not valid:\n${faults.join("\n")}`);
}

const said = (place: string, { field, message }: FieldFault) =>
  `${field === "" ? place : `${place}.${field}`}: ${message}`;

async function listOf(path: string): Promise<readonly unknown[]> {
  try {
    const file = membersOf("", JSON.parse(await readFile(path, "utf8")), ["sinks"]);
    const list = file.get("sinks");
    if (!Array.isArray(list)) throw new Error("sinks must be an array");
    if (list.length > MAX_OPERATOR_SINKS)
      throw new Error(`sinks must have at most ${MAX_OPERATOR_SINKS} items`);
    return list;
  } catch (error) {
    // A message of the JSON parser may repeat a part of the file.
    const isSyntax = error instanceof SyntaxError;
    const reason = error instanceof Error && !isSyntax ? error.message : "the file must be JSON";
    throw new ConfigError(`ANNALS_SINKS_FILE ${path}: ${reason}`);
  }
}

async function readSink(item: unknown, guard: AddressGuard): Promise<OperatorSink> {
  const members = membersOf("", item, MEMBERS);
  const name = members.get("name");
  if (typeof name !== "string" || !NAME.test(name)) {
    const message = "must have 1 to 63 of a to z, 0 to 9 and -, and - neither first nor last";
    throw invalid({ field: "name", message });
  }
  const given = readSinkConfig(members.get("type"), await configOf(members));
  const config = checkSinkConfig(configRules(guard, true), given);
  const format = oneOf("format", SINK_FORMATS, members.get("format") ?? "annals");
  const filter = checkFilter(givenFilter(members.get("filter")));
  return {
    name,
    accounts: oneOf("accounts", ACCOUNTS, members.get("accounts")),
    config,
    format,
    filter: filter && JSON.stringify(filter),
    leaveOut: checkLeaveOut(textsOf("leave_out", members.get("leave_out") ?? [])),
    includeProof: flagOf("include_proof", members.get("include_proof") ?? false),
    mapping: checkMappingOf(format, mappingOf(members.get("mapping"))),
    onRejected: oneOf("on_rejected", ON_REJECTED, members.get("on_rejected") ?? "stop"),
  };
}

/** The configuration with what is in files: a member, or one of `headers` or `credentials` after a dot. */
async function configOf(members: Members): Promise<object> {
  const config = new Map(membersOf("config", members.get("config") ?? {}));
  const files = membersOf("config_files", members.get("config_files") ?? {});
  for (const [place, path] of files) {
    const value = await secretIn(`config_files.${place}`, path);
    const [name = "", ...within] = place.split(".");
    if (within.length === 0) config.set(name, value);
    else {
      const outer = Object.fromEntries(membersOf(`config.${name}`, config.get(name) ?? {}));
      config.set(name, { ...outer, [within.join(".")]: value });
    }
  }
  return Object.fromEntries(config);
}

async function secretIn(field: string, path: unknown): Promise<string> {
  if (typeof path !== "string") throw invalid({ field, message: "must be the path of a file" });
  try {
    return (await readFile(path, "utf8")).replace(/\r?\n$/, "");
  } catch {
    throw invalid({ field, message: "names a file that cannot be read" });
  }
}

function oneOf<T extends string>(field: string, values: readonly T[], given: unknown): T {
  const found = values.find((value) => value === given);
  if (found !== undefined) return found;
  throw invalid({ field, message: `must be one of ${values.join(", ")}` });
}

function textsOf(field: string, given: unknown): string[] {
  if (Array.isArray(given) && given.every((one) => typeof one === "string")) return given;
  throw invalid({ field, message: "must be an array of strings" });
}

function flagOf(field: string, given: unknown): boolean {
  if (typeof given === "boolean") return given;
  throw invalid({ field, message: "must be true or false" });
}

const mappingOf = (given: unknown) => (given === undefined ? undefined : JSON.stringify(given));
