// One nats-server with JetStream for a stack. Called by stack.ts. It must never listen beyond the loopback
// interface, and nothing may depend on its data: notices can be lost, PostgreSQL is the record.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { DataDirectory } from "./data-directory.ts";
import { LOOPBACK, type ReservedPort } from "./ports.ts";
import type { ServiceName } from "./services.ts";
import type { ProcessSpec } from "./supervised-process.ts";

const STOP_GRACE_MS = 5_000;
const PROBE_TIMEOUT_MS = 1_000;

/** Bounds of JetStream: notices are a few hundred bytes each. */
const MAX_MEMORY = "64MB";
const MAX_FILES = "1GB";

/** The rights of each service: the file that the chart has too. */
const USERS = new URL("../../../helm/annals/nats-users.conf", import.meta.url);
const FIRST_USER = "users: [";

/** A user of NATS: a service, or the person who runs the stack, who may do everything. */
type NatsUser = Extract<ServiceName, "ledger" | "export" | "webhook-dispatcher"> | "operator";

type NatsPasswords = Readonly<Record<NatsUser, string>>;

/** Makes new passwords at each start. `given`, the URL of the caller's own server, is used for all. */
export function newNatsUsers(port: number, given: string | undefined) {
  const user = (name: NatsUser) => {
    const password = `p${randomBytes(24).toString("hex")}`;
    return { password, url: given ?? `nats://${name}:${password}@${LOOPBACK}:${port}` };
  };
  const users = {
    ledger: user("ledger"),
    export: user("export"),
    "webhook-dispatcher": user("webhook-dispatcher"),
    operator: user("operator"),
  };
  const each = (member: "password" | "url"): Readonly<Record<NatsUser, string>> => ({
    ledger: users.ledger[member],
    export: users.export[member],
    "webhook-dispatcher": users["webhook-dispatcher"][member],
    operator: users.operator[member],
  });
  return { passwords: each("password"), urls: each("url") };
}

function usersOf({ operator, ...passwords }: NatsPasswords): string[] {
  const users = readFileSync(USERS, "utf8");
  return [
    ...Object.entries(passwords).map(
      ([service, password]) =>
        `ANNALS_NATS_${service.toUpperCase().replaceAll("-", "_")}_PASSWORD: ${password}`,
    ),
    users.replace(FIRST_USER, `${FIRST_USER}\n    { user: operator, password: ${operator} }`),
  ];
}

/** How the server is run and watched. Writes its configuration file. */
export function natsSpec(
  binary: string,
  directory: DataDirectory,
  port: ReservedPort,
  passwords: NatsPasswords,
): ProcessSpec {
  const config = directory.run("nats.conf");
  const name = `annals-${randomBytes(8).toString("hex")}`;
  directory.writeSecret(
    config,
    [
      `listen: "${LOOPBACK}:${port.port}"`,
      `server_name: ${name}`,
      "jetstream {",
      `  store_dir: ${JSON.stringify(join(directory.path, "nats"))}`,
      `  max_memory_store: ${MAX_MEMORY}`,
      `  max_file_store: ${MAX_FILES}`,
      "}",
      ...usersOf(passwords),
      "",
    ].join("\n"),
  );
  return {
    name: "nats-1",
    command: binary,
    args: ["-c", config],
    env: { PATH: "/usr/bin:/bin", ANNALS_DATA_DIR: directory.path },
    cwd: directory.path,
    stopSignal: "TERM",
    lastSignal: "SIGKILL",
    stopGraceMs: STOP_GRACE_MS,
    pidFile: directory.run("nats-1.pid"),
    logFile: directory.log("nats-1.log"),
    beforeStart: () => port.release(),
    isReady: () => greets(port.port, name),
  };
}

/**
 * Whether the server of this name sends INFO, as it does on every new connection once it serves. A server of
 * another name has the port instead of this stack's.
 */
function greets(port: number, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => finish(false));
    socket.once("data", (bytes) => finish(bytes.includes(`"server_name":"${name}"`)));
    socket.once("error", () => finish(false));
    socket.once("close", () => finish(false));
  });
}
