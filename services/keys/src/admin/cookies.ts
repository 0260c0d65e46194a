// The cookies of the operator's console: of the session, and of each login that has begun. Called by the
// console's files, the only ones of keys that look at a cookie. Their names are not those of the dashboard.

import type { FastifyReply, FastifyRequest } from "fastify";

const LOGIN_MAX_AGE_S = 600;
const EXPIRED = "Max-Age=0";

type Headers = Pick<FastifyRequest, "headers">;

export class ConsoleCookies {
  readonly #attributes: string;
  readonly #session: string;
  readonly #login: string;

  constructor({ isSecure }: { readonly isSecure: boolean }) {
    // The prefix binds a cookie to this host and its root.
    const prefix = isSecure ? "__Host-annals-" : "annals-";
    this.#attributes = `Path=/; HttpOnly${isSecure ? "; Secure" : ""}`;
    [this.#session, this.#login] = [`${prefix}operator`, `${prefix}operator-login-`];
  }

  /** Empty without one. */
  sessionOf(request: Headers): string {
    return valueOf(request, this.#session);
  }

  /** The browser sends it with requests of this site alone. */
  setSession(reply: FastifyReply, value: string): void {
    this.#set(reply, `${this.#session}=${value}`, "SameSite=Strict");
  }

  clearSession(reply: FastifyReply): void {
    this.#set(reply, `${this.#session}=`, `SameSite=Strict; ${EXPIRED}`);
  }

  /** The cookie of the login whose state begins so; empty without one. */
  loginOf(request: Headers, statePrefix: string): string {
    return valueOf(request, this.#login + statePrefix);
  }

  /** Lax: it has to come with the browser from the identity provider. */
  setLogin(reply: FastifyReply, statePrefix: string, value: string): void {
    const lax = `SameSite=Lax; Max-Age=${LOGIN_MAX_AGE_S}`;
    this.#set(reply, `${this.#login}${statePrefix}=${value}`, lax);
  }

  clearLogin(reply: FastifyReply, statePrefix: string): void {
    this.#set(reply, `${this.#login}${statePrefix}=`, `SameSite=Lax; ${EXPIRED}`);
  }

  /** A reply can have several. */
  #set(reply: FastifyReply, pair: string, more: string): void {
    void reply.header("set-cookie", `${pair}; ${this.#attributes}; ${more}`);
  }
}

/** The first of that name. The values need no decoding. */
function valueOf({ headers }: Headers, name: string): string {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? "";
}
