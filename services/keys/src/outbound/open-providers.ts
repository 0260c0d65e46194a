// The identity providers of a process, from its settings. Called by serve.ts. Without an identity file
// nothing is loaded, and there are none.

import { ConfigError, type ConfigOf } from "@annals/chassis";
import { type Clock, publicOrigin } from "@annals/contract";
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

/** What the RPCs use of the providers. */
export type Providers = Pick<IdentityProviders, "all" | "named">;

const NONE: Providers = { all: [], named: () => undefined };

/** Throws a ConfigError if people could not come back from a login. */
export async function openProviders(config: Config, around: Around): Promise<Providers> {
  if (config.identityFile === undefined) return NONE;
  const publicUrl = publicOriginOf(config.publicUrl);
  const proxy = proxyOf(config);
  return new IdentityProviders({ ...around, libraries: await loadOpenId(), proxy, publicUrl });
}

/** As Node reads it. */
export function proxyOf({ httpsProxy, noProxy }: Pick<Config, "httpsProxy" | "noProxy">) {
  return { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy };
}

/** The origin at which the gateway is reached. Throws a ConfigError. */
export function publicOriginOf(text: string | undefined): string {
  if (text === undefined)
    throw new ConfigError("ANNALS_PUBLIC_URL is required with ANNALS_IDENTITY_FILE");
  try {
    return publicOrigin(text).origin;
  } catch (error) {
    throw new ConfigError(`ANNALS_PUBLIC_URL ${error instanceof Error ? error.message : ""}`);
  }
}
