// One call on a grpc-js channel: messages out, messages in, the status. Called by transport.ts. It must never
// read ahead of its reader, nor drop the details of an error.

import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import {
  type ChannelInterface,
  type Deadline,
  type InterceptingListener,
  type StatusObject,
  status,
} from "@grpc/grpc-js";
import { CANCELLABLE_HEADER, CANCELLED_BY_END } from "./cancellable.ts";
import { errorOfStatus, fillHeaders, toMetadata } from "./grpc-metadata.ts";

/** The signal of a call that its caller does not cancel. */
export const NEVER: AbortSignal = new AbortController().signal;

/** Messages are pulled: flow control holds the server back while no message is requested. */
export class GrpcCall<O extends DescMessage> {
  readonly header: Headers = new Headers();
  readonly trailer: Headers = new Headers();
  readonly #call: ReturnType<ChannelInterface["createCall"]>;
  readonly #output: O;
  readonly #signal: AbortSignal;
  readonly #isStream: boolean;
  /** The pending `receive`, if there is one. */
  #waiting: PromiseWithResolvers<MessageShape<O> | undefined> | undefined;
  #status: StatusObject | undefined;
  #failure: ConnectError | undefined;

  constructor(
    channel: ChannelInterface,
    request: Pick<UnaryRequest | StreamRequest, "header" | "signal" | "stream" | "url">,
    output: O,
    deadline: Deadline,
  ) {
    this.#output = output;
    this.#signal = request.signal;
    this.#isStream = request.stream;
    this.#call = channel.createCall(request.url, deadline, null, null, null);
    const metadata = toMetadata(request.header);
    if (this.#signal !== NEVER) metadata.set(CANCELLABLE_HEADER, CANCELLED_BY_END);
    this.#call.start(metadata, this.#listener());
    if (this.#signal === NEVER) return;
    // Nothing is sent yet.
    if (this.#signal.aborted) this.#cancel(this.#reason());
    else this.#signal.addEventListener("abort", this.#leave, { once: true });
  }

  /** Resolves when the connection has accepted the message, or the call has ended. */
  send(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#call.sendMessageWithContext({ callback: () => resolve() }, message);
    });
  }

  /** Ends the request, unless its end is what cancels the call: grpc-js then ends it after the response. */
  endSending(): void {
    if (this.#signal === NEVER) this.#call.halfClose();
  }

  /**
   * The next message, undefined after the last. Rejects with a ConnectError when the call failed.
   */
  receive(): Promise<MessageShape<O> | undefined> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    if (this.#status === undefined && this.#failure === undefined) this.#call.startRead();
    else this.#settle();
    return promise;
  }

  #cancel(failure: ConnectError): void {
    if (this.#status !== undefined) return;
    this.#failure ??= failure;
    this.#call.cancelWithStatus(status.CANCELLED, "Cancelled on client");
  }

  /**
   * Ends the request, which cancels. What still comes is read and dropped. The caller of a unary call is
   * rejected only then: the share of its account must not end before the work does. The reader of a stream
   * is rejected at once.
   */
  readonly #leave = (): void => {
    this.#failure ??= this.#reason();
    if (this.#isStream) this.#settle();
    this.#call.halfClose();
    this.#call.startRead();
  };

  #reason(): ConnectError {
    return ConnectError.from(this.#signal.reason, Code.Canceled);
  }

  #listener(): InterceptingListener {
    return {
      onReceiveMetadata: (metadata) => fillHeaders(this.header, metadata),
      onReceiveMessage: (message: Buffer) => this.#onMessage(message),
      onReceiveStatus: (received) => {
        if (this.#status !== undefined) return;
        this.#status = received;
        this.#signal.removeEventListener("abort", this.#leave);
        fillHeaders(this.trailer, received.metadata);
        this.#settle();
      },
    };
  }

  #onMessage(buffer: Buffer): void {
    if (this.#failure !== undefined) return this.#call.startRead();
    try {
      // A plain view: `bytes` fields are Uint8Array, not Buffer.
      const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
      this.#waiting?.resolve(fromBinary(this.#output, bytes));
      this.#waiting = undefined;
    } catch (error) {
      this.#cancel(
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
    if (this.#waiting === undefined) return;
    const failure = this.#failure ?? (this.#status && errorOfStatus(this.#status));
    if (failure === undefined) this.#waiting.resolve(undefined);
    else this.#waiting.reject(failure);
    this.#waiting = undefined;
  }
}
