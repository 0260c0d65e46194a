// Starts the two servers of a service that serves RPCs: that of its RPCs, and the admin server. Called by
// serve.ts when everything that they use is open. It must never report ready before RPCs are served.

import {
  type Closers,
  type ConfigOf,
  type Logger,
  type processSettings,
  type ReadinessCheck,
  type Registry,
  rpcRefusals,
  rpcServerDuration,
  type rpcServerSettings,
  startAdminServer,
} from "@annals/chassis";
import type { DescService } from "@bufbuild/protobuf";
import { serverInterceptors } from "./interceptors/stacks.ts";
import { type RpcServerOptions, startRpcServer } from "./server.ts";

export interface BackendOptions<S extends DescService> extends Required<
  Pick<RpcServerOptions<S>, "access" | "admissions" | "routes" | "service" | "tls">
> {
  readonly config: ConfigOf<typeof processSettings & typeof rpcServerSettings>;
  readonly registry: Registry;
  readonly log: Logger;
  readonly closers: Closers;
  /** What `/readyz` asks. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
}

export async function startBackend<S extends DescService>({
  checks,
  closers,
  config,
  registry,
  ...options
}: BackendOptions<S>): Promise<void> {
  const rpc = await startRpcServer({
    ...options,
    host: config.host,
    port: config.port,
    refused: rpcRefusals(registry),
    interceptors: serverInterceptors({ log: options.log, duration: rpcServerDuration(registry) }),
    isReady: () => true,
  });
  closers.add("rpc server", rpc, () => rpc.close());
  const { adminHost: host, adminPort: port } = config;
  const admin = await startAdminServer({ host, port, registry, checks });
  closers.add("admin server", admin, () => admin.close());
}
