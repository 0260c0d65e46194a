// The real programs of docs/recipes.md, unmodified, with the configurations of that page: OPA from the Go
// module proxy, Cerbos from npm, Keycloak from Maven Central, each once per user. Called by the test of the
// recipes.

import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildPrograms } from "./go-programs.ts";
import { writeRecipeFile } from "./recipe-collector.ts";
import { ReceiverProcess } from "./receiver-process.ts";

const CACHE = join(homedir(), ".cache/annals");
const FETCHED_WITHIN_MS = 600_000;
const STARTED_WITHIN_MS = 300_000;

const OPA = { module: "github.com/open-policy-agent", version: "v1.22.3" };
const CERBOS = { name: `@cerbos/cerbos-${process.platform}-${process.arch}`, version: "0.55.0" };
const KEYCLOAK = { artifact: "org.keycloak:keycloak-quarkus-dist", version: "26.7.3" };
export const ADMIN = { username: "admin", password: "admin-password" };

const run = promisify(execFile);

/** A program that runs. */
export interface Source {
  readonly url: string;
  stop(): Promise<void>;
}

/** The program, or a rejection that names why it is not there. `folder` is of the test. */
type Find = () => Promise<string>;
type Start = (program: string, folder: string) => Promise<Source>;

export const SOURCES = {
  opa: { find: findOpa, start: startOpa },
  cerbos: { find: findCerbos, start: startCerbos },
  keycloak: { find: findKeycloak, start: startKeycloak },
} satisfies Record<string, { readonly find: Find; readonly start: Start }>;

async function findOpa(): Promise<string> {
  return join(await buildPrograms(OPA.module, OPA.version, ["opa"]), "opa");
}

async function startOpa(program: string, folder: string): Promise<Source> {
  const config = await writeRecipeFile(folder, "opa-config.yaml");
  const mask = await writeRecipeFile(folder, "mask.rego");
  const policy = join(folder, "authz.rego");
  await writeFile(
    policy,
    'package authz\ndefault allow := false\nallow if input.user == "alice"\n',
  );
  const port = await freePort();
  const address = ["--addr", `127.0.0.1:${port}`, "--disable-telemetry"];
  const args = ["run", "--server", ...address, "--config-file", config, mask, policy];
  return started(new ReceiverProcess(program, args, listening(port, "/health")), port);
}

async function findCerbos(): Promise<string> {
  const program = (folder: string) =>
    join(folder, "node_modules", CERBOS.name, CERBOS.name.replace("@cerbos/", ""));
  const folder = await fetched(`cerbos-${CERBOS.version}`, async (at) => {
    await writeFile(join(at, "package.json"), '{"private": true}');
    const options = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
    await run("npm", ["install", ...options, `${CERBOS.name}@${CERBOS.version}`], {
      cwd: at,
      timeout: FETCHED_WITHIN_MS,
    });
  });
  return program(folder);
}

async function startCerbos(program: string, folder: string): Promise<Source> {
  const policies = join(folder, "policies");
  await mkdir(policies);
  const rule = "{actions: [view], effect: EFFECT_ALLOW, roles: [user]}";
  await writeFile(
    join(policies, "document.yaml"),
    `apiVersion: api.cerbos.dev/v1
resourcePolicy: {resource: document, version: default, rules: [${rule}]}
`,
  );
  const [port, rpcPort] = [await freePort(), await freePort()];
  const config = await writeRecipeFile(folder, "cerbos-config.yaml", {
    more: `server: {httpListenAddr: "127.0.0.1:${port}", grpcListenAddr: "127.0.0.1:${rpcPort}"}
storage: {driver: disk, disk: {directory: ${policies}}}
telemetry: {disabled: true}
`,
  });
  const args = ["server", `--config=${config}`];
  return started(new ReceiverProcess(program, args, listening(port, "/_cerbos/health")), port);
}

async function findKeycloak(): Promise<string> {
  const folder = await fetched(`keycloak-${KEYCLOAK.version}`, async (at) => {
    const artifact = `-Dartifact=${KEYCLOAK.artifact}:${KEYCLOAK.version}:zip`;
    const goal = ["-B", "-q", "dependency:unpack", artifact, `-DoutputDirectory=${at}`];
    await run("mvn", goal, { cwd: at, timeout: FETCHED_WITHIN_MS });
  });
  return join(folder, `keycloak-${KEYCLOAK.version}`, "bin/kc.sh");
}

async function startKeycloak(program: string, folder: string): Promise<Source> {
  const config = await writeRecipeFile(folder, "keycloak.conf");
  const port = await freePort();
  const args = [
    program,
    `--config-file=${config}`,
    "start-dev",
    `--http-port=${port}`,
    "--http-host=127.0.0.1",
    "--db=dev-mem",
  ];
  const process = new ReceiverProcess("bash", args, listening(port, "/realms/master"), {
    KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
    KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
  });
  return started(process, port);
}

/** The folder of the cache that `fetch` fills, once. */
async function fetched(name: string, fetch: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  await fetch(part);
  await rename(part, folder);
  return folder;
}

const listening = (port: number, path: string) => async (): Promise<void> => {
  await eventually(
    `an answer of ${path}`,
    async () => (await fetch(`http://127.0.0.1:${port}${path}`)).ok,
    STARTED_WITHIN_MS,
  );
};

async function started(process: ReceiverProcess, port: number): Promise<Source> {
  await process.start();
  return { url: `http://127.0.0.1:${port}`, stop: () => process.end("SIGTERM") };
}
