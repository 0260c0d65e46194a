// Answers requests that failed, and paths that do not exist. Called by app.ts. What is refused before its body
// was read gives its slot back at once. It must never log a line for every request of a flood.

import type { Logger } from "@annals/chassis";
import { AnnalsError } from "@annals/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errorAnswer } from "../errors.ts";
import { BoundedLog } from "./bounded-log.ts";
import { type EarlyAnswers, hasUnreadBody } from "./early-answer.ts";
import type { RequestsInFlight } from "./requests-in-flight.ts";

export interface ErrorAnswerOptions {
  readonly log: Logger;
  readonly inFlight: Pick<RequestsInFlight, "release">;
  readonly earlyAnswers: EarlyAnswers;
}

export type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

export function errorAnswers({ log, inFlight, earlyAnswers }: ErrorAnswerOptions): AnswerError {
  const bounded = new BoundedLog(log);
  return (error, request, reply) => {
    const { raw } = request;
    const { status, headers, body, unexpected } = errorAnswer(error, request.id);
    const fields = { request_id: request.id };
    if (raw.readableAborted)
      bounded.write("info", fields, "client disconnected before its body arrived");
    else if (unexpected) log.error({ err: error, ...fields }, "request failed");
    else if (status >= 500)
      bounded.write("warn", { err: error, ...fields }, "request could not be served");
    const text = JSON.stringify(body);
    void reply
      .code(status)
      .headers(headers)
      .header("content-length", Buffer.byteLength(text))
      .type("application/json; charset=utf-8");
    if (error instanceof AnnalsError && error.kind === "rate_limited")
      void reply.header("x-ratelimit-remaining", 0);
    const send = () => {
      if (!hasUnreadBody(raw)) return void reply.send(text);
      inFlight.release(raw);
      void reply.header("connection", "close").send(earlyAnswers.stream(text, raw));
    };
    // The parser hands over a body that came with the head in the same turn of the event loop.
    if (hasUnreadBody(raw)) setImmediate(send);
    else send();
  };
}

/** Before the body is read: an unknown path is a 404 whatever the body is. */
export function refuseUnknown(
  request: FastifyRequest,
  _reply: FastifyReply,
  next: (error?: Error) => void,
): void {
  next(request.is404 ? unknownPath(request) : undefined);
}

export async function notFound(request: FastifyRequest): Promise<never> {
  throw unknownPath(request);
}

function unknownPath({ method, url }: FastifyRequest): AnnalsError {
  const path = url.split("?")[0]?.slice(0, 200) ?? "";
  return new AnnalsError("not_found", `There is no ${method} ${path}.`);
}
