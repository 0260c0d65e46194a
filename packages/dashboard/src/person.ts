// A person who has logged in, and the access tokens of their session, one for each account (docs/people.md).
// Called by app.ts. The idle time of a session runs from the last input: without one no token is renewed,
// whatever the page asks of the service. Tokens are in memory and nowhere else.

import { AnnalsError, type Scope } from "@annals/sdk";
import { type AccessToken, type Auth, logInUrl, type Session } from "./auth.ts";
import { LoginError } from "./login-error.ts";

const MINUTE_MS = 60_000;
/** A token lives for ten minutes by the clock of the service, which need not be that of this machine. */
const LIFETIME_MS = 10 * MINUTE_MS;
const RENEWED_AFTER_MS = 9 * MINUTE_MS;
/** Minimum time between two renewals that only an input asks for. */
const PAUSE_MS = 10_000;

interface Deps {
  readonly auth: Auth;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** Called when the session has ended, and when it is there again. */
  readonly onChange: () => void;
}

export class Person {
  readonly #deps: Deps;
  /** The session as last fetched. */
  session: Session;
  /** Why the session gives no token at present. */
  ended: LoginError | undefined;

  constructor(session: Session, deps: Deps) {
    this.session = session;
    this.#deps = deps;
  }

  get label(): string {
    const { email, name, subject } = this.session;
    return name ?? email ?? subject;
  }

  /** Access to an account. Rejects if the person has no role in it. */
  async enter(accountId: string): Promise<Access> {
    const access = new Access(this, accountId, this.#deps);
    await access.token();
    return access;
  }

  /** Another tab may have logged in another person meanwhile, in whose name nothing may be sent from here. */
  async check(): Promise<void> {
    const session = await this.#deps.auth.session();
    if (session === null)
      throw new AnnalsError("authentication_error", "The session has ended.", { status: 401 });
    if (session.person_id !== this.session.person_id) throw this.#end("other");
    this.session = session;
  }

  /** The error to throw for one of /auth. */
  explain(error: unknown): unknown {
    const isEnd = AnnalsError.is(error) && error.status === 401;
    return isEnd ? this.#end("ended") : error;
  }

  /** A token was given: the session is there. */
  confirm(): void {
    if (this.ended === undefined) return;
    this.ended = undefined;
    this.#deps.onChange();
  }

  #end(why: "ended" | "other"): LoginError {
    const { name } = this.session.provider;
    this.ended =
      why === "ended"
        ? new LoginError(
            "Your session has ended",
            "Log in in a new tab, then come back: what you have entered here stays, and you can send it then.",
            logInUrl(name, location.hash),
          )
        : new LoginError(
            "Somebody else has logged in with this browser",
            "Nothing is sent from this page. Reload it to continue as the other person.",
          );
    this.#deps.onChange();
    return this.ended;
  }
}

/** The access tokens for one account. */
export class Access {
  readonly accountId: string;
  readonly #deps: Deps;
  readonly #person: Person;
  #token: AccessToken | undefined;
  #renewedAt = -Infinity;
  #triedAt = -Infinity;
  #isUsed = true;
  #renewal: Promise<string> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(person: Person, accountId: string, deps: Deps) {
    this.#person = person;
    this.accountId = accountId;
    this.#deps = deps;
  }

  get role(): string {
    return this.#token?.role ?? "";
  }

  get scopes(): readonly Scope[] {
    return this.#token?.scopes ?? [];
  }

  /** A token for a request. */
  readonly token = async (): Promise<string> => {
    const age = this.#age();
    if (this.#token && age < RENEWED_AFTER_MS) return this.#token.token;
    if (this.#isUsed || this.#renewal) return this.#renew();
    if (this.#token && age < LIFETIME_MS) return this.#token.token;
    throw new LoginError("Nobody has used this page for ten minutes", "Try again to go on.");
  };

  /** Sends a request of the SDK, and again with another token if the first one no longer works. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { fetch: send } = this.#deps;
    const sent = this.#token;
    const response = await send(url, init);
    if (response.status !== 401) return response;
    if (this.#token === sent) this.#renewedAt = -Infinity;
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${await this.token()}`);
    return send(url, { ...init, headers });
  };

  /** The person gave an input. */
  used(): void {
    this.#isUsed = true;
    const isTried = this.#deps.now() - this.#triedAt < PAUSE_MS;
    if (this.#person.ended || isTried || this.#age() < RENEWED_AFTER_MS) return;
    this.#renewSoon();
  }

  /** The person came back to this page, perhaps from a login in another tab. */
  returned(): void {
    if (this.#person.ended) this.#renewSoon();
  }

  /** Another account is shown: this one is renewed only when it is needed again. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  readonly #age = (): number => this.#deps.now() - this.#renewedAt;

  /** Nobody waits for it: if it fails, the next request says why. */
  #renewSoon(): void {
    this.#renew().catch(() => {});
  }

  #renew(): Promise<string> {
    this.#renewal ??= this.#replace().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #replace(): Promise<string> {
    const { auth, now } = this.#deps;
    const at = (this.#triedAt = now());
    this.#isUsed = false;
    try {
      if (this.#token) await this.#person.check();
      this.#token = await auth.token(this.accountId);
    } catch (error) {
      this.#isUsed = true;
      throw this.#person.explain(error);
    }
    this.#renewedAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#isUsed) this.#renewSoon();
    }, RENEWED_AFTER_MS);
    this.#person.confirm();
    return this.#token.token;
  }
}
