// The cookies of logging in: of the session, and of each login that has begun. Called by the routes under
// /auth, the only ones that look at them. The prefix `__Host-` binds a cookie to this origin and its root.

import type { FastifyReply, FastifyRequest } from "fastify";

/** Logins that may be open in one browser. Their cookies come with each request. */
const MAX_LOGINS = 5;
const LOGIN_MAX_AGE_S = 600;

export class Cookies {
  readonly #isSecure: boolean;
  readonly #session: string;
  readonly #login: string;

  constructor({ isSecure }: { readonly isSecure: boolean }) {
    this.#isSecure = isSecure;
    const prefix = isSecure ? "__Host-annals-" : "annals-";
    [this.#session, this.#login] = [`${prefix}session`, `${prefix}login-`];
  }

  /** Empty without one. */
  sessionOf({ cookies }: FastifyRequest): string {
    return cookies[this.#session] ?? "";
  }

  /** The browser sends it with requests of this site alone. */
  setSession(reply: FastifyReply, value: string): void {
    reply.setCookie(this.#session, value, { ...this.#attributes(), sameSite: "strict" });
  }

  clearSession(reply: FastifyReply): void {
    reply.clearCookie(this.#session, { ...this.#attributes(), sameSite: "strict" });
  }

  /** The cookie of the login whose state begins so; empty without one. */
  loginOf({ cookies }: FastifyRequest, statePrefix: string): string {
    return cookies[this.#login + statePrefix] ?? "";
  }

  /** Lax: it has to come with the browser from the identity provider. */
  setLogin(request: FastifyRequest, reply: FastifyReply, statePrefix: string, value: string): void {
    // A browser sends the oldest first.
    const open = Object.keys(request.cookies).filter((name) => name.startsWith(this.#login));
    const surplus = Math.max(0, open.length - MAX_LOGINS + 1);
    for (const name of open.slice(0, surplus)) this.#clearLogin(reply, name);
    const lax = { ...this.#attributes(), sameSite: "lax", maxAge: LOGIN_MAX_AGE_S } as const;
    reply.setCookie(this.#login + statePrefix, value, lax);
  }

  clearLogin(reply: FastifyReply, statePrefix: string): void {
    this.#clearLogin(reply, this.#login + statePrefix);
  }

  #clearLogin(reply: FastifyReply, name: string): void {
    reply.clearCookie(name, { ...this.#attributes(), sameSite: "lax" });
  }

  #attributes() {
    return { httpOnly: true, path: "/", secure: this.#isSecure } as const;
  }
}
