// Reads the configuration from environment variables. Called by main.ts with the settings that the service's
// config.ts declares. It reports every fault at once, and nothing starts on a partly valid configuration.
// `npm run generate` makes docs/operators/settings.md of the declarations.

import { UsageError } from "@annals/cli";
import { unknownSettings } from "@annals/contract";
import { BlockList, isIP, isIPv6 } from "node:net";

export interface Setting<T> {
  readonly env: string;
  /** What the operator reads, with the unit: Markdown, with links from docs/operators. */
  readonly about: string;
  /** The default, as it would be written; undefined makes the variable required. */
  readonly fallback: string | undefined;
  /** True for a value that must never be printed. */
  readonly secret: boolean;
  /** Turns the text into the value, or throws an Error whose message says what is wanted. */
  readonly parse: (text: string) => T;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type ConfigOf<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

interface Extra {
  readonly fallback?: string;
  readonly secret?: boolean;
}

/** All faults of a configuration, one per line. */
export class ConfigError extends UsageError {
  override readonly name = "ConfigError";
}

export function text(env: string, about: string, extra: Extra = {}): Setting<string> {
  return setting(env, about, extra, (given) => given);
}

/** A text that may be absent: the value is then undefined. */
export function optionalText(
  env: string,
  about: string,
  extra: Extra = {},
): Setting<string | undefined> {
  return setting(env, about, { ...extra, fallback: "" }, (given) =>
    given === "" ? undefined : given,
  );
}

export function matching(
  env: string,
  about: string,
  shape: RegExp,
  extra: Extra = {},
): Setting<string> {
  return setting(env, about, extra, (given) => {
    if (!shape.test(given)) throw new Error(`must match ${shape.source}`);
    return given;
  });
}

export function oneOf<const T extends string>(
  env: string,
  about: string,
  words: readonly T[],
  extra: Extra = {},
): Setting<T> {
  return setting(env, about, extra, (given) => {
    const found = words.find((word) => word === given);
    if (found === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return found;
  });
}

/** An integer from `min` to `max`, both included. */
export function integer(
  env: string,
  about: string,
  range: { readonly min: number; readonly max: number },
  extra: Extra = {},
): Setting<number> {
  return setting(env, about, extra, (given) => {
    const value = Number(given);
    if (!/^\d+$/.test(given) || value < range.min || value > range.max) {
      throw new Error(`must be an integer from ${range.min} to ${range.max}`);
    }
    return value;
  });
}

export function port(env: string, about: string, extra: Extra = {}): Setting<number> {
  return integer(env, about, { min: 0, max: 65_535 }, extra);
}

/** `true` or `1`, `false` or `0`. A setting that makes the service less safe has DANGEROUS in its name. */
export function flag(
  env: string,
  about: string,
  fallback: "true" | "false" = "false",
): Setting<boolean> {
  return setting(env, about, { fallback }, (given) => {
    if (!["true", "1", "false", "0"].includes(given)) throw new Error("must be true or false");
    return given === "true" || given === "1";
  });
}

export function url(
  env: string,
  about: string,
  schemes: readonly string[],
  extra: Extra = {},
): Setting<string> {
  return setting(env, about, extra, (given) => {
    if (!URL.canParse(given) || !schemes.includes(new URL(given).protocol)) {
      throw new Error(
        `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`,
      );
    }
    return given;
  });
}

/** A URL that may be absent: the value is then undefined. It may hold a password, and is never printed. */
export function optionalUrl(
  env: string,
  about: string,
  schemes: readonly string[],
): Setting<string | undefined> {
  return optional(url(env, about, schemes, { secret: true }));
}

/** A number from 0 to 1, both included. */
export function fraction(env: string, about: string, extra: Extra = {}): Setting<number> {
  return setting(env, about, extra, (given) => {
    const value = Number(given);
    if (!/^\d*\.?\d+$/.test(given) || value > 1) throw new Error("must be a number from 0 to 1");
    return value;
  });
}

const HOST_AND_PORT = String.raw`(?:[\w.-]+|\[[\da-fA-F:.%]+\]):(\d{1,5})`;
const ADDRESS = new RegExp(
  String.raw`^(?:dns:(?://[^/]*/)?)?${HOST_AND_PORT}$|^ipv[46]:${HOST_AND_PORT}(?:,${HOST_AND_PORT})*$`,
);
const MAX_PORT = 65_535;

/** Declares the address of another service. gRPC itself takes any text and never connects to a wrong one. */
export function address(env: string, about: string, extra: Extra = {}): Setting<string> {
  return setting(env, about, extra, parseAddress);
}

/** An address that may be absent: the value is then undefined. */
export function optionalAddress(env: string, about: string): Setting<string | undefined> {
  return optional(address(env, about));
}

/** The same setting, which may be absent: the value is then undefined. If it is given, it is checked. */
export function optional<T>(required: Setting<T>): Setting<T | undefined> {
  const parse = (given: string) => (given === "" ? undefined : required.parse(given));
  return { ...required, fallback: "", parse };
}

function parseAddress(given: string): string {
  const ports = (ADDRESS.exec(given) ?? []).slice(1).filter((found) => found !== undefined);
  if (ports.length === 0 || ports.some((found) => Number(found) < 1 || Number(found) > MAX_PORT))
    throw new Error("must be `host:port` or `dns:///host:port`");
  return given;
}

const LISTEN = new RegExp(`^${HOST_AND_PORT}$`);

/** Declares an address to listen on, `host:port`; port 0 takes a free one. */
export function listenAddress(
  env: string,
  about: string,
  extra: Extra = {},
): Setting<{ readonly host: string; readonly port: number }> {
  return setting(env, about, extra, (given) => {
    const digits = LISTEN.exec(given)?.[1];
    if (digits === undefined || Number(digits) > MAX_PORT) throw new Error("must be `host:port`");
    const host = given.slice(0, -digits.length - 1).replace(/^\[(.*)\]$/, "$1");
    return { host, port: Number(digits) };
  });
}

/** Addresses and networks, `10.0.0.0/8,::1`; empty for none. */
export function networks(env: string, about: string): Setting<BlockList> {
  return setting(env, about, { fallback: "" }, (given) => {
    const list = new BlockList();
    for (const entry of given.split(",").map((each) => each.trim())) {
      if (entry === "") continue;
      const [base = "", length, ...more] = entry.split("/");
      const family = isIPv6(base) ? "ipv6" : "ipv4";
      const bits = family === "ipv6" ? 128 : 32;
      const prefix = length ?? String(bits);
      const isNetwork = isIP(base) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
      if (!isNetwork || more.length > 0) {
        throw new Error(
          "must be a comma-separated list of addresses and networks such as 10.0.0.0/8",
        );
      }
      list.addSubnet(base, Number(prefix), family);
    }
    return list;
  });
}

function setting<T>(
  env: string,
  about: string,
  extra: Extra,
  parse: (text: string) => T,
): Setting<T> {
  return { env, about, fallback: extra.fallback, secret: extra.secret ?? false, parse };
}

/**
 * Reads every setting from `environment`. An empty variable counts as absent. Throws a {@link
 * ConfigError} that names every fault, including ANNALS_ variables that no setting has; the value of a secret
 * is never part of it.
 */
export function parseConfig<S extends Settings>(
  settings: S,
  environment: Readonly<Record<string, string | undefined>>,
): ConfigOf<S> {
  const own = Object.values(settings).map((one) => one.env);
  const faults = unknownSettings(environment, own);
  const values = Object.entries(settings).map(([name, one]) => {
    const given = environment[one.env] || one.fallback;
    if (given === undefined) {
      faults.push(`${one.env} is required: ${withoutLinks(one.about)}`);
      return [name, undefined];
    }
    try {
      return [name, one.parse(given)];
    } catch (error) {
      const shown = one.secret ? "" : ` (is ${JSON.stringify(given)})`;
      faults.push(`${one.env} ${error instanceof Error ? error.message : "is wrong"}${shown}`);
      return [name, undefined];
    }
  });
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
  return Object.fromEntries(values) as ConfigOf<S>;
}

/** A terminal shows the text of a link alone. */
function withoutLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}
