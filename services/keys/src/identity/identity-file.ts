// The identity file (ANNALS_IDENTITY_FILE) and the files that it names: read at the start and every five
// seconds. Called by serve.ts. A file with faults must neither start the service nor replace another one.

import { type Closers, ConfigError, follow, type Logger } from "@annals/chassis";
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Identity, NO_IDENTITY } from "./rules/identity.ts";
import { parseIdentity } from "./rules/parse-identity.ts";

const SETTING = "ANNALS_IDENTITY_FILE";
const MAX_SECRET_LENGTH = 1_024;

/** What the file says now. */
export interface Identities {
  readonly current: Identity;
}

interface Around {
  readonly closers: Closers;
  readonly log: Logger;
  readonly intervalMs?: number;
}

/** Throws a ConfigError that names every fault of the file. */
export async function openIdentities(
  path: string | undefined,
  { closers, intervalMs, log }: Around,
): Promise<Identities> {
  const identities = { current: await readIdentities(path) };
  if (path === undefined) return identities;
  const following = follow({
    name: "identity_file",
    log,
    fields: { setting: SETTING },
    messages: {
      isNew: "a new identity file is in use",
      cannotBeUsed: "failed to load a new identity file: keeping the current one",
    },
    // The file and those that it names may be in the middle of a change.
    tolerated: 1,
    intervalMs,
    reload: async () => {
      const next = await readIdentity(path);
      if (JSON.stringify(next) === JSON.stringify(identities.current)) return false;
      identities.current = next;
      return true;
    },
  });
  closers.add("identity file", following, () => following.stop());
  return identities;
}

/** What the file says once. Throws a ConfigError that names every fault of it. */
export async function readIdentities(path: string | undefined): Promise<Identity> {
  if (path === undefined) return NO_IDENTITY;
  try {
    return await readIdentity(path);
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${SETTING} ${path}:\n${fault.replaceAll(/^/gm, "  ")}`);
  }
}

async function readIdentity(path: string): Promise<Identity> {
  const text = parseIdentity(await readFile(path));
  const people = text.people.map(async (provider, at) => ({
    ...provider,
    clientSecret: await readSecret(`people[${at}].client_secret_file`, provider.clientSecretFile),
    ca: await readCertificates(`people[${at}].ca_file`, provider.caFile),
  }));
  const workloads = text.workloads.map(async (issuer, at) => ({
    ...issuer,
    ca: await readCertificates(`workloads[${at}].ca_file`, issuer.caFile),
  }));
  return { people: await Promise.all(people), workloads: await Promise.all(workloads) };
}

async function readNamed(where: string, path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : "cannot be read"}`, {
      cause: error,
    });
  }
}

async function readSecret(where: string, path: string): Promise<string> {
  const secret = await readNamed(where, path);
  if (secret === "" || secret.length > MAX_SECRET_LENGTH || /\p{Cc}/u.test(secret))
    throw new Error(`${where}: must contain one line of 1 to ${MAX_SECRET_LENGTH} characters`);
  return secret;
}

async function readCertificates(
  where: string,
  path: string | undefined,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const pem = await readNamed(where, path);
  try {
    void new X509Certificate(pem);
  } catch {
    throw new Error(`${where}: must contain certificates in PEM`);
  }
  return pem;
}
