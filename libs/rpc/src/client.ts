// A typed client of another service, over one load-balanced channel. Called by serve.ts (and clients.ts of
// the gateway). Every call has a deadline, and callers see AnnalsError. A call that may have reached a server
// must never be retried, unless its method is named idempotent.

import type {
  DescMessage,
  DescMethodStreaming,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import {
  type CallOptions,
  type Client,
  createClient,
  type Interceptor,
  makeAnyClient,
  type Transport,
} from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { type IdentifiedService, identityOf } from "@annals/contract";
import { Channel, type ChannelOptions, connectivityState, credentials } from "@grpc/grpc-js";
import type { RpcTls } from "./certificates.ts";
import { createGrpcTransport } from "./transport.ts";
import { annalsErrors } from "./interceptors/errors.ts";
import { type Affinity, AFFINITY_OPTION, affinityPolicy } from "./affinity-balancer.ts";
import { polled } from "./polling-resolver.ts";
import { MAX_MESSAGE_BYTES, WINDOW_BYTES } from "./server.ts";
import { endingWith } from "./stopping.ts";

export interface RpcClientOptions<S extends DescService> {
  /**
   * `host:port` or `dns:///host:port` (all addresses of the name), or `ipv4:127.0.0.1:1,127.0.0.1:2`.
   * Calls go to the addresses round robin, unless `affinity` says otherwise. A name is looked up again
   * every `resolveEveryMs`.
   */
  readonly address: string;
  readonly service: S;
  /** The service that must be at the address: its certificate says so, whatever the name of its host. */
  readonly peer: IdentifiedService;
  readonly tls: RpcTls;
  /**
   * Ends every call, and refuses new ones: `stopping` of the service's Closers. Undefined in a gateway, which
   * finishes its requests, and then hands over what is left of its audit.
   */
  readonly stopping: AbortSignal | undefined;
  /** The default deadline of a call. */
  readonly timeoutMs?: number;
  /** Outermost first; see clientInterceptors. */
  readonly interceptors?: readonly Interceptor[];
  /**
   * Methods (`GetEvent`) that are retried after any UNAVAILABLE: a second call has no further effect.
   */
  readonly idempotentMethods?: readonly (S["methods"][number]["name"] & string)[];
  readonly maxMessageBytes?: number;
  readonly resolveEveryMs?: number;
  /**
   * Calls with a key, in {@link AFFINITY_HEADER}, go to one server as long as it is connected. One object
   * for each client.
   */
  readonly affinity?: Affinity;
}

export interface RpcClient<S extends DescService> {
  /** Ending a `for await` over a stream early cancels the call. */
  readonly client: Client<S>;
  /** Resolves when a server is connected; rejects after `timeoutMs`. */
  ready(timeoutMs: number): Promise<void>;
  /** Open calls finish; no new one starts. */
  close(): void;
}

/** Deadline of a call by default. */
export const CALL_TIMEOUT_MS = 10_000;

/**
 * Keepalive pings while calls are open. A server that hangs is disconnected after four seconds, not after the
 * deadline of every call on it.
 */
export const KEEPALIVE_TIME_MS = 1_000;
const KEEPALIVE_TIMEOUT_MS = 3_000;
/**
 * grpc-js waits up to two minutes. Replicas restart within seconds, and drain a second after another one is
 * back (DRAIN_DELAY_MS of server.ts).
 */
const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 250;
/** Time until a new replica gets calls, besides the time that the cluster's DNS caches. */
const RESOLVE_EVERY_MS = 5_000;
/** A name is also looked up when a connection ends, at most this often (default of grpc-js: 30 s). */
const DNS_MIN_INTERVAL_MS = 1_000;
/** Buffered for retries of calls that never reached a server, of all calls together. */
const RETRY_BUFFER_BYTES = 4 * MAX_MESSAGE_BYTES;
/** For idempotent methods. */
const RETRY_POLICY = {
  maxAttempts: 3,
  initialBackoff: "0.05s",
  maxBackoff: "0.5s",
  backoffMultiplier: 2,
  retryableStatusCodes: ["UNAVAILABLE"],
};
/**
 * Retries stop while more than half of the tokens are used: a failure costs one, a success returns a tenth.
 */
const RETRY_THROTTLING = { maxTokens: 100, tokenRatio: 0.1 };

export function connectRpc<S extends DescService>(options: RpcClientOptions<S>): RpcClient<S> {
  const { address, peer, stopping, tls, resolveEveryMs = RESOLVE_EVERY_MS } = options;
  const resolving = polled(address, resolveEveryMs);
  const channel = new Channel(
    resolving.target,
    tls === "plaintext" ? credentials.createInsecure() : tls.credentialsFor(peer),
    { ...channelOptions(options), ...resolving.options, [AFFINITY_OPTION]: options.affinity },
  );
  const calls = createGrpcTransport({
    channel,
    timeoutMs: options.timeoutMs ?? CALL_TIMEOUT_MS,
    interceptors: options.interceptors ?? [],
  });
  const transport = stopping === undefined ? calls : endingWith(stopping, calls);
  return {
    client: createCancellingClient(options.service, annalsErrors(transport)),
    ready: (timeoutMs) => connected(channel, address, timeoutMs),
    close: () => channel.close(),
  };
}

function channelOptions(options: RpcClientOptions<DescService>): ChannelOptions {
  const maxMessageBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
  const idempotent = (options.idempotentMethods ?? []).map((method) => ({
    service: options.service.typeName,
    method,
  }));
  return {
    "grpc.service_config": JSON.stringify({
      loadBalancingConfig: [options.affinity ? affinityPolicy() : { round_robin: {} }],
      methodConfig:
        idempotent.length === 0 ? [] : [{ name: idempotent, retryPolicy: RETRY_POLICY }],
      retryThrottling: RETRY_THROTTLING,
    }),
    "grpc.ssl_target_name_override": identityOf(options.peer),
    // The service config comes from here, not from DNS.
    "grpc.service_config_disable_resolution": 1,
    "grpc.dns_min_time_between_resolutions_ms": DNS_MIN_INTERVAL_MS,
    "grpc.initial_reconnect_backoff_ms": RECONNECT_MIN_MS,
    "grpc.max_reconnect_backoff_ms": RECONNECT_MAX_MS,
    "grpc.keepalive_time_ms": KEEPALIVE_TIME_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.per_rpc_retry_buffer_size": maxMessageBytes,
    "grpc.retry_buffer_size": RETRY_BUFFER_BYTES,
    "grpc-node.flow_control_window": WINDOW_BYTES,
    // No proxy from the environment, and no subchannel pool across clients.
    "grpc.enable_http_proxy": 0,
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_channelz": 0,
  };
}

/** Connect's client keeps a stream open after its reader has stopped; this one cancels it. */
function createCancellingClient<S extends DescService>(
  service: S,
  transport: Transport,
): Client<S> {
  const client = createClient(service, transport);
  return makeAnyClient(service, (method) => {
    if (method.methodKind === "server_streaming") return serverStreaming(transport, method);
    return client[method.localName as keyof Client<S>] as ReturnType<
      Parameters<typeof makeAnyClient>[1]
    >;
  }) as Client<S>;
}

function serverStreaming<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodStreaming<I, O>,
) {
  return async function* (
    input: MessageInitShape<I>,
    options: CallOptions = {},
  ): AsyncGenerator<MessageShape<O>> {
    const { signal, timeoutMs, headers, contextValues } = options;
    const stopped = new AbortController();
    const either =
      signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]);
    const messages = createAsyncIterable([input]);
    try {
      const response = await transport.stream(
        method,
        either,
        timeoutMs,
        headers,
        messages,
        contextValues,
      );
      options.onHeader?.(response.header);
      yield* response.message;
      options.onTrailer?.(response.trailer);
    } finally {
      stopped.abort();
    }
  };
}

async function connected(channel: Channel, address: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.READY) return;
    await new Promise<void>((resolve, reject) => {
      channel.watchConnectivityState(state, deadline, (error) => {
        if (error) reject(new Error(`${address} was not reached within ${timeoutMs} ms`));
        else resolve();
      });
    });
  }
}
