// The short way for gRPC's unary calls: answered straight from the HTTP/2 stream, through the same
// interceptors and handlers as every other call. Called by rpc-server.ts, which gives all else to
// connect-node. It must leave alone whatever it does not know to the letter: another protocol, a
// compressed message, a timeout out of bounds.
//
// Ours, and not connect-node's handler, for time: this takes a third of the processor
// (docs/performance.md).

import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type UnaryResponse } from "@connectrpc/connect";
import { parseTimeout, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { framed, FrameReader } from "./grpc-frame.ts";
import { ServedCall, type UnaryMethod, type UnaryMethods } from "./unary-methods.ts";

export interface UnaryCallsOptions {
  readonly methods: UnaryMethods;
  /** A larger message is refused with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes: number;
  readonly maxTimeoutMs: number;
  /** Called for a stream that is answered before its request was read to the end. */
  readonly endEarly: (stream: ServerHttp2Stream) => void;
}

/** Answers what a stream asks and says true, or leaves it untouched and says false. */
export type AnswerStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => boolean;

const CONTENT_TYPES: ReadonlySet<unknown> = new Set(["application/grpc", "application/grpc+proto"]);

export function answerUnaryCalls(options: UnaryCallsOptions): AnswerStream {
  return (stream, headers) => {
    const method = options.methods.get(headers[":path"] ?? "");
    const { timeoutMs, error } = parseTimeout(timeoutOf(headers), options.maxTimeoutMs);
    if (!method || error !== undefined || !isPlainGrpc(headers)) return false;
    new UnaryCall(stream, { headers, method, timeoutMs }, options).begin();
    return true;
  };
}

/** gRPC with messages in binary, none of them compressed. */
export function isPlainGrpc(headers: IncomingHttpHeaders): boolean {
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

interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly method: UnaryMethod;
  readonly timeoutMs: number | undefined;
}

class UnaryCall {
  readonly #stream: ServerHttp2Stream;
  readonly #options: UnaryCallsOptions;
  readonly #asked: Asked;
  readonly #frames: FrameReader;
  readonly #call: ServedCall;
  #message: Uint8Array | undefined;
  #isAnswered = false;

  constructor(stream: ServerHttp2Stream, asked: Asked, options: UnaryCallsOptions) {
    const { headers, method, timeoutMs } = asked;
    this.#stream = stream;
    this.#options = options;
    this.#asked = asked;
    this.#frames = new FrameReader(options.maxMessageBytes);
    this.#call = new ServedCall({
      method,
      url: `http://${headers[":authority"] ?? "localhost"}${headers[":path"] ?? ""}`,
      header: headersOf(headers),
      timeoutMs,
      onDeadline: (error) => this.#fail(error),
    });
  }

  begin(): void {
    const stream = this.#stream;
    stream.on("data", this.#onData);
    stream.on("end", this.#onEnd);
    stream.on("close", this.#onClose);
    // The close that follows says all; without a listener the peer's fault would end the process.
    stream.on("error", () => {});
  }

  readonly #onData = (piece: Buffer): void => {
    try {
      for (const message of this.#frames.read(piece)) {
        if (this.#message !== undefined) throw notOneMessage();
        this.#message = message;
      }
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #onEnd = (): void => {
    if (!this.#isAnswered) void this.#answer();
  };

  readonly #onClose = (): void => {
    if (!this.#isAnswered) this.#call.callerLeft();
    this.#isAnswered = true;
  };

  async #answer(): Promise<void> {
    try {
      if (!this.#message || this.#frames.isWithinMessage) throw notOneMessage();
      const response = await this.#call.run(this.#message);
      this.#send(framed(toBinary(this.#asked.method.method.output, response.message)), response);
    } catch (error) {
      this.#fail(error);
    }
  }

  #send(body: Buffer, { header, trailer }: UnaryResponse): void {
    if (!this.#isOpen()) return;
    const head = { ...Object.fromEntries(header), ":status": 200, "content-type": this.#type() };
    const trailers = { ...Object.fromEntries(trailer), "grpc-status": "0" };
    this.#stream.respond(head, { waitForTrailers: true });
    this.#stream.once("wantTrailers", () => this.#stream.sendTrailers(trailers));
    this.#stream.end(body);
  }

  #fail(error: unknown): void {
    if (!this.#isOpen()) return;
    const head: OutgoingHttpHeaders = {
      ...statusOf(error),
      ":status": 200,
      "content-type": this.#type(),
    };
    if (!this.#stream.readableEnded) {
      this.#stream.off("data", this.#onData);
      this.#options.endEarly(this.#stream);
    }
    this.#stream.respond(head, { endStream: true });
  }

  /** True once: from then on the call is answered. */
  #isOpen(): boolean {
    const isOpen = !this.#isAnswered && !this.#stream.destroyed && !this.#stream.closed;
    this.#isAnswered = true;
    this.#call.end();
    return isOpen;
  }

  #type(): string {
    return this.#asked.headers["content-type"] ?? "application/grpc";
  }
}

/**
 * gRPC's trailers. Only an error of Connect tells the caller anything: the interceptors have made each one.
 */
export function statusOf(error: unknown): Record<string, string> {
  const known =
    error instanceof ConnectError ? error : new ConnectError("internal error", Code.Internal);
  return Object.fromEntries(setTrailerStatus(new Headers(), known));
}

function notOneMessage(): ConnectError {
  return new ConnectError("a unary call carries one whole message", Code.InvalidArgument);
}

function headersOf(headers: IncomingHttpHeaders): Headers {
  const header = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) header.append(name, one);
  }
  return header;
}
