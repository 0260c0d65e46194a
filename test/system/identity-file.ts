// An identity file for services of tests, with a provider and an issuer that nobody logs in with: their names
// are all that a role mapping and a workload need. Called by what starts such a system, before its services.

import type { Stack } from "@annals/local";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConstellationOptions, startConstellation } from "./constellation.ts";

/** The issuer is nowhere: a provider is asked when someone logs in, and not before. */
export const PROVIDER = { name: "okta", issuer: "https://okta.invalid" };

/** The same of workloads: no test has a token of it. */
const ISSUER = { name: "cluster", issuer: "https://cluster.invalid" };

/** Where browsers would reach the gateway. */
export const PUBLIC_ORIGIN = "https://audit.invalid";

/** No test reaches it by accident. */
const RATE_LIMIT = "100000";

export interface IdentityFile {
  /** To be deleted when the services have stopped. */
  readonly directory: string;
  readonly env: Readonly<Record<"gateway" | "keys", Readonly<Record<string, string>>>>;
}

export async function writeIdentityFile(): Promise<IdentityFile> {
  const directory = await mkdtemp(join(tmpdir(), "annals-identity-"));
  const [file, secret] = [join(directory, "identity.json"), join(directory, "client-secret")];
  await writeFile(secret, "nobody logs in with it");
  const { issuer, name } = PROVIDER;
  const provider = { name, title: "Okta", issuer, client_id: "annals", accounts: "*" };
  const people = [{ ...provider, client_secret_file: secret }];
  const workloads = [{ ...ISSUER, accounts: "*" }];
  await writeFile(file, JSON.stringify({ people, workloads }));
  const gateway = { ANNALS_PUBLIC_URL: PUBLIC_ORIGIN };
  const keys = { ...gateway, ANNALS_IDENTITY_FILE: file };
  return {
    directory,
    env: { gateway, keys: { ...keys, ANNALS_PERSON_RATE_LIMIT_PER_MINUTE: RATE_LIMIT } },
  };
}

/** A constellation with such a file. */
export async function startWithProvider(options: ConstellationOptions): Promise<Stack> {
  const { directory, env } = await writeIdentityFile();
  const stack = await startConstellation({ ...options, env: { ...env, ...options.env } });
  const stop = stack.stop.bind(stack);
  return Object.assign(stack, {
    stop: async (force?: boolean) => {
      await stop(force);
      await rm(directory, { recursive: true });
    },
  });
}
