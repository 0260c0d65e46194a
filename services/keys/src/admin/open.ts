// Opens the admin API if its settings ask for it: for programs with a token, and for people at the console.
// Called by serve.ts. It has the TLS of RPC, or none if the operator has disabled that.

import type { Closers, ConfigOf, Logger } from "@annals/chassis";
import type { RpcTls } from "@annals/rpc";
import type { SETTINGS } from "../config.ts";
import type { Metrics } from "../metrics.ts";
import { openOperatorLogins } from "../outbound/open-providers.ts";
import { startAdminApi } from "./api.ts";
import { Console, type ConsoleDeps } from "./console.ts";
import type { Deps } from "./route.ts";
import { AdminTokens } from "./tokens.ts";

type ApiDeps = Omit<Deps, "consoleAt" | "reporters"> &
  Pick<ConsoleDeps, "identities" | "refusedLogins" | "secrets">;

export async function openAdminApi(
  config: ConfigOf<typeof SETTINGS>,
  around: {
    readonly closers: Closers;
    readonly deps: ApiDeps;
    /** How the services that say what lags are reached. */
    readonly openReporters: () => Deps["reporters"];
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly tls: RpcTls;
  },
): Promise<void> {
  const { adminApiAddress: address, adminApiTokenFile } = config;
  const { closers, log, metrics, openReporters, tls } = around;
  const logins = await openOperatorLogins(config, around.deps);
  if (adminApiTokenFile === undefined && !logins) return;
  if (tls === "plaintext")
    log.warn("the admin API is in plaintext: anyone on the network path can read what opens it");
  const tokens =
    adminApiTokenFile === undefined ? undefined : await AdminTokens.open(adminApiTokenFile, log);
  if (tokens) closers.add("admin API tokens", tokens, () => tokens.close());
  const deps = { ...around.deps, reporters: openReporters() };
  const { sessionIdleMinutes, sessionLifetimeMinutes } = config;
  const lasting = { sessionIdleMinutes, sessionLifetimeMinutes };
  const consoleAt = logins && { origin: logins.origin.origin, publicUrl: logins.publicUrl };
  const console = logins && new Console({ ...deps, ...logins, ...lasting, logins: metrics.logins });
  const requests = metrics.adminRequests;
  const api = await startAdminApi({
    address,
    console,
    deps: { ...deps, consoleAt },
    log,
    requests,
    tls,
    tokens,
  });
  closers.add("admin API", api, () => api.close());
  log.info({ host: address.host, port: api.port }, "the admin API is listening");
}
