// The client of /auth, where people log in (docs/people.md). Called by app.ts and person.ts. The session is a
// cookie, which no program of a page can read.

import { AnnalsError, type ErrorType, type Scope } from "@annals/sdk";

const TIMEOUT_MS = 10_000;

export interface Provider {
  readonly name: string;
  readonly title: string;
}

/** How one can log in. */
export interface Ways {
  readonly providers: readonly Provider[];
  /** The origin at which people log in; undefined if they cannot. */
  readonly publicUrl: string | undefined;
  readonly hasKeyLogin: boolean;
}

/** An account in which the person has a role, and the mapping that gives it. */
export interface SessionAccount {
  readonly account_id: string;
  readonly name: string;
  readonly role: string;
  readonly role_mapping_id: string;
  /** Null if the mapping names the person alone. */
  readonly group: string | null;
}

export interface Session {
  readonly person_id: string;
  readonly provider: Provider;
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly groups: readonly string[];
  readonly accounts: readonly SessionAccount[];
  readonly has_more_accounts: boolean;
  readonly expires_at: string;
}

export interface AccessToken {
  readonly token: string;
  readonly role: string;
  readonly scopes: readonly Scope[];
}

/** The login with a key alone. */
export const KEY_ALONE: Ways = { providers: [], publicUrl: undefined, hasKeyLogin: true };

export class Auth {
  readonly #fetch: typeof fetch;

  constructor(send: typeof fetch) {
    this.#fetch = send;
  }

  /** A gateway without a public URL has no such route. */
  async ways(): Promise<Ways> {
    interface Body {
      readonly data: readonly Provider[];
      readonly public_url: string;
      readonly key_login: boolean;
    }
    try {
      const body = await this.#send<Body>("/providers");
      const { data: providers, key_login: hasKeyLogin, public_url: publicUrl } = body;
      return { providers, publicUrl, hasKeyLogin };
    } catch (error) {
      if (AnnalsError.is(error, "not_found")) return KEY_ALONE;
      throw error;
    }
  }

  /** Null if nobody has logged in. */
  async session(): Promise<Session | null> {
    return (await this.#send<{ data: Session | null }>("/session")).data;
  }

  async token(accountId: string): Promise<AccessToken> {
    return (await this.#post<{ data: AccessToken }>("/token", { account_id: accountId })).data;
  }

  /** Resolves to where the session at the provider ends, if it has such an address. */
  async logOut(): Promise<string | null> {
    const { data } = await this.#post<{ data: { end_session_url: string | null } }>("/logout", {});
    return data.end_session_url;
  }

  #post<Body>(path: string, body: object): Promise<Body> {
    const headers = { "content-type": "application/json" };
    return this.#send(path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async #send<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const send = this.#fetch;
    const response = await send(`/auth${path}`, { ...init, cache: "no-store", signal }).catch(
      (cause: unknown) => {
        throw new AnnalsError("connection_error", "no response", { cause });
      },
    );
    const body: unknown = await response.json().catch(() => ({}));
    if (response.ok) return body as Body;
    const { status } = response;
    const { error } = body as { error?: { type?: ErrorType; message?: string } };
    const message = error?.message ?? `the response has the status ${status}`;
    const requestId = response.headers.get("x-request-id") ?? undefined;
    const type = error?.type ?? (status === 404 ? "not_found" : "server_error");
    throw new AnnalsError(type, message, { status, requestId });
  }
}

/** URL that starts a login, which returns to the fragment `returnTo`. */
export const logInUrl = (provider: string, returnTo: string): string =>
  `/auth/login/${encodeURIComponent(provider)}?return_to=${encodeURIComponent(returnTo)}`;
