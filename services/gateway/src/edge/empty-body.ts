// Takes requests of routes that need no body, and looks at the bytes and not at the headers: no bytes and
// `{}` are the same as no body, in whatever framing they come. Called by register-routes.ts and where a route
// is registered by hand. It must never wait for a body while its request holds a slot that others without a
// key could use.

import { invalid } from "@annals/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { isJsonType } from "./json-body.ts";
import type { RequestsInFlight } from "./requests-in-flight.ts";

/** `{}`, with space around it. */
const MAX_BYTES = 64;
const EMPTY = /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/;

type Reading = Pick<RequestsInFlight, "readBody" | "responded">;
type Next = (error?: Error) => void;
type Hook = (request: FastifyRequest, reply: FastifyReply, next: Next) => void;

/** A hook before a route that takes no body: any other body is refused as soon as that is known. */
export function takeNoBody(inFlight: Reading): Hook {
  return (request, reply, next) => readEmpty(request, reply, { inFlight, refusal: noBody }, next);
}

/**
 * A hook before a route whose body may be absent. A body of JSON is left to the route. Another one may only
 * be empty: forms of no fields are sent so.
 */
export function takeAbsentBody(inFlight: Reading): Hook {
  return (request, reply, next) => {
    if (hasBody(request.raw) && isJsonType(request.headers["content-type"])) next();
    else readEmpty(request, reply, { inFlight, refusal: otherType }, next);
  };
}

/** Whether a body may follow. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function readEmpty(
  request: FastifyRequest,
  reply: FastifyReply,
  { inFlight, refusal }: { readonly inFlight: Reading; readonly refusal: () => Error },
  next: Next,
): void {
  const { admission, raw } = request;
  if (!hasBody(raw)) {
    forget(raw);
    next();
    return;
  }
  if (Number(raw.headers["content-length"] ?? 0) > MAX_BYTES) {
    next(refusal());
    return;
  }
  const pieces: Buffer[] = [];
  let size = 0;
  const end = (error?: Error): void => {
    raw.off("data", onData).off("end", onEnd).off("error", end);
    if (error === undefined) forget(raw);
    next(error);
  };
  const onData = (piece: Buffer): void => {
    size += piece.length;
    pieces.push(piece);
    if (size > MAX_BYTES) end(refusal());
  };
  const onEnd = (): void => {
    const { headers } = raw;
    const isPlain =
      headers["content-encoding"] === undefined && isJsonType(headers["content-type"]);
    const isEmpty = size === 0 || (isPlain && EMPTY.test(Buffer.concat(pieces).toString("latin1")));
    end(isEmpty ? undefined : refusal());
  };
  raw.on("data", onData).on("end", onEnd).on("error", end);
  try {
    if (admission) inFlight.readBody(raw, admission.accountId);
    // It keeps its connection alone until its body has arrived.
    else {
      inFlight.responded(raw);
      if (raw.headers.expect !== undefined) reply.raw.writeContinue();
    }
  } catch (error) {
    end(error as Error);
  }
}

/** Nothing is left to be read. */
function forget({ headers }: IncomingMessage): void {
  delete headers["content-length"];
  delete headers["content-type"];
  delete headers["transfer-encoding"];
}

const noBody = () => invalid({ field: "", message: "This operation does not accept a body." });
const otherType = () => invalid({ field: "Content-Type", message: "must be application/json" });
