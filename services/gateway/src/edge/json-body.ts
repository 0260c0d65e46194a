// Reads JSON bodies strictly (docs/hash-chain.md). Called by app.ts. What cannot be stored faithfully is
// refused with its path, before the schema is checked.

import { readJson } from "@annals/event";
import { invalid } from "@annals/errors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Limits } from "../config.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How deep the body of the route may nest. */
    maxDepth?: number;
    /** Members and elements that the body of the route may have. */
    maxValues?: number;
  }
}

/** Of bodies that are not events. */
const MAX_DEPTH = 16;

/**
 * From this size on a body is handled in a later turn of the event loop than the one that parsed it. Each
 * takes tens of milliseconds, and other requests run in between.
 */
const LARGE_BODY_BYTES = 256 * 1024;

export function readJsonBodies(
  app: FastifyInstance,
  { bodyMaxValues }: Pick<Limits, "bodyMaxValues">,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    (
      request: FastifyRequest,
      body: Buffer,
      done: (error: Error | null, value?: unknown) => void,
    ) => {
      try {
        checkCoding(request);
        const { maxDepth = MAX_DEPTH, maxValues = bodyMaxValues } = request.routeOptions.config;
        const value = body.length === 0 ? undefined : readJson(body, { maxDepth, maxValues });
        if (body.length < LARGE_BODY_BYTES) done(null, value);
        else setImmediate(done, null, value);
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

const UTF8 = /^[^;]*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

/** JSON between systems is UTF-8 (RFC 8259). Throws `invalid`. */
function checkCoding({ headers }: FastifyRequest): void {
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw invalid({ field: "Content-Encoding", message: "must be identity, or be left out" });
  }
  if (!UTF8.test(headers["content-type"] ?? "")) {
    throw invalid({ field: "Content-Type", message: "must be application/json in UTF-8" });
  }
}
