// Who calls the admin API by the cookie of the operator's console: a person whom the identity file names
// now, with a session of that realm. Called by api.ts before each request. It must never take a session of
// the dashboard, nor a change that another site's page asks for.

import { type Clock, Slots } from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../identity/rules/identity.ts";
import { isOperator } from "../identity/rules/is-operator.ts";
import { findSession, type Session, useSession } from "../sessions/sessions.ts";
import type { ConsoleCookies } from "./cookies.ts";
import type { Caller } from "./route.ts";

export interface OperatorsDeps {
  readonly clock: Clock;
  readonly cookies: ConsoleCookies;
  readonly database: Pool;
  readonly identities: { readonly current: Identity };
  /** The origin of the console, as browsers send it. */
  readonly origin: string;
  readonly random: (size: number) => Uint8Array;
  readonly sessionIdleMinutes: number;
}

/** Sessions that are looked up at a time: anyone who reaches the port can ask. */
const MAX_LOOKUPS = 4;
/** A page asks for several things at once. No more wait than there are connections. */
const LOOKUP_WAIT_MS = 5_000;
const ANYONE = "";

const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);

export class Operators {
  readonly #deps: OperatorsDeps;
  readonly #slots = new Slots({ total: MAX_LOOKUPS });

  constructor(deps: OperatorsDeps) {
    this.#deps = deps;
  }

  /** The session of the request's cookie; undefined if its person is no operator now. It puts off no end. */
  async find(request: FastifyRequest): Promise<Session | undefined> {
    const { cookies, identities } = this.#deps;
    const value = cookies.sessionOf(request);
    if (value === "") return undefined;
    const find = () => findSession(this.#deps, "operator", value);
    const session = await this.#slots.runWithin(ANYONE, LOOKUP_WAIT_MS, tooMany, find);
    return session && isOperator(identities.current, session) ? session : undefined;
  }

  /**
   * Who calls, whose session then lasts longer; undefined if nobody has logged in. Throws for a change that
   * does not come from a page of the console.
   */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined> {
    const { cookies, database, random, sessionIdleMinutes: idleMinutes } = this.#deps;
    const session = await this.find(request);
    if (!session) return undefined;
    this.requireOwnPage(request);
    const next = await database.transaction((transaction) =>
      useSession(transaction, session, { idleMinutes, random }),
    );
    if (next === null) return undefined;
    if (next) cookies.setSession(reply, next.text);
    return { actor: { type: "operator", id: session.person_id }, sessionId: session.id };
  }

  /**
   * Throws unless a request only reads, or a page of the console sent it: a browser says so. It sends JSON,
   * which is all that a body may be, to another origin only after it has asked, and nobody has allowed one.
   */
  requireOwnPage({ headers, method }: FastifyRequest): void {
    if (READING.has(method)) return;
    const isOwn =
      headers["sec-fetch-site"] === "same-origin" || headers.origin === this.#deps.origin;
    if (!isOwn)
      throw new AnnalsError("scope_missing", "This request must come from a page of the console.");
  }
}

const tooMany = (): AnnalsError => unavailable("Too many concurrent requests. Try again.");
