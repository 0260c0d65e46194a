// Reads JSON bodies strictly (docs/hash-chain.md). Called by app.ts. What cannot be stored faithfully is
// refused with its path, before the schema is checked.

import { atOnce, PIECE_BYTES, type Turns, type Work } from "@annals/contract";
import { type EventBytes, readJson, readJsonInPieces, type ReadLimits } from "@annals/event";
import { invalid } from "@annals/errors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Limits } from "../limits.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How deep the body of the route may nest. */
    maxDepth?: number;
    /** Members and elements that the body of the route may have. */
    maxValues?: number;
    /** Reads a body without parsing it; undefined where the strict reader shall. */
    readPlain?: ReadPlain;
  }
}

type ReadPlain = (body: Buffer, limits: ReadLimits) => Work<EventBytes | undefined>;

/** Maximum nesting of bodies that are not events. */
const MAX_DEPTH = 16;

export function readJsonBodies(
  app: FastifyInstance,
  { bodyMaxValues }: Pick<Limits, "bodyMaxValues">,
  turns: Turns,
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
        const { readPlain } = request.routeOptions.config;
        const limits = { maxDepth, maxValues };
        if (body.length === 0) done(null, undefined);
        else if (body.length > PIECE_BYTES)
          void readLarge(request, turns, readInPieces(body, limits, readPlain), done);
        else done(null, (readPlain && atOnce(readPlain(body, limits))) ?? readJson(body, limits));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function* readInPieces(
  body: Buffer,
  limits: ReadLimits,
  readPlain: ReadPlain | undefined,
): Work<unknown> {
  const plain = readPlain && (yield* readPlain(body, limits));
  return plain ?? (yield* readJsonInPieces(body, limits, PIECE_BYTES));
}

/** In turns with the large bodies of other accounts. */
async function readLarge(
  { admission }: FastifyRequest,
  turns: Turns,
  work: Work<unknown>,
  done: (error: Error | null, value?: unknown) => void,
): Promise<void> {
  try {
    const value = await turns.run(admission?.accountId ?? "", work);
    // Checking it is a piece of its own.
    setImmediate(done, null, value);
  } catch (error) {
    done(error as Error);
  }
}

const UTF8 = /^[^;]*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

/** JSON between systems is UTF-8 (RFC 8259). Throws `invalid`. */
function checkCoding({ headers }: FastifyRequest): void {
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw invalid({ field: "Content-Encoding", message: "must be identity or omitted" });
  }
  if (!UTF8.test(headers["content-type"] ?? "")) {
    throw invalid({ field: "Content-Type", message: "must be application/json in UTF-8" });
  }
}
