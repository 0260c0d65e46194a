// A real identity provider on loopback, oidc-provider from npm, behind a relay that can change its responses.
// Its login page logs a person in without a question. Imported by tests only.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import OidcProvider from "oidc-provider";
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js";
import type { Provider } from "../identity/rules/identity.ts";
import { type Relayed, relayed } from "./relay.ts";

/** What the relay makes of a response. */
type Change = (response: Relayed, path: string) => Relayed | Promise<Relayed>;

/** Path of an endpoint of oidc-provider. */
export type Endpoint = "/.well-known/openid-configuration" | "/jwks" | "/me" | "/token";

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** Made once, since each takes a tenth of a second. */
const KEYS: Partial<Record<"first" | "second", KeyObject>> = {};

/** One of two keys, under a new id. */
export function newSigningKey(which: "first" | "second" = "first"): SigningKey {
  const privateKey = (KEYS[which] ??= generateKeyPairSync("rsa", {
    modulusLength: 2048,
  }).privateKey);
  return { kid: randomBytes(6).toString("hex"), privateKey };
}

export const CLIENT = { id: "annals", secret: "the-secret-of-the-client" };

/** Claims of the person who logs in. */
export const PERSON = {
  sub: "u-1",
  name: "Ada Lovelace",
  email: "ada@example.com",
  groups: ["audit", "staff"],
};

interface Options {
  readonly redirectUri: string;
  readonly backchannelUri?: string;
  /** The ID token has only the subject by default, and userinfo the rest. */
  readonly claimsAreInIdToken?: boolean;
  readonly authentication?: "client_secret_basic" | "client_secret_post";
}

export class IdentityProviderServer {
  readonly issuer: string;
  /** Claims of whoever logs in next. */
  person: Readonly<Record<string, unknown>> & { readonly sub: string } = PERSON;
  key = newSigningKey();
  /** Requests that have arrived. */
  readonly requests: string[] = [];
  /** How the relay changes responses, by their endpoint. */
  readonly changes = new Map<Endpoint, Change>();
  /** The one that came last with a token. */
  lastIdToken = "";
  #options: Options;
  readonly #relay: Server;
  readonly #inner: Server;
  #provider!: OidcProvider;
  #serve: RequestListener = () => {};

  private constructor(options: Options, relay: Server, inner: Server) {
    this.#options = options;
    this.#relay = relay;
    this.#inner = inner;
    this.issuer = `http://127.0.0.1:${portOf(relay)}`;
    relay.on("request", (from, to) => void this.#passOn(from, to));
    inner.on("request", (from, to) => this.#serve(from, to));
    this.restart();
  }

  static async start(options: Options): Promise<IdentityProviderServer> {
    const [relay, inner] = [await listening(), await listening()];
    return new IdentityProviderServer(options, relay, inner);
  }

  async close(): Promise<void> {
    for (const server of [this.#relay, this.#inner]) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    }
  }

  /** The same provider with the key that it has now, or with other options. */
  restart(options: Partial<Options> = {}): void {
    this.#options = { ...this.#options, ...options };
    const provider = this.#newProvider();
    this.#provider = provider;
    const callback = provider.callback();
    this.#serve = (from, to) => {
      if (from.url?.startsWith("/interaction/") !== true) return callback(from, to);
      const login = { accountId: this.person.sub };
      void provider.interactionFinished(from, to, { login });
    };
  }

  /** Its entry in the identity file. */
  entry(more: Partial<Provider> = {}): Provider {
    return {
      name: "okta",
      title: "Okta",
      issuer: this.issuer,
      clientId: CLIENT.id,
      clientSecretFile: "/run/secrets/okta",
      clientSecret: CLIENT.secret,
      caFile: undefined,
      ca: undefined,
      scopes: ["openid", "profile", "email", "groups"],
      groupsClaim: ["groups"],
      accounts: "*",
      operators: { groups: [], subjects: [] },
      ...more,
    };
  }

  /** Logs in as a browser does. Resolves to the query with which the provider sends it back. */
  async logIn(authorizationUrl: string): Promise<string> {
    const browser = new Browser();
    let next = new URL(authorizationUrl);
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      if (next.origin !== this.issuer) return next.search.slice(1);
      next = await browser.follow(next);
    }
    throw new Error("the provider sent the browser in circles");
  }

  /** The name that the provider has for the session of an ID token. */
  sidOf(idToken: string): string {
    const [, claims = ""] = idToken.split(".");
    const { sid } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { sid?: string };
    return sid ?? "";
  }

  /** Posts a logout token for a session of the person, as a logout at the provider does. */
  async logOut(sub: string, sid: string): Promise<void> {
    const client = await this.#provider.Client.find(CLIENT.id);
    await client?.backchannelLogout(sub, sid);
  }

  /** A JWT of the provider, or of whoever has the key. */
  jwt(claims: object, { key = this.key, header = {} }: { key?: SigningKey; header?: object } = {}) {
    const members = [{ alg: "RS256", kid: key.kid, ...header }, claims];
    const signed = members.map((one) => encoded(JSON.stringify(one))).join(".");
    return `${signed}.${encoded(sign("sha256", Buffer.from(signed), key.privateKey))}`;
  }

  #newProvider(): OidcProvider {
    const { authentication, backchannelUri, claimsAreInIdToken, redirectUri } = this.#options;
    const grantOf = async (clientId: string, accountId: string): Promise<object> => {
      const grant = new provider.Grant({ clientId, accountId });
      grant.addOIDCScope("openid profile email groups");
      await grant.save();
      return grant;
    };
    const provider: OidcProvider = new OidcProvider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: authentication ?? "client_secret_basic",
          ...(backchannelUri !== undefined && {
            backchannel_logout_uri: backchannelUri,
            backchannel_logout_session_required: true,
          }),
        },
      ],
      ...(authentication && { clientAuthMethods: [authentication] }),
      claims: { openid: ["sub"], profile: ["name"], email: ["email"], groups: ["groups"] },
      scopes: ["openid", "profile", "email", "groups"],
      conformIdTokenClaims: claimsAreInIdToken !== true,
      cookies: { keys: ["a key of the cookies"] },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      // Its dispatcher would refuse to post logout tokens to loopback.
      fetch: (url: string | URL, options: RequestInit) => {
        const own = { ...options };
        delete own.dispatcher;
        return fetch(url, own);
      },
      findAccount: (_context: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ ...this.person, sub: accountId }),
      }),
      interactions: {
        url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}`,
      },
      jwks: { keys: [jwkOf(this.key)] },
      // The defaults say on the console that they are defaults.
      adapter: class extends MemoryAdapter {},
      ttl: { AccessToken: TTL_S, Grant: TTL_S, IdToken: TTL_S, Interaction: TTL_S, Session: TTL_S },
      loadExistingGrant: ({ oidc }: Context) =>
        grantOf(oidc.client.clientId, oidc.session.accountId),
    });
    return provider;
  }

  async #passOn(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const path = new URL(from.url ?? "/", this.issuer).pathname;
    this.requests.push(`${from.method} ${path}`);
    const answer = await relayed(from, portOf(this.#inner));
    const change = this.changes.get(path as Endpoint);
    const { body, headers, status } = change ? await change(answer, path) : answer;
    const [, idToken] = /"id_token":"([^"]*)"/.exec(body) ?? [];
    this.lastIdToken = idToken ?? this.lastIdToken;
    to.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  }
}

interface Context {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

const MAX_HOPS = 10;
const TTL_S = 3_600;

/** Follows redirects, and keeps cookies. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async follow(url: URL): Promise<URL> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`the provider responded with ${response.status}: ${await response.text()}`);
    return new URL(location, url);
  }
}

async function listening(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function jwkOf({ kid, privateKey }: SigningKey): object {
  return { ...privateKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" };
}

/** The public half, as a set of keys has it. */
export function publicJwk({ kid, privateKey }: SigningKey): object {
  const exported = createPublicKey(
    createPrivateKey(privateKey.export({ format: "pem", type: "pkcs8" })),
  );
  return { ...exported.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" };
}

export function encoded(bytes: string | Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
