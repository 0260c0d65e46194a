// A Connect transport over a grpc-js channel: Connect's typed clients on top, grpc-js' balancing and
// retries below. Called by rpc-client.ts. It must never start a call without a deadline, nor swallow the
// details of an error.

import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
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
import {
  type ChannelInterface,
  type InterceptingListener,
  type StatusObject,
  status,
} from "@grpc/grpc-js";
import { errorOfStatus, fillHeaders, toMetadata } from "./grpc-metadata.ts";
import { unaryChain } from "./interceptors/unary-chain.ts";

export interface GrpcTransportOptions {
  readonly channel: ChannelInterface;
  /** The deadline of a call that names none. */
  readonly timeoutMs: number;
  /** Outermost first. */
  readonly interceptors?: readonly Interceptor[];
}

/** Of calls that nobody can cancel. */
const NEVER = new AbortController().signal;

export function createGrpcTransport({
  channel,
  timeoutMs,
  interceptors = [],
}: GrpcTransportOptions): Transport {
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
      const call = unaryChain(interceptors, (request) => callUnary(channel, request, until));
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
        next: (request) => callStreaming(channel, request, until),
      });
    },
  };
}

/**
 * What grpc-js says of a call on a connection that was being retired. The server has not begun it
 * (RFC 9113, 8.7), so it may be sent again whatever it does. grpc-js itself does so once; while
 * servers renew all their connections that can be one time too few.
 */
const REFUSED = "Stream refused by server";
const REFUSED_ATTEMPTS = 4;

async function callUnary<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  request: UnaryRequest<I, O>,
  deadline: Date,
): Promise<UnaryResponse<I, O>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callOnce(channel, request, deadline);
    } catch (error) {
      if (attempt === REFUSED_ATTEMPTS || !isRefused(error)) throw error;
    }
  }
}

function isRefused(error: unknown): boolean {
  const { code, rawMessage } = ConnectError.from(error);
  return code === Code.Unavailable && rawMessage === REFUSED;
}

async function callOnce<I extends DescMessage, O extends DescMessage>(
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
  // The status is not waited for. It says nothing new, since a server sends its one message when all went
  // well, and Node sends it a turn of the server's event loop later.
  return { stream: false, service, method, header: call.header, trailer: call.trailer, message };
}

async function callStreaming<I extends DescMessage, O extends DescMessage>(
  channel: ChannelInterface,
  request: StreamRequest<I, O>,
  deadline: Date,
): Promise<StreamResponse<I, O>> {
  const { method, service } = request;
  const call = new GrpcCall(channel, request, method.output, deadline);
  void sendAll(call, method.input, request.message);
  // With the first message the header is there too.
  const first = await call.receive();
  const { header, trailer } = call;
  return { stream: true, service, method, header, trailer, message: receiveAll(call, first) };
}

/** Sends one message after another; each is taken by the connection before the next is asked for. */
async function sendAll<I extends DescMessage>(
  call: GrpcCall<DescMessage>,
  input: I,
  messages: AsyncIterable<MessageShape<I>>,
): Promise<void> {
  try {
    for await (const message of messages) await call.send(toBinary(input, message));
    call.endSending();
  } catch (error) {
    call.cancel(ConnectError.from(error));
  }
}

async function* receiveAll<O extends DescMessage>(
  call: GrpcCall<O>,
  first: MessageShape<O> | undefined,
): AsyncGenerator<MessageShape<O>> {
  for (let message = first; message !== undefined; message = await call.receive()) yield message;
}

/**
 * One call on the channel. Messages are pulled: the server is held back by flow control while nobody asks.
 */
class GrpcCall<O extends DescMessage> {
  readonly header = new Headers();
  readonly trailer = new Headers();
  readonly #call: ReturnType<ChannelInterface["createCall"]>;
  readonly #output: O;
  readonly #signal: AbortSignal;
  /** The reader that waits, if one does. */
  #waiting: PromiseWithResolvers<MessageShape<O> | undefined> | undefined;
  #status: StatusObject | undefined;
  #failure: ConnectError | undefined;

  constructor(
    channel: ChannelInterface,
    request: UnaryRequest | StreamRequest,
    output: O,
    deadline: Date,
  ) {
    this.#output = output;
    this.#signal = request.signal;
    this.#call = channel.createCall(request.url, deadline, null, null, null);
    this.#call.start(toMetadata(request.header), this.#listener());
    if (this.#signal === NEVER) return;
    this.#signal.addEventListener("abort", this.#onAbort, { once: true });
    if (this.#signal.aborted) this.#onAbort();
  }

  /** Resolves when the connection has taken the message, or the call has ended. */
  send(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#call.sendMessageWithContext({ callback: () => resolve() }, message);
    });
  }

  endSending(): void {
    this.#call.halfClose();
  }

  /** The next message; undefined after the last, and a ConnectError where the call failed. */
  receive(): Promise<MessageShape<O> | undefined> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    if (this.#status === undefined) this.#call.startRead();
    else this.#settle();
    return promise;
  }

  cancel(failure: ConnectError): void {
    if (this.#status !== undefined) return;
    this.#failure ??= failure;
    this.#call.cancelWithStatus(status.CANCELLED, "Cancelled on client");
  }

  readonly #onAbort = (): void =>
    this.cancel(ConnectError.from(this.#signal.reason, Code.Canceled));

  #listener(): InterceptingListener {
    return {
      onReceiveMetadata: (metadata) => fillHeaders(this.header, metadata),
      onReceiveMessage: (message: Buffer) => this.#onMessage(message),
      onReceiveStatus: (received) => {
        if (this.#status !== undefined) return;
        this.#status = received;
        this.#signal.removeEventListener("abort", this.#onAbort);
        fillHeaders(this.trailer, received.metadata);
        this.#settle();
      },
    };
  }

  #onMessage(buffer: Buffer): void {
    try {
      // A plain view: `bytes` fields shall be Uint8Array, not Buffer.
      const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
      this.#waiting?.resolve(fromBinary(this.#output, bytes));
      this.#waiting = undefined;
    } catch (error) {
      this.cancel(
        new ConnectError(
          "the server sent a malformed message",
          Code.Internal,
          undefined,
          undefined,
          error,
        ),
      );
    }
  }

  #settle(): void {
    if (this.#status === undefined || this.#waiting === undefined) return;
    const failure = this.#failure ?? errorOfStatus(this.#status);
    if (failure === undefined) this.#waiting.resolve(undefined);
    else this.#waiting.reject(failure);
    this.#waiting = undefined;
  }
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}
