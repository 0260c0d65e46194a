// What `npm start -- --people` adds to a stack: an identity provider, the file that names it, and roles of
// its people in the first account. Called by main.ts. It must never replace settings that were given.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Person } from "./identity-pages.ts";
import { CLIENT_ID, SCOPES, serveIdentityProvider } from "./identity-provider.ts";
import { freePort, LOOPBACK, reserveFreePort, reservePort } from "./ports.ts";
import { MAX_REPLICAS, type Settings } from "./settings.ts";
import type { Variables } from "./service-process.ts";
import type { Stack } from "./stack.ts";
import type { StackOptions } from "./stack-options.ts";

/** The name of the provider in the identity file, and so in URLs and role mappings. */
const NAME = "local";
const FILE = "identity.json";
const SECRET_FILE = "identity-client-secret";

const PEOPLE: readonly Person[] = [
  { sub: "ada", name: "Ada Lovelace", email: "ada@example.com", groups: ["managers"] },
  { sub: "grace", name: "Grace Hopper", email: "grace@example.com", groups: ["viewers"] },
];
/** Roles of the groups in the first account. */
const ROLES = { managers: "manager", viewers: "viewer" } as const;

export interface People {
  readonly options: Pick<StackOptions, "env" | "files" | "port">;
  /** Gives the roles that are not there yet. Resolves to what to print. */
  introduce(stack: Stack): Promise<string[]>;
}

/** The provider serves until the signal. Throws one line if a setting has its place. */
export async function startPeople(
  { dataDir, port }: Settings,
  { environment, signal }: { readonly environment: Variables; readonly signal: AbortSignal },
): Promise<People> {
  for (const name of ["ANNALS_IDENTITY_FILE", "ANNALS_PUBLIC_URL"])
    if (environment[name]) throw new Error(`${name} is set, and --people sets it itself`);
  const gatewayPort = port || (await freePort());
  const publicUrl = `http://${LOOPBACK}:${gatewayPort}`;
  // The same at the next start, since a person is an issuer and a subject; gateways have the ports between.
  const reserved = await (port === 0 ? reserveFreePort() : reservePort(port + MAX_REPLICAS));
  const clientSecret = randomBytes(32).toString("base64url");
  await reserved.release();
  const its = { port: reserved.port, people: PEOPLE, clientSecret, publicUrl, name: NAME, signal };
  const issuer = await serveIdentityProvider(its);
  const entry = {
    name: NAME,
    title: "oidc-provider",
    issuer,
    client_id: CLIENT_ID,
    client_secret_file: join(dataDir, SECRET_FILE),
    scopes: SCOPES,
    accounts: "*",
  };
  const gateway = { ANNALS_PUBLIC_URL: publicUrl };
  return {
    options: {
      port: gatewayPort,
      env: { gateway, keys: { ...gateway, ANNALS_IDENTITY_FILE: join(dataDir, FILE) } },
      files: { [SECRET_FILE]: clientSecret, [FILE]: JSON.stringify({ people: [entry] }) },
    },
    introduce: async ({ bootstrapKey }) => {
      await giveRoles(publicUrl, bootstrapKey);
      return linesOf(publicUrl);
    },
  };
}

function linesOf(publicUrl: string): string[] {
  const login = `${publicUrl}/auth/login/${NAME}`;
  const names = PEOPLE.map(({ groups, name }) => `${name} (${groups.map(roleOf).join(", ")})`);
  return [`people        ${login}`, `              ${names.join(" or ")}, without a password`];
}

const roleOf = (group: string): string => (ROLES as Readonly<Record<string, string>>)[group] ?? "";

interface Mapping {
  readonly provider: string;
  readonly group: string | null;
}

async function giveRoles(baseUrl: string, key: string): Promise<void> {
  const url = `${baseUrl}/v1/role-mappings`;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const given = (await dataOf(await fetch(url, { headers }))) as readonly Mapping[];
  for (const [group, role] of Object.entries(ROLES)) {
    if (given.some((mapping) => mapping.provider === NAME && mapping.group === group)) continue;
    const body = JSON.stringify({ provider: NAME, group, role });
    await dataOf(await fetch(url, { method: "POST", headers, body }));
  }
}

async function dataOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`the roles of --people were refused: ${text}`);
  return (JSON.parse(text) as { readonly data: unknown }).data;
}
