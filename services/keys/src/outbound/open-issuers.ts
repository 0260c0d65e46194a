// The issuers of workloads of a process, from its settings. Called by serve.ts. Without an identity file
// nothing is loaded, and there are none.

import type { ConfigOf } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { SETTINGS } from "../config.ts";
import type { Identity, Issuer } from "../identity/rules/identity.ts";
import { proxyOf, publicOriginOf } from "./open-providers.ts";
import { type Verify, WorkloadIssuers } from "./workload-issuers.ts";
import { loadOpenId } from "./provider-metadata.ts";

type Config = Pick<
  ConfigOf<typeof SETTINGS>,
  "httpsProxy" | "identityFile" | "noProxy" | "publicUrl"
>;

interface Around {
  readonly clock: Clock;
  readonly identities: { readonly current: Identity };
}

/** What the RPCs use of the issuers. */
export interface Issuers {
  /** The origin that the audience of a token begins with. Undefined: no token is taken. */
  readonly publicUrl: string | undefined;
  readonly verifierOf: (issuer: Issuer) => Verify;
}

/** Throws a ConfigError if no token could name an account. */
export async function openIssuers(config: Config, around: Around): Promise<Issuers> {
  if (config.identityFile === undefined) return { publicUrl: undefined, verifierOf: none };
  const { jose } = await loadOpenId();
  const issuers = new WorkloadIssuers({ ...around, jose, proxy: proxyOf(config) });
  const publicUrl = publicOriginOf(config.publicUrl);
  return { publicUrl, verifierOf: (issuer) => issuers.verifierOf(issuer) };
}

const none = (): Verify => async () => ({ fault: "there is no identity file" });
