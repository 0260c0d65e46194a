// The arguments, the environment and the readiness probe of one service process. Called by stack.ts. It must
// never give a service a secret that it does not need.

import { randomBytes } from "node:crypto";
import { get } from "node:http";
import { join } from "node:path";
import { certificateFiles } from "@annals/certificates";
import type { DataDirectory } from "./data-directory.ts";
import { nodeOptions } from "./node-options.ts";
import { LOOPBACK, type ReservedPort } from "./ports.ts";
import {
  addressVariable,
  type EntryFile,
  grpcTarget,
  SERVICE_NAMES,
  SERVICES,
  type ServiceName,
} from "./services.ts";
import type { ProcessSpec } from "./supervised-process.ts";

/** A service drains before it ends: work in progress is finished. */
const STOP_GRACE_MS = 20_000;
const PROBE_TIMEOUT_MS = 1_000;
/** Bytes of each key in the files of secret keys. */
const SECRET_KEY_BYTES = 32;

/** Variables that the stack reads or makes itself. Only the services that need them get them (`SERVICES`). */
const WITHHELD = [
  "ANNALS_ADMISSION_SECRET_FILE",
  "ANNALS_BOOTSTRAP_KEY",
  "ANNALS_DATABASE_URL",
  "ANNALS_NATS_URL",
  "ANNALS_NATS_SERVER_BIN",
  "ANNALS_PORT",
  "ANNALS_REPLICAS",
];

export type Variables = Readonly<Record<string, string | undefined>>;

const CHECKOUT = join(import.meta.dirname, "../../..");
/**
 * Folder in which Node keeps compiled modules, without their types. Without it every process loads the
 * compiler, which takes 20 MB and makes the start slower.
 */
const COMPILE_CACHE = join(CHECKOUT, "node_modules/.cache/annals/compiled");

/** What all processes of a stack share. */
export interface StackContext {
  /** Folder that holds `services`; the working directory of every service. */
  readonly root: string;
  readonly entryFile: EntryFile;
  readonly directory: DataDirectory;
  /** The caller's environment, passed on. */
  readonly environment: Variables;
  readonly databaseUrl: string;
  /** URLs of the services that use NATS, each with its own login. */
  readonly natsUrls: Readonly<Partial<Record<ServiceName, string>>>;
  readonly rateLimitPerMinute: number;
  /** RPC addresses, `host:port`, of the replicas that each service starts with. */
  readonly rpcAddresses: ReadonlyMap<ServiceName, readonly string[]>;
  /** Variables that override all others, for one service or for every one. */
  readonly overrides: Partial<Record<ServiceName | "every", Variables>>;
}

export interface ServicePorts {
  /** The RPC port; of the gateway, the HTTP port. */
  readonly main: ReservedPort;
  readonly admin: ReservedPort;
}

/** Arguments of Node for a verb of a service. */
export function serviceArguments(
  service: ServiceName,
  verb: "serve" | "migrate",
  { entryFile }: Pick<StackContext, "entryFile">,
): string[] {
  return [...nodeOptions(service).args, "-C", "source", entryFile(service), verb];
}

/** The environment of a service, without its own ports. */
export function serviceEnvironment(
  service: ServiceName,
  context: StackContext,
): Record<string, string | undefined> {
  const definition = SERVICES[service];
  const env: Record<string, string | undefined> = {
    ...nodeOptions(service).environment,
    ...context.environment,
  };
  for (const name of WITHHELD) delete env[name];
  env["NODE_COMPILE_CACHE"] ??= COMPILE_CACHE;
  env["ANNALS_DATA_DIR"] = context.directory.path;
  env["ANNALS_RATE_LIMIT_PER_MINUTE"] = String(context.rateLimitPerMinute);
  if (!isSet(env["ANNALS_DANGEROUS_PLAINTEXT"])) {
    const { ca, cert, key } = certificateFiles(context.directory.certificates, service);
    Object.assign(env, {
      ANNALS_TLS_CA_FILE: ca,
      ANNALS_TLS_CERT_FILE: cert,
      ANNALS_TLS_KEY_FILE: key,
    });
  }
  if (definition.stores) env["ANNALS_DATABASE_URL"] = context.databaseUrl;
  const natsUrl = context.natsUrls[service];
  if (natsUrl !== undefined) env["ANNALS_NATS_URL"] = natsUrl;
  const newKey = () => randomBytes(SECRET_KEY_BYTES);
  // A gateway hands admissions on and must not be able to make one.
  if (!definition.isPublic) {
    env["ANNALS_ADMISSION_SECRET_FILE"] = context.directory.keyFile("admission-secret", newKey);
  }
  if (definition.isPublic) env["ANNALS_DASHBOARD"] ||= "true";
  if (service === "keys") env["ANNALS_LOG_KEY_FILE"] ||= context.directory.logKeyFile(newKey);
  if (service === "export") env["ANNALS_EXPORT_STORAGE"] ??= `${context.directory.path}/exports`;
  if (service === "webhook-dispatcher") {
    env["ANNALS_WEBHOOK_SECRET_KEY_FILE"] ||= context.directory.keyFile(
      "webhook-secret-key",
      newKey,
    );
  }
  for (const called of definition.calls) {
    const addresses = context.rpcAddresses.get(called);
    if (addresses !== undefined) env[addressVariable(called)] = grpcTarget(addresses);
  }
  return env;
}

/** How one replica of a service is run and watched. `own` overrides all other variables. */
export function serviceSpec(
  service: ServiceName,
  index: number,
  ports: ServicePorts,
  context: StackContext,
  own: Variables = {},
): ProcessSpec {
  const name = `${service}-${index}`;
  const main = String(ports.main.port);
  const env = {
    ...serviceEnvironment(service, context),
    ANNALS_HOST: LOOPBACK,
    ANNALS_PORT: main,
    ANNALS_ADMIN_HOST: LOOPBACK,
    ANNALS_ADMIN_PORT: String(ports.admin.port),
    ...context.overrides.every,
    ...context.overrides[service],
    ...own,
  };
  return {
    name,
    command: process.execPath,
    args: [...serviceArguments(service, "serve", context), "--exit-with-stdin"],
    env,
    cwd: context.root,
    stopSignal: "TERM",
    lastSignal: "SIGKILL",
    stopGraceMs: STOP_GRACE_MS,
    pidFile: context.directory.run(`${name}.pid`),
    logFile: context.directory.log(`${name}.log`),
    beforeStart: async () => {
      await Promise.all([ports.main.release(), ports.admin.release()]);
    },
    isReady: () => respondsOk(`http://${LOOPBACK}:${ports.admin.port}/readyz`),
  };
}

/** `host:port` of every replica that a service starts with. */
export function rpcAddresses(
  ports: ReadonlyMap<ServiceName, readonly ServicePorts[]>,
): Map<ServiceName, string[]> {
  const backends = [...ports].filter(([service]) => !SERVICES[service].isPublic);
  return new Map(
    backends.map(([service, pairs]) => [service, pairs.map((p) => `${LOOPBACK}:${p.main.port}`)]),
  );
}

/** Text in the command line of a leftover process. For PostgreSQL its own pid file is used. */
export function orphanMark(
  directory: DataDirectory,
  entryFile: EntryFile,
): (name: string) => string {
  return (name) => {
    const service = name.replace(/-\d+$/, "");
    if (service === "nats") return directory.run("nats.conf");
    if (service === "prometheus") return directory.run("prometheus.yml");
    const known = SERVICE_NAMES.find((each) => each === service);
    return known === undefined ? "\0" : entryFile(known);
  };
}

/** Reads a flag as the services do. */
function isSet(flag: string | undefined): boolean {
  return flag === "true" || flag === "1";
}

/** Whether a GET returns 200 within a short time. */
export function respondsOk(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: PROBE_TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(false));
    request.once("close", () => resolve(false));
  });
}
