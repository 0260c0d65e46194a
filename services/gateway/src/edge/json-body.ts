// Reads bodies: JSON strictly (docs/hash-chain.md), or the bytes if a route asks for them. Called by
// app.ts and register-routes.ts. What cannot be stored faithfully is refused with its path, before the schema
// is checked.

import { atOnce, type Client, PIECE_BYTES, type Turns, type Work } from "@annals/contract";
import {
  type EventBytes,
  isEventBytes,
  readJson,
  readJsonInPieces,
  type ReadLimits,
} from "@annals/event";
import { invalid } from "@annals/errors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Limits } from "../limits.ts";
import { type Coding, CODINGS, inflateBody } from "./inflate-body.ts";
import type { RequestsInFlight } from "./requests-in-flight.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** How deep the body of the route may nest. */
    maxDepth?: number;
    /** Members and elements that the body of the route may have. */
    maxValues?: number;
    /** Reads a body without parsing it; undefined if the strict reader shall. */
    readPlain?: ReadPlain;
    /** Whether the handler gets the bytes of the body. */
    isRaw?: boolean;
  }
}

type ReadPlain = (body: Buffer, limits: ReadLimits) => Work<EventBytes | undefined>;

/** Maximum nesting of bodies that are not events. */
const MAX_DEPTH = 16;

/** Bytes of a body that is read at once. */
const SMALL_BYTES = 2 * PIECE_BYTES;

type Done = (error: Error | null, value?: unknown) => void;

export interface BodyDeps {
  readonly inFlight: Pick<RequestsInFlight, "begin" | "ended" | "signalOf" | "takeBody">;
  readonly limits: Pick<Limits, "bodyMaxValues">;
  readonly turns: Turns;
}

export function readJsonBodies(app: FastifyInstance, deps: BodyDeps): void {
  app.removeAllContentTypeParsers();
  const parse = parser(deps, (request) => {
    // JSON between systems is UTF-8 (RFC 8259).
    if (!isUtf8(request.headers["content-type"]))
      throw invalid({ field: "Content-Type", message: "must be application/json in UTF-8" });
  });
  app.addContentTypeParser(JSON_TYPE, { parseAs: "buffer" }, parse);
}

/** Lets the routes of `app` get bodies of any other media type, too, as bytes. */
export function readAnyBodies(app: FastifyInstance, deps: BodyDeps): void {
  app.addContentTypeParser(
    "*",
    { parseAs: "buffer" },
    parser(deps, () => {}),
  );
}

function parser(deps: BodyDeps, check: (request: FastifyRequest) => void) {
  return (request: FastifyRequest, body: Buffer, done: Done): void => {
    try {
      const coding = codingOf(request);
      check(request);
      if (coding === undefined) read(request, body, deps, done);
      else void readInflated(request, { body, coding }, deps, done);
    } catch (error) {
      done(error as Error);
    }
  };
}

function read(
  request: FastifyRequest,
  body: Buffer,
  { inFlight, limits: { bodyMaxValues }, turns }: BodyDeps,
  done: Done,
): void {
  const {
    maxDepth = MAX_DEPTH,
    maxValues = bodyMaxValues,
    isRaw = false,
    readPlain,
  } = request.routeOptions.config;
  const limits = { maxDepth, maxValues };
  if (body.length === 0) done(null, undefined);
  else if (isRaw) done(null, body);
  else if (body.length > SMALL_BYTES) {
    const client = {
      get signal() {
        return inFlight.signalOf(request.raw);
      },
    };
    void readLarge(request, { client, turns }, readInPieces(body, limits, readPlain), done);
  } else done(null, (readPlain && atOnce(readPlain(body, limits))) ?? readJson(body, limits));
}

/** What it inflates is held until the response is made, also if the client has disconnected meanwhile. */
async function readInflated(
  request: FastifyRequest,
  { body, coding }: { readonly body: Buffer; readonly coding: Coding },
  deps: BodyDeps,
  done: Done,
): Promise<void> {
  const { raw, routeOptions } = request;
  const { inFlight } = deps;
  try {
    inFlight.begin(raw);
    const take = (bytes: number): void => inFlight.takeBody(raw, bytes);
    const inflated = await inflateBody(body, coding, {
      maxBytes: routeOptions.bodyLimit,
      take,
    }).finally(() => inFlight.ended(raw));
    read(request, inflated, deps, done);
  } catch (error) {
    done(error as Error);
  }
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
  { client, turns }: { readonly client: Client; readonly turns: Turns },
  work: Work<unknown>,
  done: (error: Error | null, value?: unknown) => void,
): Promise<void> {
  try {
    const value = await turns.run(admission?.accountId ?? "", work, client);
    // To check what was parsed is a piece of its own.
    if (isEventBytes(value)) done(null, value);
    else setImmediate(done, null, value);
  } catch (error) {
    done(error as Error);
  }
}

const JSON_TYPE = "application/json";
const UTF8 = /^charset\s*=\s*(?:utf-?8|"utf-?8")$/i;

/** Whether no parameter names another character set. One may be empty (RFC 9110, 5.6.6). */
function isUtf8(type = ""): boolean {
  const [, ...parameters] = type.split(";").map((each) => each.trim());
  return parameters.every((each) => each === "" || UTF8.test(each));
}

/** Whether a body of the type is JSON. */
export function isJsonType(type = ""): boolean {
  return type.split(";", 1)[0]?.trim().toLowerCase() === JSON_TYPE && isUtf8(type);
}

/** The coding that the body was compressed with; undefined without one. Throws `invalid`. */
function codingOf({ headers }: FastifyRequest): Coding | undefined {
  const named = (headers["content-encoding"] ?? "identity").toLowerCase();
  // RFC 9110, section 8.4.1.3: x-gzip is another name of gzip.
  const coding = CODINGS.find((each) => each === named.replace(/^x-gzip$/, "gzip"));
  if (coding === undefined && named !== "identity")
    throw invalid({
      field: "Content-Encoding",
      message: "must be gzip, zstd, identity or omitted",
    });
  return coding;
}
