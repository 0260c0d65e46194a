// The part of the operator's console that needs no session: its files, and logging in and out. Called by
// api.ts if ANNALS_OPERATOR_URL is set. None of its routes changes anything but a session.

import { Slots } from "@annals/contract";
import { unavailable } from "@annals/errors";
import { LoginFault } from "@annals/proto/keys";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isOperator } from "../identity/rules/is-operator.ts";
import { CONSOLE_HOME, type OperatorLogins } from "../outbound/open-providers.ts";
import { beginLoginOf, type FinishDeps, loginFinisher } from "../sessions/log-in.ts";
import { logOut } from "../sessions/log-out.ts";
import type { Session } from "../sessions/sessions.ts";
import { serveConsoleFiles } from "./console-files.ts";
import { ConsoleCookies } from "./cookies.ts";
import { Operators, type OperatorsDeps } from "./operators.ts";

export interface ConsoleDeps
  extends
    Omit<FinishDeps, "mayBegin" | "providers">,
    Omit<OperatorsDeps, "cookies" | "origin">,
    OperatorLogins {}

/** Logins at a time, which share nothing with the requests of those who have logged in. */
const MAX_IN_FLIGHT = 8;
const ANYONE = "";

const SEE_OTHER = 303;
/** Characters of the state in the name of the cookie. */
const STATE_PREFIX = /^[\w-]{8}/;
/** The fragment of a page of the console. */
const FRAGMENT = /^#\/[\w!$&'()*+,;=:@/?%.~-]{0,1000}$/;

export class Console {
  readonly operators: Operators;
  readonly #deps: ConsoleDeps;
  readonly #cookies: ConsoleCookies;
  readonly #finish: ReturnType<typeof loginFinisher>;
  readonly #slots = new Slots({
    total: MAX_IN_FLIGHT,
    refuse: () => unavailable("Too many concurrent logins. Try again."),
  });

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.#cookies = new ConsoleCookies(deps.origin);
    const { identities, origin } = deps;
    this.operators = new Operators({ ...deps, cookies: this.#cookies, origin: origin.origin });
    const mayBegin: FinishDeps["mayBegin"] = (person) => isOperator(identities.current, person);
    this.#finish = loginFinisher("operator", { ...deps, mayBegin });
  }

  /** Adds its routes, which are open to anyone who reaches the port. */
  serve(app: FastifyInstance): void {
    serveConsoleFiles(app, this.#deps.publicUrl);
    const open = (
      method: "GET" | "POST",
      [url, name]: readonly [string, string],
      handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
    ) => {
      const handler = (request: FastifyRequest, reply: FastifyReply) =>
        this.#slots.run(ANYONE, () => handle(request, reply));
      const config = { isOpen: true, name };
      app.route({ method, url, config, handler });
    };
    open("GET", ["/auth/providers", "list-providers"], async (_, reply) =>
      answer(reply, this.#listProviders()),
    );
    open("GET", ["/auth/login/:provider", "begin-login"], (request, reply) =>
      this.#begin(request, reply),
    );
    open("GET", ["/auth/callback/:provider", "finish-login"], (request, reply) =>
      this.#return(request, reply),
    );
    open("GET", ["/auth/session", "get-session"], async (request, reply) => {
      const session = await this.operators.find(request);
      return answer(reply, session ? this.#sessionJson(session) : null);
    });
    open("POST", ["/auth/logout", "end-session"], async (request, reply) => {
      this.operators.requireOwnPage(request);
      const cookie = this.#cookies.sessionOf(request);
      const { endSessionUrl = "" } = await logOut("operator", this.#deps, cookie);
      this.#cookies.clearSession(reply);
      return answer(reply, { end_session_url: endSessionUrl || null });
    });
  }

  /** Those of which someone is an operator. */
  #listProviders() {
    return this.#deps.identities.current.people
      .filter(({ operators }) => operators.groups.length + operators.subjects.length > 0)
      .map(({ name, title }) => ({ name, title }));
  }

  async #begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const provider = providerOf(request);
    const { return_to: given } = request.query as { readonly return_to?: unknown };
    const returnTo = typeof given === "string" && FRAGMENT.test(given) ? given : "";
    const asked = { provider, requestId: request.id, returnTo };
    const begun = await beginLoginOf("operator", this.#deps, asked);
    if ("fault" in begun) return this.#refuse(request, reply, begun);
    this.#cookies.setLogin(reply, begun.statePrefix, begun.sealedLogin);
    return reply.redirect(begun.redirectUrl, SEE_OTHER);
  }

  async #return(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [, query = ""] = request.url.split(/\?(.*)/s);
    const state = new URLSearchParams(query).get("state") ?? "";
    const [statePrefix = ""] = STATE_PREFIX.exec(state) ?? [];
    const sealedLogin = this.#cookies.loginOf(request, statePrefix);
    const provider = providerOf(request);
    const finished = await this.#finish({ provider, query, requestId: request.id, sealedLogin });
    if (sealedLogin !== "") this.#cookies.clearLogin(reply, statePrefix);
    if ("fault" in finished) return this.#refuse(request, reply, finished);
    this.#cookies.setSession(reply, finished.cookie);
    return reply.redirect(`${CONSOLE_HOME}${finished.returnTo}`, SEE_OTHER);
  }

  /** The page has a text for each fault. */
  #refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    { detail, fault }: { readonly detail: string; readonly fault: LoginFault },
  ): FastifyReply {
    const provider = providerOf(request);
    const name = LoginFault[fault].toLowerCase();
    const query = new URLSearchParams({ fault: name, provider, request: request.id });
    if (detail !== "") query.set("detail", detail);
    return reply.redirect(`${CONSOLE_HOME}#/log-in?${query.toString()}`, SEE_OTHER);
  }

  #sessionJson(session: Session) {
    const { email, expires_at, groups, idle_at, name, person_id, provider, subject } = session;
    const title = this.#deps.providers.named(provider)?.provider.title ?? provider;
    const of = { name: provider, title };
    return { person_id, provider: of, subject, name, email, groups, expires_at, idle_at };
  }
}

function answer(reply: FastifyReply, data: unknown): FastifyReply {
  return reply.header("cache-control", "no-store").send({ data });
}

/** The name of a provider in the path. */
const providerOf = ({ params }: FastifyRequest): string =>
  (params as { readonly provider?: string }).provider ?? "";
