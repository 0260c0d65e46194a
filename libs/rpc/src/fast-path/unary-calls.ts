// Serves unary gRPC calls straight from the HTTP/2 stream, through the same interceptors and handlers as
// connect-node. Called by server.ts, which gives every other call to connect-node. It must leave any request
// untouched that it does not fully understand: another protocol, a compressed message, an invalid timeout.
// README.md says what it gains, and how to delete it.

import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ContextValues,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { parseTimeout, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { cancelled, isCancellable } from "../cancellable.ts";
import { frame, MessageReader } from "./message-frame.ts";
import { TIME_LEFT, type UnaryMethod, type UnaryMethods } from "./unary-methods.ts";

export interface UnaryCallsOptions {
  readonly methods: UnaryMethods;
  /** A larger message is refused with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes: number;
  readonly maxTimeoutMs: number;
  /** What a call begins with: its caller. */
  readonly contextValues: (stream: ServerHttp2Stream) => ContextValues;
  /** Called for a stream whose response is sent before its request was read to the end. */
  readonly closeAfterResponse: (stream: ServerHttp2Stream) => void;
}

/** Takes over the stream and returns true, or leaves it untouched and returns false. */
export type ServeStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => boolean;

const CONTENT_TYPES: ReadonlySet<unknown> = new Set(["application/grpc", "application/grpc+proto"]);

export function serveUnaryCalls(options: UnaryCallsOptions): ServeStream {
  return (stream, headers) => {
    const method = options.methods.get(headers[":path"] ?? "");
    const { timeoutMs, error } = parseTimeout(timeoutOf(headers), options.maxTimeoutMs);
    if (!method || error !== undefined || !isPlainGrpc(headers)) return false;
    new UnaryCall(stream, { headers, method, timeoutMs }, options).start();
    return true;
  };
}

/** gRPC with messages in binary, not compressed. */
function isPlainGrpc(headers: IncomingHttpHeaders): boolean {
  return (
    headers[":method"] === "POST" &&
    CONTENT_TYPES.has(headers["content-type"]) &&
    (headers["grpc-encoding"] ?? "identity") === "identity"
  );
}

function timeoutOf(headers: IncomingHttpHeaders): string | null {
  const value = headers["grpc-timeout"];
  return typeof value === "string" ? value : null;
}

interface CallRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method: UnaryMethod;
  /** Undefined for a call without a deadline. */
  readonly timeoutMs: number | undefined;
}

class UnaryCall {
  readonly #stream: ServerHttp2Stream;
  readonly #options: UnaryCallsOptions;
  readonly #request: CallRequest;
  readonly #reader: MessageReader;
  /** The call begins with its message, and not with the end of the request. */
  readonly #isCancellable: boolean;
  readonly #cancellation = new AbortController();
  #deadlineTimer: NodeJS.Timeout | undefined;
  #hasResponse = false;

  constructor(stream: ServerHttp2Stream, request: CallRequest, options: UnaryCallsOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#request = request;
    this.#reader = new MessageReader(options.maxMessageBytes);
    this.#isCancellable = isCancellable(request.headers);
  }

  start(): void {
    const stream = this.#stream;
    const { timeoutMs } = this.#request;
    if (timeoutMs !== undefined) this.#deadlineTimer = setTimeout(this.#onDeadline, timeoutMs);
    stream.on("data", this.#onData);
    stream.on("end", this.#onEnd);
    stream.on("close", this.#onClose);
    // "close" follows and is handled; without a listener a client's error would end the process.
    stream.on("error", () => {});
  }

  readonly #onData = (piece: Buffer): void => {
    try {
      this.#reader.add(piece);
      if (this.#isCancellable && this.#reader.isWhole) void this.#respond();
    } catch (error) {
      this.#fail(error);
    }
  };

  /**
   * Leaves out a call that was cancelled together with its request: its connection is no longer known. A
   * cancelled call gets its response when its handler has ended, so that it takes as long as its work.
   */
  readonly #onEnd = (): void => {
    if (this.#hasResponse || this.#stream.destroyed) return;
    if (!this.#isCancellable) void this.#respond();
    else if (this.#reader.isWhole) this.#cancellation.abort(cancelled());
    else this.#fail(cancelled());
  };

  readonly #onClose = (): void => {
    if (this.#hasResponse) return;
    this.#finish();
    this.#cancellation.abort(cancelled());
  };

  readonly #onDeadline = (): void => {
    this.#end(new ConnectError("the operation timed out", Code.DeadlineExceeded));
  };

  /** Responds at once, and ends the handler. */
  #end(error: ConnectError): void {
    this.#fail(error);
    this.#cancellation.abort(error);
  }

  async #respond(): Promise<void> {
    try {
      const { method, run } = this.#request.method;
      const response = await run(this.#unaryRequest());
      this.#send(frame(toBinary(method.output, response.message)), response);
    } catch (error) {
      this.#fail(error);
    }
  }

  #unaryRequest(): UnaryRequest {
    const { headers, method, timeoutMs } = this.#request;
    const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    const timeLeft = () => (deadline === undefined ? undefined : deadline - performance.now());
    return {
      stream: false,
      service: method.method.parent,
      method: method.method,
      requestMethod: "POST",
      url: `http://${headers[":authority"] ?? "localhost"}${headers[":path"] ?? ""}`,
      signal: this.#cancellation.signal,
      header: webHeaders(headers),
      contextValues: this.#options.contextValues(this.#stream).set(TIME_LEFT, timeLeft),
      message: decode(method, this.#reader.message()),
    };
  }

  #send(body: Buffer, { header, trailer }: UnaryResponse): void {
    if (!this.#finish()) return;
    const head = { ...Object.fromEntries(header), ":status": 200, "content-type": this.#type() };
    const trailers = { ...Object.fromEntries(trailer), "grpc-status": "0" };
    this.#stream.respond(head, { waitForTrailers: true });
    this.#stream.once("wantTrailers", () => this.#stream.sendTrailers(trailers));
    this.#stream.end(body);
  }

  #fail(error: unknown): void {
    if (!this.#finish()) return;
    const head: OutgoingHttpHeaders = {
      ...statusOf(error),
      ":status": 200,
      "content-type": this.#type(),
    };
    if (!this.#stream.readableEnded && !(this.#isCancellable && this.#reader.isWhole)) {
      this.#stream.off("data", this.#onData);
      this.#options.closeAfterResponse(this.#stream);
    }
    this.#stream.respond(head, { endStream: true });
  }

  /** True once, and only while a response can still be sent. */
  #finish(): boolean {
    const canRespond = !this.#hasResponse && !this.#stream.destroyed && !this.#stream.closed;
    this.#hasResponse = true;
    clearTimeout(this.#deadlineTimer);
    return canRespond;
  }

  #type(): string {
    return this.#request.headers["content-type"] ?? "application/grpc";
  }
}

function decode({ method }: UnaryMethod, bytes: Uint8Array): MessageShape<typeof method.input> {
  try {
    return fromBinary(method.input, bytes);
  } catch {
    throw new ConnectError("the message cannot be decoded", Code.InvalidArgument);
  }
}

/**
 * The gRPC trailers of a failure. Only a ConnectError has public text: the interceptors made each one.
 */
function statusOf(error: unknown): Record<string, string> {
  const known =
    error instanceof ConnectError ? error : new ConnectError("internal error", Code.Internal);
  return Object.fromEntries(setTrailerStatus(new Headers(), known));
}

function webHeaders(headers: IncomingHttpHeaders): Headers {
  const header = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) header.append(name, one);
  }
  return header;
}
