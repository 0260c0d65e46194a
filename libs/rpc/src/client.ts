// A typed client of one of our services, over one balanced channel. Called by serve.ts (and clients.ts of
// the gateway). Every call has a deadline; callers see AnnalsError; a call that may have reached a server
// is never sent again, unless its method is named idempotent.

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
import { Channel, type ChannelOptions, connectivityState, credentials } from "@grpc/grpc-js";
import { CallStreams } from "./fast-path/carry-calls-client.ts";
import { createGrpcTransport } from "./transport.ts";
import { annalsErrors } from "./interceptors/errors.ts";
import { MAX_MESSAGE_BYTES, WINDOW_BYTES } from "./server.ts";

export interface RpcClientOptions<S extends DescService> {
  /**
   * `host:port` or `dns:///host:port` (all addresses of the name), or `ipv4:127.0.0.1:1,127.0.0.1:2`.
   * Calls go to the addresses in turn.
   */
  readonly address: string;
  readonly service: S;
  /** The deadline of a call that names none. */
  readonly timeoutMs?: number;
  /** Outermost first; see clientInterceptors. */
  readonly interceptors?: readonly Interceptor[];
  /** Methods (`GetEvent`) that may be sent again after any UNAVAILABLE, since twice does what once does. */
  readonly idempotentMethods?: readonly (S["methods"][number]["name"] & string)[];
  /**
   * Unary methods (`AdmitRequests`) whose calls share streams: for those that are made all the time and take
   * little. None that is named idempotent: they are never sent again. Calls that can be cancelled have
   * streams of their own.
   */
  readonly carriedMethods?: readonly (S["methods"][number]["name"] & string)[];
  /** A shared stream takes no new call after this time. */
  readonly streamAgeMs?: number;
  readonly maxMessageBytes?: number;
}

export interface RpcClient<S extends DescService> {
  /** Leaving a `for await` over a stream cancels the call. */
  readonly client: Client<S>;
  /** Resolves when a server can be reached; fails after `timeoutMs`. */
  ready(timeoutMs: number): Promise<void>;
  /** Open calls finish; none can be started. */
  close(): void;
}

const TIMEOUT_MS = 10_000;

/**
 * A connection is asked so often, while calls are open, and given up when the answer is late: a server that
 * stands still and does not end is known after four seconds, not after the deadlines of all calls on it.
 */
export const KEEPALIVE_TIME_MS = 1_000;
const KEEPALIVE_TIMEOUT_MS = 3_000;
/**
 * grpc-js waits up to two minutes; our servers come back within seconds, and leave a second after another
 * came back (LEAVE_MS of rpc-server.ts).
 */
const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 250;
/** DNS is asked when a connection ends, and no more often than this (grpc-js: 30 s). */
const DNS_MIN_INTERVAL_MS = 1_000;
/** What may be held for retries of calls that never reached a server: per call one message, and in all. */
const RETRY_BUFFER_BYTES = 4 * MAX_MESSAGE_BYTES;
/** Of methods named idempotent. */
const RETRY_POLICY = {
  maxAttempts: 3,
  initialBackoff: "0.05s",
  maxBackoff: "0.5s",
  backoffMultiplier: 2,
  retryableStatusCodes: ["UNAVAILABLE"],
};
/**
 * Retries stop while more than half the tokens are gone: a failure costs one, a success brings back a
 * tenth.
 */
const RETRY_THROTTLING = { maxTokens: 100, tokenRatio: 0.1 };

export function connectRpc<S extends DescService>(options: RpcClientOptions<S>): RpcClient<S> {
  const channel = new Channel(
    options.address,
    credentials.createInsecure(),
    channelOptions(options),
  );
  const streams = new CallStreams(channel, options.streamAgeMs);
  const transport = createGrpcTransport({
    channel,
    streams,
    carried: new Set(options.carriedMethods),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    interceptors: options.interceptors ?? [],
  });
  return {
    client: createCancellingClient(options.service, annalsErrors(transport)),
    ready: (timeoutMs) => connected(channel, timeoutMs),
    close: () => {
      streams.close();
      channel.close();
    },
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
      loadBalancingConfig: [{ round_robin: {} }],
      methodConfig:
        idempotent.length === 0 ? [] : [{ name: idempotent, retryPolicy: RETRY_POLICY }],
      retryThrottling: RETRY_THROTTLING,
    }),
    // The configuration is ours, not the DNS server's.
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
    // Never through a proxy that the environment names, and nothing shared between clients.
    "grpc.enable_http_proxy": 0,
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_channelz": 0,
  };
}

/** Connect's client leaves a stream running whose reader went away; this one cancels it. */
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
    const left = new AbortController();
    const either = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
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
      left.abort();
    }
  };
}

async function connected(channel: Channel, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.READY) return;
    await new Promise<void>((resolve, reject) => {
      channel.watchConnectivityState(state, deadline, (error) => {
        if (error)
          reject(new Error(`${channel.getTarget()} was not reached within ${timeoutMs} ms`));
        else resolve();
      });
    });
  }
}
