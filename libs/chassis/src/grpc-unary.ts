// The short way for gRPC's unary calls: answered straight from the HTTP/2 stream, through the same
// interceptors and handlers as every other call. Called by rpc-server.ts, which gives all else to
// connect-node. It must leave alone whatever it does not know to the letter: another protocol, a
// compressed message, a timeout out of bounds.
//
// Ours, and not connect-node's handler, for time: an append crosses two of these calls, and this
// takes a third of the processor (docs/performance.md).

import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  isMessage,
  toBinary,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { parseTimeout, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { announcedBytes, framed, messageIn, PREFIX_BYTES } from "./grpc-frame.ts";
import { unaryChain, type UnaryNext } from "./interceptors/unary-chain.ts";

type Handler = (message: unknown, context: HandlerContext) => unknown;

interface Method {
  readonly method: DescMethodUnary;
  /** The interceptors, with the handler inside. */
  readonly run: UnaryNext;
}

export interface UnaryCallsOptions {
  readonly routes: (router: ConnectRouter) => void;
  /** Outermost first. */
  readonly interceptors: readonly Interceptor[];
  /** A larger message is refused with RESOURCE_EXHAUSTED. */
  readonly maxMessageBytes: number;
  readonly maxTimeoutMs: number;
  /** Called for a stream that is answered before its request was read to the end. */
  readonly endEarly: (stream: ServerHttp2Stream) => void;
}

/** Answers the call of a stream and says true, or leaves it untouched and says false. */
export type AnswerUnaryCall = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => boolean;

const CONTENT_TYPES: ReadonlySet<unknown> = new Set(["application/grpc", "application/grpc+proto"]);

/** Milliseconds until the call's deadline, on its way through the interceptors to the handler. */
const TIME_LEFT = createContextKey<() => number | undefined>(() => undefined);

export function answerUnaryCalls(options: UnaryCallsOptions): AnswerUnaryCall {
  const methods = unaryMethods(options);
  return (stream, headers) => {
    const found = methods.get(headers[":path"] ?? "");
    const { timeoutMs, error } = parseTimeout(timeoutOf(headers), options.maxTimeoutMs);
    const isPlain = (headers["grpc-encoding"] ?? "identity") === "identity";
    const isKnown = found && isPlain && error === undefined && headers[":method"] === "POST";
    if (!isKnown || !CONTENT_TYPES.has(headers["content-type"])) return false;
    new UnaryCall(stream, headers, found, options).begin(timeoutMs);
    return true;
  };
}

function timeoutOf(headers: IncomingHttpHeaders): string | null {
  const value = headers["grpc-timeout"];
  return typeof value === "string" ? value : null;
}

/** By path. What the services' own routes say is asked once, with a router that only listens. */
function unaryMethods({ routes, interceptors }: UnaryCallsOptions): Map<string, Method> {
  const methods = new Map<string, Method>();
  const add = (method: DescMethod, handler: Handler | undefined): void => {
    if (!isUnary(method) || handler === undefined) return;
    const run = unaryChain(interceptors, (request) => handle(method, handler, request));
    methods.set(`/${method.parent.typeName}/${method.name}`, { method, run });
  };
  const listening: ConnectRouter = {
    handlers: [],
    service(service, implementation) {
      const handlers = implementation as Readonly<Record<string, Handler | undefined>>;
      for (const method of service.methods) {
        add(method, handlers[method.localName]?.bind(implementation));
      }
      return listening;
    },
    rpc(method, handler) {
      add(method, handler as Handler);
      return listening;
    },
  };
  routes(listening);
  return methods;
}

function isUnary(method: DescMethod): method is DescMethod & DescMethodUnary {
  return method.methodKind === "unary";
}

async function handle<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  handler: Handler,
  request: UnaryRequest,
): Promise<UnaryResponse> {
  const { header, service, signal, url, requestMethod, contextValues: values } = request;
  const context: HandlerContext = {
    method,
    service,
    signal,
    url,
    requestMethod,
    requestHeader: header,
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    protocolName: "grpc",
    timeoutMs: values.get(TIME_LEFT),
    values,
  };
  const output = await handler(request.message, context);
  const message = isMessage(output, method.output)
    ? output
    : create(method.output, output as Parameters<typeof create<O>>[1]);
  const { responseHeader, responseTrailer } = context;
  return {
    stream: false,
    service,
    method,
    message,
    header: responseHeader,
    trailer: responseTrailer,
  };
}

class UnaryCall {
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #method: Method;
  readonly #options: UnaryCallsOptions;
  readonly #gone = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** On the clock of `performance.now()`. */
  #deadline: number | undefined;
  #isAnswered = false;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Bytes that the message shall have, once that is known. */
  #announced: number | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    method: Method,
    options: UnaryCallsOptions,
  ) {
    this.#stream = stream;
    this.#headers = headers;
    this.#method = method;
    this.#options = options;
  }

  begin(timeoutMs: number | undefined): void {
    const stream = this.#stream;
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(this.#onDeadline, timeoutMs);
      this.#deadline = performance.now() + timeoutMs;
    }
    stream.on("data", this.#onData);
    stream.on("end", this.#onEnd);
    stream.on("close", this.#onClose);
    // The close that follows says all; without a listener the peer's fault would end the process.
    stream.on("error", () => {});
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Once: a large message comes in hundreds of pieces, and putting them together again for each would copy
    // it as often.
    if (this.#bytes >= PREFIX_BYTES) this.#announced ??= announcedBytes(this.#read());
    const { maxMessageBytes } = this.#options;
    if (Math.max(this.#announced ?? 0, this.#bytes - PREFIX_BYTES) <= maxMessageBytes) return;
    this.#fail(
      new ConnectError(
        `the message is larger than ${maxMessageBytes} bytes`,
        Code.ResourceExhausted,
      ),
    );
  };

  /** What has come so far, in one piece. */
  #read(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }

  readonly #onEnd = (): void => {
    if (!this.#isAnswered) void this.#answer();
  };

  readonly #onClose = (): void => {
    clearTimeout(this.#timer);
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      this.#gone.abort(new ConnectError("the caller left", Code.Canceled));
    }
  };

  readonly #onDeadline = (): void => {
    const error = new ConnectError("the operation timed out", Code.DeadlineExceeded);
    this.#fail(error);
    this.#gone.abort(error);
  };

  async #answer(): Promise<void> {
    try {
      const { method, run } = this.#method;
      const response = await run({
        stream: false,
        service: method.parent,
        method,
        requestMethod: "POST",
        url: `http://${this.#headers[":authority"] ?? "localhost"}${this.#headers[":path"] ?? ""}`,
        signal: this.#gone.signal,
        header: headersOf(this.#headers),
        contextValues: createContextValues().set(TIME_LEFT, this.#timeLeft),
        message: messageIn(this.#read(), method.input),
      });
      this.#send(framed(toBinary(method.output, response.message)), response);
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly #timeLeft = (): number | undefined =>
    this.#deadline === undefined ? undefined : this.#deadline - performance.now();

  #send(body: Buffer, { header, trailer }: UnaryResponse): void {
    if (!this.#isOpen()) return;
    const head = { ...Object.fromEntries(header), ":status": 200, "content-type": this.#type() };
    const trailers = { ...Object.fromEntries(trailer), "grpc-status": "0" };
    this.#stream.respond(head, { waitForTrailers: true });
    this.#stream.once("wantTrailers", () => this.#stream.sendTrailers(trailers));
    this.#stream.end(body);
  }

  /** Only an error of Connect tells the caller anything; the interceptors have made each into one. */
  #fail(error: unknown): void {
    if (!this.#isOpen()) return;
    const known =
      error instanceof ConnectError ? error : new ConnectError("internal error", Code.Internal);
    const status = Object.fromEntries(setTrailerStatus(new Headers(), known));
    const head: OutgoingHttpHeaders = { ...status, ":status": 200, "content-type": this.#type() };
    if (!this.#stream.readableEnded) {
      this.#stream.off("data", this.#onData);
      this.#chunks = [];
      this.#options.endEarly(this.#stream);
    }
    this.#stream.respond(head, { endStream: true });
  }

  /** True once: from then on the call is answered. */
  #isOpen(): boolean {
    const isOpen = !this.#isAnswered && !this.#stream.destroyed && !this.#stream.closed;
    this.#isAnswered = true;
    clearTimeout(this.#timer);
    return isOpen;
  }

  #type(): string {
    return this.#headers["content-type"] ?? "application/grpc";
  }
}

function headersOf(headers: IncomingHttpHeaders): Headers {
  const header = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) header.append(name, one);
  }
  return header;
}
