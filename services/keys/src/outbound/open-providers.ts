// The identity providers of a process, from its settings: as the dashboard logs in with them, and the
// operator's console. Called by serve.ts. Without an identity file nothing is loaded, and there are none.

import { ConfigError, type ConfigOf } from "@annals/chassis";
import { type Clock, isLoopback, type PublicOrigin, publicOrigin } from "@annals/contract";
import type { SETTINGS } from "../config.ts";
import type { Identity } from "../identity/rules/identity.ts";
import { IdentityProviders } from "./identity-providers.ts";
import { loadOpenId } from "./provider-metadata.ts";

type Config = Pick<
  ConfigOf<typeof SETTINGS>,
  "httpsProxy" | "identityFile" | "noProxy" | "publicUrl"
>;

interface Around {
  readonly clock: Clock;
  readonly identities: { readonly current: Identity };
}

/** What logs people in uses of the providers. */
export type Providers = Pick<IdentityProviders, "all" | "named">;

/** The page of the operator's console. */
export const CONSOLE_HOME = "/console/";

const NONE: Providers = { all: [], named: () => undefined };

/** Throws a ConfigError if people could not come back from a login. */
export async function openProviders(config: Config, around: Around): Promise<Providers> {
  if (config.identityFile === undefined) return NONE;
  return open(config, around, { publicUrl: publicOriginOf(config.publicUrl) });
}

/** As Node reads it. */
export function proxyOf({ httpsProxy, noProxy }: Pick<Config, "httpsProxy" | "noProxy">) {
  return { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy };
}

/** The origin at which the gateway is reached. Throws a ConfigError. */
export const publicOriginOf = (text: string | undefined): string =>
  originOf("ANNALS_PUBLIC_URL", text, "ANNALS_IDENTITY_FILE").origin;

export interface OperatorLogins {
  readonly origin: PublicOrigin;
  readonly providers: Providers;
  /** The origin of the gateway, whose events the console shows. */
  readonly publicUrl: string;
}

/** Undefined: the console is off. Throws a ConfigError if operators could not log in. */
export async function openOperatorLogins(
  config: Config & Pick<ConfigOf<typeof SETTINGS>, "operatorUrl">,
  around: Around,
): Promise<OperatorLogins | undefined> {
  if (config.operatorUrl === undefined) return undefined;
  if (config.identityFile === undefined)
    throw new ConfigError("ANNALS_IDENTITY_FILE is required with ANNALS_OPERATOR_URL");
  const origin = originOf("ANNALS_OPERATOR_URL", config.operatorUrl, "");
  const { hostname } = new URL(origin.origin);
  // A browser sends a cookie to every port of a host: the gateway would see those of operators.
  const ofClients = URL.parse(config.publicUrl ?? "")?.hostname;
  if (hostname === ofClients && !isLoopback(hostname))
    throw new ConfigError("ANNALS_OPERATOR_URL must have another host than ANNALS_PUBLIC_URL");
  const at = { publicUrl: origin.origin, home: CONSOLE_HOME };
  const publicUrl = publicOriginOf(config.publicUrl);
  return { origin, providers: await open(config, around, at), publicUrl };
}

async function open(
  config: Pick<Config, "httpsProxy" | "noProxy">,
  around: Around,
  at: { readonly publicUrl: string; readonly home?: string },
): Promise<Providers> {
  const proxy = proxyOf(config);
  return new IdentityProviders({ ...around, ...at, libraries: await loadOpenId(), proxy });
}

function originOf(name: string, text: string | undefined, needs: string): PublicOrigin {
  if (text === undefined) throw new ConfigError(`${name} is required with ${needs}`);
  try {
    return publicOrigin(text);
  } catch (error) {
    throw new ConfigError(`${name} ${error instanceof Error ? error.message : ""}`);
  }
}
