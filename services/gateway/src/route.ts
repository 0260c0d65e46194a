// What a route under /v1 is: schemas for what comes in and goes out, and a handler that turns the request
// into one RPC and renders the response. Each file that is named after a route makes one; v1.ts gives it its
// method, path and scope.

import type { Readable } from "node:stream";
import type { Feature, Work } from "@annals/contract";
import type { EventBytes, ReadLimits } from "@annals/event";
import type { Static, TObject, TSchema } from "typebox";
import type { Admission } from "./admission/admission.ts";
import type { ErrorFormat } from "./errors.ts";

export interface Call<Body, Query, Params, Headers> {
  readonly admission: Admission;
  /** Rejects with `unauthenticated` when the key was revoked. For routes that take long. */
  readonly readmit: () => Promise<Admission>;
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly headers: Headers;
  /** When the gateway had the complete request: UTC with six fraction digits. */
  readonly receivedAt: string;
  /** Names and values alternate, as the client sent them. */
  readonly rawHeaders: readonly string[];
  /** Path and query as the client sent them. */
  readonly url: string;
  /** Aborted when the client disconnects: every call to another service has it, but for appends. */
  readonly signal: AbortSignal;
}

export interface RouteResponse {
  /**
   * JSON text, as a string or in UTF-8, or a value to serialise; absent for 204. Another text, or bytes,
   * if `headers` have their type.
   */
  readonly body?: string | Buffer | object;
  /** Bytes to stream in place of a body; `headers` then describe them. */
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteDefinition<
  B extends TSchema,
  Q extends TObject,
  P extends TObject,
  H extends TObject,
> {
  /** One line for the OpenAPI document, and a paragraph if one is needed. */
  readonly summary: string;
  readonly description?: string;
  /**
   * The feature of a plan that the operation belongs to: all of /webhooks and /sinks, all of /exports,
   * /verify, all of /erasures, /holds and /retention (lifecycle).
   */
  readonly feature?: Feature;
  readonly body?: B;
  readonly query?: Q;
  readonly params?: P;
  readonly headers?: H;
  readonly success:
    | {
        readonly status: 200 | 201;
        readonly body: TSchema;
        /** Headers that the response may have besides those of all responses. */
        readonly headers?: Readonly<Record<string, TSchema>>;
        /** Other media types that a client may ask for, each with an example. */
        readonly mediaTypes?: Readonly<Record<string, string>>;
      }
    /** A file: its media types, each with an example. */
    | { readonly status: 200; readonly mediaTypes: Readonly<Record<string, string>> }
    | { readonly status: 204 };
  /** The window in which requests count, and not in that of all other requests of the key. */
  readonly window?: "log" | "intake";
  /** Statuses besides 401, 403 of the scope, 422, 429 and 500, which every route has. */
  readonly failures?: readonly 404[];
  /** What a plan limits: a count of what the operation creates (403), or the events of a month (429). */
  readonly planLimit?: "count" | "month";
  readonly maxBodyBytes?: number;
  /**
   * The handler gets the bytes of the body, of JSON or of any media type, and `body` only describes them. A
   * body that is absent is undefined.
   */
  readonly rawBody?: "json" | "any";
  /** What its client reads errors in, if not in the format of the interface. */
  readonly errors?: ErrorFormat;
  /** How deep the body may nest. */
  readonly maxDepth?: number;
  /** How many members and elements the body may have; by default the limit of a body that is not a batch. */
  readonly maxValues?: number;
  /**
   * Reads a plain body without parsing it. What it returns is the body of the call, and is not checked by the
   * schema. If it returns undefined, the strict reader reads the body.
   */
  readonly readPlain?: (body: Uint8Array, limits: ReadLimits) => Work<EventBytes | undefined>;
  readonly handle: (
    call: Call<Static<B>, Static<Q>, Static<P>, Static<H>>,
  ) => Promise<RouteResponse>;
}

/** A route without its types, as the table holds it. The schemas ensure the types that `handle` relies on. */
export type Route = Omit<RouteDefinition<TSchema, TObject, TObject, TObject>, "handle"> & {
  readonly handle: (call: Call<unknown, unknown, unknown, unknown>) => Promise<RouteResponse>;
};

/** A route whose body is read without being parsed if it is plain. */
export function routeOfEvents<B extends TSchema, E extends EventBytes, H extends TObject>(
  definition: Omit<RouteDefinition<B, TObject, TObject, H>, "handle" | "readPlain"> & {
    readonly readPlain: (body: Uint8Array, limits: ReadLimits) => Work<E | undefined>;
    readonly handle: (
      call: Call<E | Static<B>, unknown, unknown, Static<H>>,
    ) => Promise<RouteResponse>;
  },
): Route {
  return definition as unknown as Route;
}

export function route<B extends TSchema, Q extends TObject, P extends TObject, H extends TObject>(
  definition: RouteDefinition<B, Q, P, H>,
): Route {
  return definition as unknown as Route;
}

/** Whether the members of its body are all optional: no body is `{}` then. */
export function hasOptionalBody({ body, rawBody }: Pick<Route, "body" | "rawBody">): boolean {
  const { required = [], type } = (body ?? {}) as { required?: readonly string[]; type?: unknown };
  return !rawBody && type === "object" && required.length === 0;
}
