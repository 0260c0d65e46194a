// Opens the admin API if its setting asks for it. Called by serve.ts. An API that would be readable on the
// network does not start, unless a setting says so.

import { type Closers, ConfigError, type ConfigOf, type Logger } from "@annals/chassis";
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
  const { adminApiAddress: address, adminApiPlaintext, adminApiTokenFile } = config;
  if (adminApiTokenFile === undefined) return;
  const { closers, deps, log, metrics } = around;
  const tls = adminApiPlaintext ? "plaintext" : around.tls;
  if (tls === "plaintext" && !adminApiPlaintext) {
    throw new ConfigError(
      "ANNALS_ADMIN_API_TOKEN_FILE requires ANNALS_TLS_CERT_FILE, ANNALS_TLS_KEY_FILE and ANNALS_TLS_CA_FILE: the admin API " +
        "uses the certificate of keys. To serve it without TLS, set ANNALS_DANGEROUS_ADMIN_API_PLAINTEXT",
    );
  }
  if (adminApiPlaintext)
    log.warn("the admin API is in plaintext: anyone on the network path can read its token");
  const tokens = await AdminTokens.open(adminApiTokenFile, log);
  closers.add("admin API tokens", tokens, () => tokens.close());
  const requests = metrics.adminRequests;
  const api = await startAdminApi({ address, deps, log, requests, tls, tokens });
  closers.add("admin API", api, () => api.close());
  log.info({ host: address.host, port: api.port }, "the admin API is listening");
}
