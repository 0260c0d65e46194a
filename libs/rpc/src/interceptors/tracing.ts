// One span per call on either end, and the W3C `traceparent` header between them. Called by stacks.ts. It
// uses the OpenTelemetry API only: while no SDK is started (tracing.ts of chassis) every step is a no-op. A
// span must never contain a message.

import {
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
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

const TRACER_NAME = "annals.rpc";

/** For a server, outermost: handlers run inside the span, as a child of the caller's. */
export function serverTracing(): Interceptor {
  return (next) => (request) => {
    const parent = propagation.extract(context.active(), request.header, readHeader);
    return followCall(next, request, spanHooks(SpanKind.SERVER, request, parent));
  };
}

/** For a client, outermost: the span covers retries, and its id is sent to the server. */
export function clientTracing(): Interceptor {
  return (next) => (request) => {
    const hooks = spanHooks(SpanKind.CLIENT, request, context.active());
    hooks.inside(() => propagation.inject(context.active(), request.header, writeHeader));
    return followCall(next, request, hooks);
  };
}

function spanHooks(kind: SpanKind, request: CallRequest, parent: Context): Required<CallHooks> {
  const attributes = {
    "rpc.system": "grpc",
    "rpc.service": request.service.typeName,
    "rpc.method": verbNoun(request.method),
  };
  const span = trace
    .getTracer(TRACER_NAME)
    .startSpan(attributes["rpc.method"], { kind, attributes }, parent);
  const spanContext = trace.setSpan(parent, span);
  return {
    inside: (work) => context.with(spanContext, work),
    succeeded: () => end(span, kind),
    failed(error) {
      end(span, kind, error);
      return error;
    },
  };
}

function end(span: Span, kind: SpanKind, error?: unknown): void {
  if (span.isRecording()) {
    span.setAttribute("rpc.response.status_code", statusName(error));
    if (error !== undefined && isSpanError(kind, error))
      span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/**
 * For a client every failure is an error; for a server most are answers (OpenTelemetry's gRPC conventions).
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
