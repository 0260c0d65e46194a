// Logins at a real provider, without the RPCs and the database. Imported by tests only.

import { type Clock, systemClock } from "@annals/contract";
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Identity, Provider } from "../identity/rules/identity.ts";
import { type IdentityProvider, IdentityProviders } from "../outbound/identity-providers.ts";
import type { LoggedIn } from "../outbound/provider-login.ts";
import { loadOpenId, type OpenIdLibraries } from "../outbound/provider-metadata.ts";
import { newAttempt } from "../sessions/rules/login-attempt.ts";
import { LoginFailure } from "../sessions/rules/login-failure.ts";
import { IdentityProviderServer } from "./identity-provider.ts";

export const PUBLIC_URL = "https://audit.example.com";
const REDIRECT_URI = `${PUBLIC_URL}/auth/callback/okta`;
const HOUR_MS = 3_600_000;

export interface ClientOptions {
  readonly clock?: Clock;
  readonly libraries?: OpenIdLibraries;
  readonly monotonicMs?: () => number;
  readonly timeoutMs?: number;
  readonly fetchTimeoutMs?: number;
  /** Where browsers come back to. */
  readonly publicUrl?: string;
}

type ServerOptions = Partial<Parameters<typeof IdentityProviderServer.start>[0]>;

/** A provider that is gone when the test is over. */
export async function startProvider(
  options: ServerOptions = {},
  atEnd: (work: () => Promise<void>) => unknown = onTestFinished,
): Promise<IdentityProviderServer> {
  const server = await IdentityProviderServer.start({ redirectUri: REDIRECT_URI, ...options });
  atEnd(() => server.close());
  return server;
}

/** An identity file that a test can change. */
export function identitiesOf(...people: readonly Provider[]): { current: Identity } {
  return { current: { people, workloads: [] } };
}

/** The clients of a file. By default nothing ends by its time: it has an hour. */
export async function providersOf(
  identities: { readonly current: Identity },
  { libraries, ...options }: ClientOptions = {},
): Promise<IdentityProviders> {
  return new IdentityProviders({
    clock: systemClock(),
    identities,
    libraries: libraries ?? (await loadOpenId()),
    proxy: {},
    publicUrl: PUBLIC_URL,
    fetchTimeoutMs: HOUR_MS,
    timeoutMs: HOUR_MS,
    ...options,
  });
}

export async function clientOf(
  server: IdentityProviderServer,
  options: ClientOptions & { readonly entry?: Partial<Provider> } = {},
): Promise<IdentityProvider> {
  const { entry, ...more } = options;
  const providers = await providersOf(identitiesOf(server.entry(entry)), more);
  const client = providers.named("okta");
  if (!client) throw new Error("the file has no okta");
  return client;
}

/** A login of a person from end to end. */
export async function logIn(
  server: IdentityProviderServer,
  { login }: IdentityProvider,
): Promise<LoggedIn> {
  const attempt = newAttempt("okta", "", { nowMs: Date.now(), random: randomBytes });
  const query = await server.logIn(await login.authorizationUrl(attempt));
  return login.finish(attempt, query);
}

/** `fault detail` of a login that fails, and the id of the person of one that does not. */
export async function outcomeOf(login: Promise<LoggedIn | string>): Promise<string> {
  try {
    const loggedIn = await login;
    return typeof loggedIn === "string" ? loggedIn : `logged in as ${loggedIn.subject}`;
  } catch (error) {
    if (!(error instanceof LoginFailure)) throw error;
    return `${error.fault} ${error.detail}`.trim();
  }
}
