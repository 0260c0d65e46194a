// The unary methods of a server by path, each behind its interceptors. Called by server.ts, once. The
// handlers are those that connect-node has: none is created a second time.

import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  isMessage,
} from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createContextKey,
  type HandlerContext,
  type Interceptor,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { unaryChain, type UnaryNext } from "../interceptors/unary-chain.ts";

type Handler = (message: unknown, context: HandlerContext) => unknown;

export interface UnaryMethod {
  readonly method: DescMethodUnary;
  /** The handler inside its interceptors. */
  readonly run: UnaryNext;
}

export type UnaryMethods = ReadonlyMap<string, UnaryMethod>;

/** Milliseconds until the deadline, passed through the interceptors to the handler. */
export const TIME_LEFT = createContextKey<() => number | undefined>(() => undefined);

/** Calls `routes` with a router that only records what is registered. */
export function unaryMethods(
  routes: (router: ConnectRouter) => void,
  /** Outermost first. */
  interceptors: readonly Interceptor[],
): UnaryMethods {
  const methods = new Map<string, UnaryMethod>();
  const recorder: ConnectRouter = {
    handlers: [],
    service(service, implementation) {
      const handlers = implementation as Readonly<Record<string, Handler | undefined>>;
      for (const method of service.methods) {
        const handler = handlers[method.localName]?.bind(implementation);
        if (!isUnary(method) || !handler) continue;
        const run = unaryChain(interceptors, (request) => handle(method, handler, request));
        methods.set(`/${service.typeName}/${method.name}`, { method, run });
      }
      return recorder;
    },
    rpc() {
      throw new Error("register services, not single methods");
    },
  };
  routes(recorder);
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
