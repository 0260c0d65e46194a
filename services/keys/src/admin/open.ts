// Opens the admin API if its setting asks for it. Called by serve.ts. It has the TLS of RPC, or none if the
// operator has disabled that.

import type { Closers, ConfigOf, Logger } from "@annals/chassis";
import type { RpcTls } from "@annals/rpc";
import type { SETTINGS } from "../config.ts";
import type { Metrics } from "../metrics.ts";
import { startAdminApi } from "./api.ts";
import type { Deps } from "./routes.ts";
import { AdminTokens } from "./tokens.ts";

export async function openAdminApi(
  config: ConfigOf<typeof SETTINGS>,
  around: {
    readonly closers: Closers;
    readonly deps: Deps;
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly tls: RpcTls;
  },
): Promise<void> {
  const { adminApiAddress: address, adminApiTokenFile } = config;
  if (adminApiTokenFile === undefined) return;
  const { closers, deps, log, metrics, tls } = around;
  if (tls === "plaintext")
    log.warn("the admin API is in plaintext: anyone on the network path can read its token");
  const tokens = await AdminTokens.open(adminApiTokenFile, log);
  closers.add("admin API tokens", tokens, () => tokens.close());
  const requests = metrics.adminRequests;
  const api = await startAdminApi({ address, deps, log, requests, tls, tokens });
  closers.add("admin API", api, () => api.close());
  log.info({ host: address.host, port: api.port }, "the admin API is listening");
}
