// Reads JSON bodies strictly (docs/hash-chain.md): what cannot be stored faithfully is refused with its place, before
// anything looks at it.

import { readJson } from "@annals/chain";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How deep the body of the route may nest. */
    maxDepth?: number;
  }
}

/** Of bodies that are not events. */
const MAX_DEPTH = 16;

export function readJsonBodies(app: FastifyInstance): void {
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
        const maxDepth = request.routeOptions.config.maxDepth ?? MAX_DEPTH;
        done(null, body.length === 0 ? undefined : readJson(body, { maxDepth }));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}
