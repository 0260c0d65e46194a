// One span per call on either end, and the W3C `traceparent` header between them, for calls of requests that
// are recorded. Called by stacks.ts. For all others, and while tracing is off, it does nothing. A span must
// never contain a message.

import { activeSpan, failSpan, inTrace, isSampled, startChild } from "@annals/chassis";
import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type TextMapGetter,
  type TextMapSetter,
  trace,
} from "@opentelemetry/api";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import {
  type CallHooks,
  type CallRequest,
  followCall,
  statusName,
  verbNoun,
} from "./follow-call.ts";

/** For a server, outermost: handlers run inside the span, as a child of the caller's. */
export function serverTracing(): Interceptor {
  return (next) => (request) => {
    const parent = trace.getSpan(propagation.extract(ROOT_CONTEXT, request.header, readHeader));
    if (!parent || !isSampled(parent.spanContext())) return next(request);
    return followCall(next, request, spanHooks(SpanKind.SERVER, request, parent));
  };
}

/** For a client, outermost: the span covers retries, and its id is sent to the server. */
export function clientTracing(): Interceptor {
  return (next) => (request) => {
    const parent = activeSpan();
    if (!parent) return next(request);
    const hooks = spanHooks(SpanKind.CLIENT, request, parent);
    hooks.inside(() => propagation.inject(context.active(), request.header, writeHeader));
    return followCall(next, request, hooks);
  };
}

function spanHooks(kind: SpanKind, request: CallRequest, parent: Span): Required<CallHooks> {
  const attributes = {
    "rpc.system": "grpc",
    "rpc.service": request.service.typeName,
    "rpc.method": verbNoun(request.method),
  };
  const span = startChild(attributes["rpc.method"], parent, { kind, attributes });
  return {
    inside: (work) => inTrace(span, work),
    succeeded: () => end(span, kind),
    failed(error) {
      end(span, kind, error);
      return error;
    },
  };
}

function end(span: Span, kind: SpanKind, error?: unknown): void {
  const status = statusName(error);
  span.setAttribute("rpc.response.status_code", status);
  if (error !== undefined && isSpanError(kind, error)) {
    failSpan(span, status);
  }
  span.end();
}

/**
 * For a client every failure is an error; for a server most are results (OpenTelemetry's gRPC conventions).
 */
function isSpanError(kind: SpanKind, error: unknown): boolean {
  if (kind === SpanKind.CLIENT) return true;
  switch (ConnectError.from(error).code) {
    case Code.Unknown:
    case Code.DeadlineExceeded:
    case Code.Unimplemented:
    case Code.Internal:
    case Code.Unavailable:
    case Code.DataLoss:
      return true;
    default:
      return false;
  }
}

const readHeader: TextMapGetter<Headers> = {
  get: (header, name) => header.get(name) ?? undefined,
  keys: (header) => [...header.keys()],
};

const writeHeader: TextMapSetter<Headers> = {
  set: (header, name, value) => header.set(name, value),
};
