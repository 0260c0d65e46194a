// Guarantee: a relay between keys and a real provider, which changes or makes the provider's responses, logs
// nobody in as somebody else, and no response that is not valid is taken. Control: without the check of
// signatures, which openid-client leaves out by default, some of these responses log somebody in.

import { createHmac, createPublicKey, sign } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  encoded,
  type IdentityProviderServer,
  newSigningKey,
  publicJwk,
  CLIENT,
} from "../testing/identity-provider.ts";
import { clientOf, logIn, outcomeOf, startProvider } from "../testing/log-in.ts";
import type { Relayed } from "../testing/relay.ts";
import { loadOpenId } from "./provider-metadata.ts";

let server: IdentityProviderServer;
const stranger = newSigningKey("second");

beforeAll(async () => {
  server = await startProvider({ claimsAreInIdToken: true }, afterAll);
});

/** An ID token in its parts. */
interface Token {
  readonly header: object;
  readonly claims: Record<string, unknown>;
  readonly signature: string;
}

type Forge = (token: Token) => string;

const unsigned = (header: object, claims: object): string =>
  [header, claims].map((part) => encoded(JSON.stringify(part))).join(".");

/** Changes claims, and signs as the provider does: only the claims can be what is refused. */
const signed =
  (change: object, header: object = {}): Forge =>
  ({ claims }) =>
    server.jwt({ ...claims, ...change }, { header });

const hmac =
  (secret: string | Buffer): Forge =>
  ({ claims, header }) => {
    const parts = unsigned({ ...header, alg: "HS256" }, claims);
    return `${parts}.${createHmac("sha256", secret).update(parts).digest("base64url")}`;
  };

const MALLORY = { sub: "mallory" };
const now = (): number => Math.floor(Date.now() / 1_000);

const SIGNATURES: [name: string, forge: Forge, outcome: string][] = [
  ["no signature", ({ claims, header }) => `${unsigned(header, claims)}.`, "token signature"],
  [
    "the signature of another token",
    ({ claims, header, signature }) =>
      `${unsigned(header, { ...claims, ...MALLORY })}.${signature}`,
    "token signature",
  ],
  [
    "the signature of a stranger under the provider's kid",
    ({ claims }) =>
      server.jwt({ ...claims, ...MALLORY }, { key: { ...stranger, kid: server.key.kid } }),
    "token signature",
  ],
  [
    "the signature of a stranger whose key is in the header",
    ({ claims }) =>
      server.jwt(
        { ...claims, ...MALLORY },
        { key: stranger, header: { jwk: publicJwk(stranger) } },
      ),
    "token key",
  ],
  [
    "the signature of a stranger whose keys are elsewhere",
    ({ claims }) =>
      server.jwt(
        { ...claims, ...MALLORY },
        { key: stranger, header: { jku: "https://example.com" } },
      ),
    "token key",
  ],
];

const OTHERS: typeof SIGNATURES = [
  [
    "alg none",
    ({ claims, header }) => `${unsigned({ ...header, alg: "none" }, claims)}.`,
    "token algorithm",
  ],
  ["HS256 with the secret of the client", hmac(CLIENT.secret), "token algorithm"],
  [
    "HS256 with the public key of the provider",
    (token) => {
      const spki = { format: "pem", type: "spki" } as const;
      return hmac(createPublicKey(server.key.privateKey).export(spki))(token);
    },
    "token algorithm",
  ],
  [
    "RS384, rightly signed",
    ({ claims, header }) => {
      const parts = unsigned({ ...header, alg: "RS384" }, claims);
      return `${parts}.${encoded(sign("sha384", Buffer.from(parts), server.key.privateKey))}`;
    },
    "token algorithm",
  ],
  ["a critical header", signed({}, { crit: ["exp"] }), "token format"],
  ["no JWT", () => "token", "token format"],
  ["an encrypted one", () => "a.b.c.d.e", "token format"],
  ["another issuer", signed({ iss: "https://example.com" }), "token issuer"],
  ["another audience", signed({ aud: "other" }), "token audience"],
  ["two audiences", signed({ aud: ["other", CLIENT.id] }), "token audience"],
  [
    "two audiences, for another",
    signed({ aud: ["other", CLIENT.id], azp: "other" }),
    "token audience",
  ],
  ["another nonce", signed({ nonce: "other" }), "token nonce"],
  ["no nonce", signed({ nonce: undefined }), "token format"],
  ["expired", signed({ exp: 1_700_000_000 }), "token expired"],
  ["not valid yet", signed({ nbf: 4_000_000_000 }), "token time"],
  ["issued an hour ago", (token) => signed({ iat: now() - 3_600 })(token), "token time"],
  ["issued in an hour", (token) => signed({ iat: now() + 3_600 })(token), "token time"],
  ["no subject", signed({ sub: undefined }), "token format"],
  ["an empty subject", signed({ sub: "" }), "token subject"],
];

function partsOf(token: string): Token {
  const [header = "", claims = "", signature = ""] = token.split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as object;
  return { header: read(header), claims: { ...read(claims) }, signature };
}

/** What comes of a login whose ID token is forged on its way. */
async function forged(forge: Forge, client: Parameters<typeof logIn>[1]): Promise<string> {
  // It says that it signs with any algorithm, and that is not asked.
  const algorithms = ["RS256", "RS384", "HS256", "none"];
  server.changes.set("/.well-known/openid-configuration", (response) =>
    withBody(response, { id_token_signing_alg_values_supported: algorithms }),
  );
  server.changes.set("/token", (response) => {
    const body = JSON.parse(response.body) as { id_token: string };
    return {
      ...response,
      body: JSON.stringify({ ...body, id_token: forge(partsOf(body.id_token)) }),
    };
  });
  try {
    return await outcomeOf(logIn(server, client));
  } finally {
    server.changes.clear();
  }
}

test("what the relay passes on unchanged, or signs as the provider does, logs in", async () => {
  const client = await clientOf(server);
  expect(await outcomeOf(logIn(server, client))).toBe("logged in as u-1");
  expect(await forged(signed({}), client)).toBe("logged in as u-1");
});

test.each([...SIGNATURES, ...OTHERS])("%s", async (_, forge, outcome) => {
  expect(await forged(forge, await clientOf(server))).toBe(outcome);
});

test.each<[string, (response: Relayed) => Relayed, string]>([
  ["no ID token", (response) => withBody(response, { id_token: undefined }), "token format"],
  [
    "no access token",
    (response) => withBody(response, { access_token: undefined }),
    "token format",
  ],
  [
    "another kind of token",
    (response) => withBody(response, { token_type: "mac" }),
    "token format",
  ],
  ["a page", (response) => ({ ...response, body: "<html>" }), "token format"],
  [
    "an error",
    (response) => ({ ...response, status: 400, body: '{"error":"invalid_grant"}' }),
    "refused invalid_grant",
  ],
  [
    "an error with a script",
    (response) => ({ ...response, status: 400, body: '{"error":"<script>"}' }),
    "refused error",
  ],
  ["an internal error", (response) => ({ ...response, status: 500, body: "" }), "unreachable"],
  ["a redirect", (response) => ({ ...response, status: 302, body: "" }), "unreachable"],
])("a response with %s", async (_, change, outcome) => {
  server.changes.set("/token", change);
  const result = await outcomeOf(logIn(server, await clientOf(server)));
  server.changes.clear();
  expect(result).toBe(outcome);
});

function withBody(response: Relayed, change: object): Relayed {
  return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), ...change }) };
}

test("control: without the check of signatures the library takes tokens that anyone could have made", async () => {
  const { client, jose } = await loadOpenId();
  const libraries = { jose, client: { ...client, enableNonRepudiationChecks: () => {} } };
  const unchecked = await clientOf(server, { libraries });
  const outcomes: string[] = [];
  for (const [, forge] of [...SIGNATURES, ...OTHERS]) outcomes.push(await forged(forge, unchecked));
  expect(outcomes.slice(0, SIGNATURES.length)).toEqual([
    "logged in as u-1",
    ...Array.from({ length: 4 }, () => "logged in as mallory"),
  ]);
  const others = OTHERS.map(([, , outcome]) => outcome);
  expect(outcomes.slice(SIGNATURES.length)).toEqual(others);
});
