// A real identity provider on loopback, oidc-provider from npm, for people who exist on this machine alone.
// Its page asks who logs in, and for no password. Called by people.ts. It must never listen beyond loopback.

import { generateKeyPair, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import OidcProvider from "oidc-provider";
import MemoryAdapter from "oidc-provider/lib/adapters/memory_adapter.js";
import { confirmLogoutPage, logInPage, type Person } from "./identity-pages.ts";
import { LOOPBACK } from "./ports.ts";

export const SCOPES = ["openid", "profile", "email", "groups"];
export const CLIENT_ID = "annals";

/** The form of the page has one short member. */
const MAX_FORM_BYTES = 1_024;
const TTL_S = 8 * 3_600;

interface Options {
  readonly port: number;
  readonly people: readonly Person[];
  readonly clientSecret: string;
  /** Origin to which it sends browsers back. */
  readonly publicUrl: string;
  /** The name of this provider in the identity file. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Serves until the signal. Resolves to its issuer. */
export async function serveIdentityProvider(options: Options): Promise<string> {
  const issuer = `http://${LOOPBACK}:${options.port}`;
  const provider = await newProvider(issuer, options);
  const serve = provider.callback();
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/interaction/") !== true) return serve(request, response);
    void logIn({ request, response, provider, people: options.people }).catch(() => {
      if (!response.headersSent) response.writeHead(400);
      response.end();
    });
  });
  await listen(server, options.port);
  options.signal.addEventListener("abort", () => {
    server.close();
    server.closeAllConnections();
  });
  return issuer;
}

async function newProvider(issuer: string, options: Options): Promise<OidcProvider> {
  const { clientSecret, name, people, publicUrl } = options;
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2_048 });
  // Nobody has to agree to anything.
  const grantOf = async (clientId: string, accountId: string): Promise<object> => {
    const grant = new provider.Grant({ clientId, accountId });
    grant.addOIDCScope(SCOPES.join(" "));
    await grant.save();
    return grant;
  };
  const provider: OidcProvider = new OidcProvider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [`${publicUrl}/auth/callback/${name}`],
        post_logout_redirect_uris: [`${publicUrl}/dashboard/`],
      },
    ],
    claims: { openid: ["sub"], profile: ["name"], email: ["email"], groups: ["groups"] },
    scopes: SCOPES,
    cookies: { keys: [randomBytes(32).toString("hex")] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (context: { body: string }, form: string) => {
          context.body = confirmLogoutPage(form);
        },
      },
    },
    findAccount: (_context: unknown, accountId: string) => {
      const person = people.find(({ sub }) => sub === accountId);
      return person && { accountId, claims: () => person };
    },
    interactions: {
      url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}`,
    },
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
    // oidc-provider warns on the console about its own defaults.
    adapter: class extends MemoryAdapter {},
    ttl: { AccessToken: TTL_S, Grant: TTL_S, IdToken: TTL_S, Interaction: TTL_S, Session: TTL_S },
    loadExistingGrant: ({ oidc }: Context) => grantOf(oidc.client.clientId, oidc.session.accountId),
  });
  return provider;
}

interface Context {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

/** Shows the page, or logs in the person whose button was pressed. */
async function logIn({
  people,
  provider,
  request,
  response,
}: {
  readonly people: readonly Person[];
  readonly provider: OidcProvider;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}): Promise<void> {
  if (request.method !== "POST") {
    const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
    response.writeHead(200, headers).end(logInPage(people));
    return;
  }
  const sub = new URLSearchParams(await bodyOf(request)).get("person");
  const person = people.find((each) => each.sub === sub);
  if (person === undefined) throw new Error("there is no such person");
  const login = { accountId: person.sub };
  await provider.interactionFinished(request, response, { login });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const bytes of request) {
    text += String(bytes);
    if (text.length > MAX_FORM_BYTES) throw new Error("the form is too large");
  }
  return text;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: LOOPBACK, port }, resolve);
  });
}
