// What a route under /auth is. Each file that is named after a route makes one; auth.ts gives it its method
// and path.

import type { PublicOrigin } from "@annals/contract";
import type { KeysService } from "@annals/proto/keys";
import { REQUEST_ID_HEADER } from "@annals/rpc";
import type { Client } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Cookies } from "./cookies.ts";

export interface AuthDeps {
  readonly cookies: Cookies;
  /** Whether the dashboard offers a login with an API key, too. */
  readonly hasKeyLogin: boolean;
  readonly keys: Client<typeof KeysService>;
  readonly publicOrigin: PublicOrigin;
  readonly signalOf: (request: FastifyRequest["raw"]) => AbortSignal;
  /** The address that a request came from, for the audit. */
  readonly ipOf: (request: FastifyRequest["raw"]) => string;
}

export interface AuthRoute {
  /**
   * What comes with a POST: JSON of the dashboard, or the form of an identity provider. Only the first may
   * come with a cookie, and it must come from a page of this origin.
   */
  readonly body?: "json" | "form";
  /** Whether it counts as a callback, of which an address may make a few. */
  readonly isCallback?: boolean;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

/** The options of a call for a request. */
export function by({ signalOf }: Pick<AuthDeps, "signalOf">, { id, raw }: FastifyRequest) {
  return { headers: { [REQUEST_ID_HEADER]: id }, signal: signalOf(raw) };
}

/** The name of a provider in the path. */
export const providerOf = ({ params }: FastifyRequest): string =>
  (params as { readonly provider?: string }).provider ?? "";
