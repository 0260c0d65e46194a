// A Connect transport over a grpc-js channel: Connect's typed clients above, load balancing and retries of
// grpc-js below. Called by client.ts. It must never start a call without a deadline, nor drop the details of
// an error.

import {
  create,
  type DescMessage,
  type DescMethod,
  isMessage,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { runStreamingCall } from "@connectrpc/connect/protocol";
import type { ChannelInterface } from "@grpc/grpc-js";
import { GrpcCall, NEVER } from "./grpc-call.ts";
import { unaryChain } from "./interceptors/unary-chain.ts";

export interface GrpcTransportOptions {
  readonly channel: ChannelInterface;
  /** The default deadline of a call. */
  readonly timeoutMs: number;
  /** Outermost first. */
  readonly interceptors?: readonly Interceptor[];
}

export function createGrpcTransport(options: GrpcTransportOptions): Transport {
  const { channel, timeoutMs, interceptors = [] } = options;
  const common = (method: DescMethod, header: ConstructorParameters<typeof Headers>[0]) => ({
    service: method.parent,
    requestMethod: "POST",
    url: pathOf(method),
    header: new Headers(header),
  });
  const deadline = (ms: number | undefined): Date => {
    return new Date(Date.now() + (ms !== undefined && ms > 0 ? ms : timeoutMs));
  };
  return {
    unary(method, signal = NEVER, ms, header, init, contextValues = createContextValues()) {
      const until = deadline(ms);
      const call = unaryChain(interceptors, (request) =>
        unlessRefused(() => callUnary(channel, request, until)),
      );
      const message = isMessage(init, method.input) ? init : create(method.input, init);
      const request = { ...common(method, header), stream: false as const, method, message };
      return call({ ...request, contextValues, signal }) as Promise<
        UnaryResponse<typeof method.input, typeof method.output>
      >;
    },
    stream(method, signal, ms, header, message, contextValues = createContextValues()) {
      const until = deadline(ms);
      return runStreamingCall({
        interceptors: [...interceptors],
        ...(signal && { signal }),
        req: { ...common(method, header), stream: true, method, contextValues, message },
        next: async (request) => {
          const bytes = toBinary(method.input, await onlyMessage(request.message));
          return unlessRefused(() => callStreaming(channel, { request, bytes }, until));
        },
      });
    },
  };
}

/**
 * The error of grpc-js for a call on a connection that was draining. The server has not started it (RFC 9113,
 * 8.7), so any method may be retried. grpc-js itself does so once, which is not always enough while servers
 * renew all their connections.
 */
const REFUSED = "Stream refused by server";
const REFUSED_ATTEMPTS = 4;

async function unlessRefused<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === REFUSED_ATTEMPTS || !isRefused(error)) throw error;
    }
  }
}

function isRefused(error: unknown): boolean {
  const { code, rawMessage } = ConnectError.from(error);
  return code === Code.Unavailable && rawMessage === REFUSED;
}

async function callUnary<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  request: UnaryRequest<I, O>,
  deadline: Date,
): Promise<UnaryResponse<I, O>> {
  const { method, service } = request;
  const call = new GrpcCall(channel, request, method.output, deadline);
  void call.send(toBinary(method.input, request.message));
  call.endSending();
  const message = await call.receive();
  if (message === undefined) throw new ConnectError("the server sent no message", Code.Internal);
  // The status is not awaited: a server sends its one message only when the call succeeded, and Node sends
  // the status one turn of the server's event loop later.
  return { stream: false, service, method, header: call.header, trailer: call.trailer, message };
}

/** No method streams its requests: of all calls the request is one message. */
async function onlyMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) return message;
  throw new TypeError("a call needs a message");
}

async function callStreaming<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  { request, bytes }: { request: StreamRequest<I, O>; bytes: Uint8Array },
  deadline: Date,
): Promise<StreamResponse<I, O>> {
  const { method, service } = request;
  const call = new GrpcCall(channel, request, method.output, deadline);
  void call.send(bytes);
  call.endSending();
  // The header arrives before the first message.
  const first = await call.receive();
  const { header, trailer } = call;
  return { stream: true, service, method, header, trailer, message: receiveAll(call, first) };
}

async function* receiveAll<O extends DescMessage>(
  call: GrpcCall<O>,
  first: MessageShape<O> | undefined,
): AsyncGenerator<MessageShape<O>> {
  for (let message = first; message !== undefined; message = await call.receive()) yield message;
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}
