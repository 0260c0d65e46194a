// The unary methods of a server, each behind its interceptors, and one call of one of them. Called by
// grpc-unary.ts and carry-calls-server.ts, which differ in how a call comes and how its answer goes. A call
// whose caller has gone, or whose deadline has passed, must know it by its signal.

import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  isMessage,
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
import { readMessage } from "./grpc-frame.ts";
import { unaryChain, type UnaryNext } from "../interceptors/unary-chain.ts";

type Handler = (message: unknown, context: HandlerContext) => unknown;

export interface UnaryMethod {
  readonly method: DescMethodUnary;
  /** The interceptors, with the handler inside. */
  readonly run: UnaryNext;
}

/** By path. */
export type UnaryMethods = ReadonlyMap<string, UnaryMethod>;

/** Milliseconds until the call's deadline, on its way through the interceptors to the handler. */
const TIME_LEFT = createContextKey<() => number | undefined>(() => undefined);

/** What the services' own routes say is asked once, with a router that only listens. */
export function unaryMethods(
  routes: (router: ConnectRouter) => void,
  /** Outermost first. */
  interceptors: readonly Interceptor[],
): UnaryMethods {
  const methods = new Map<string, UnaryMethod>();
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

export interface ServedCallOptions {
  readonly method: UnaryMethod;
  readonly url: string;
  readonly header: Headers;
  /** Undefined for a call without a deadline. */
  readonly timeoutMs: number | undefined;
  /** Called before the handler's signal says so. */
  readonly onDeadline?: (error: ConnectError) => void;
}

/** One call, from its begin to its answer. */
export class ServedCall {
  readonly #options: ServedCallOptions;
  readonly #gone = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  /** On the clock of `performance.now()`. */
  readonly #deadline: number | undefined;

  constructor(options: ServedCallOptions) {
    const { timeoutMs } = options;
    this.#options = options;
    if (timeoutMs === undefined) return;
    this.#timer = setTimeout(this.#onDeadline, timeoutMs);
    this.#deadline = performance.now() + timeoutMs;
  }

  /** Runs the method; rejects with what the interceptors make of its failure. */
  async run(message: Uint8Array): Promise<UnaryResponse> {
    const { header, url } = this.#options;
    const { method, run } = this.#options.method;
    return run({
      stream: false,
      service: method.parent,
      method,
      requestMethod: "POST",
      url,
      signal: this.#gone.signal,
      header,
      contextValues: createContextValues().set(TIME_LEFT, this.#timeLeft),
      message: readMessage(method.input, message),
    });
  }

  /** Answered. Every call is, or its caller leaves. */
  end(): void {
    clearTimeout(this.#timer);
  }

  callerLeft(): void {
    this.end();
    this.#gone.abort(new ConnectError("the caller left", Code.Canceled));
  }

  readonly #onDeadline = (): void => {
    const error = new ConnectError("the operation timed out", Code.DeadlineExceeded);
    this.#options.onDeadline?.(error);
    this.#gone.abort(error);
  };

  readonly #timeLeft = (): number | undefined =>
    this.#deadline === undefined ? undefined : this.#deadline - performance.now();
}
