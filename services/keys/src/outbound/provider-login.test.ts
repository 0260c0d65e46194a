// Guarantee: a login names the person and the groups that a real provider says, wherever it says them. What
// the provider lacks, or its failure, is one of the faults, and a later login finds new keys and a provider
// that is back. A discovery document is kept for an hour.

import { CertificateAuthority } from "@annals/certificates";
import { type Clock, formatMicros } from "@annals/contract";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { newAttempt } from "../sessions/rules/login-attempt.ts";
import { newSigningKey, PERSON } from "../testing/identity-provider.ts";
import { clientOf, logIn, outcomeOf, startProvider } from "../testing/log-in.ts";
import type { Relayed } from "../testing/relay.ts";

const ADA = { subject: "u-1", name: "Ada Lovelace", email: "ada@example.com" };

/** Milliseconds that a test moves. */
function movedTime() {
  const time = { ms: 1_000_000 };
  return { time, monotonicMs: () => time.ms };
}

function json(change: object): (response: Relayed) => Relayed {
  return (response) => ({
    ...response,
    body: JSON.stringify({ ...JSON.parse(response.body), ...change }),
  });
}

test.each(["client_secret_basic", "client_secret_post"] as const)(
  "with %s, and all claims in the ID token",
  async (authentication) => {
    const server = await startProvider({ authentication, claimsAreInIdToken: true });
    const loggedIn = await logIn(server, await clientOf(server));
    expect(loggedIn).toMatchObject({ ...ADA, issuer: server.issuer, groups: PERSON.groups });
    expect(server.requests).not.toContain("GET /me");
  },
);

test("userinfo is asked for groups that the ID token lacks, and must name the same subject", async () => {
  const server = await startProvider();
  const client = await clientOf(server);
  expect(await logIn(server, client)).toMatchObject({ ...ADA, groups: PERSON.groups });
  expect(server.requests.filter((request) => request === "GET /me")).toHaveLength(1);
  server.changes.set("/me", json({ sub: "mallory" }));
  expect(await outcomeOf(logIn(server, client))).toBe("token subject");
  server.changes.set("/me", json({ groups: undefined }));
  expect(await logIn(server, client)).toMatchObject({ ...ADA, groups: [] });
  server.changes.set("/.well-known/openid-configuration", json({ userinfo_endpoint: undefined }));
  expect(await logIn(server, await clientOf(server))).toMatchObject({ subject: "u-1", groups: [] });
});

test("groups are read at the path of the operator", async () => {
  const server = await startProvider();
  server.changes.set("/me", json({ resource_access: { annals: { roles: ["auditor"] } } }));
  const entry = { groupsClaim: ["resource_access", "annals", "roles"] };
  const client = await clientOf(server, { entry });
  expect(await logIn(server, client)).toMatchObject({ groups: ["auditor"] });
});

test.each<[string, object]>([
  ["1,001 groups", { groups: Array.from({ length: 1_001 }, (_, at) => `group ${at}`) }],
  ["a link in their place", { groups: undefined, _claim_names: { groups: "src1" } }],
])("%s are a fault", async (_, change) => {
  const server = await startProvider();
  server.changes.set("/me", json(change));
  expect(await outcomeOf(logIn(server, await clientOf(server)))).toBe("groups");
});

test("another secret is refused by the provider", async () => {
  const server = await startProvider();
  const client = await clientOf(server, { entry: { clientSecret: "other" } });
  expect(await outcomeOf(logIn(server, client))).toBe("refused invalid_client");
});

test("a person who says no is told the code of the provider", async () => {
  const server = await startProvider();
  const client = await clientOf(server);
  server.logIn = async (url) => {
    const { searchParams } = new URL(url);
    const iss = encodeURIComponent(server.issuer);
    return `error=access_denied&state=${searchParams.get("state")}&iss=${iss}`;
  };
  expect(await outcomeOf(logIn(server, client))).toBe("refused access_denied");
});

test.each(["/", "/other"])(
  "a discovery document of the issuer with %s is not taken",
  async (more) => {
    const server = await startProvider();
    server.changes.set(
      "/.well-known/openid-configuration",
      json({ issuer: `${server.issuer}${more}` }),
    );
    expect(await outcomeOf(logIn(server, await clientOf(server)))).toBe("token issuer");
  },
);

test("an endpoint that is not encrypted is not asked", async () => {
  const server = await startProvider();
  server.changes.set(
    "/.well-known/openid-configuration",
    json({ token_endpoint: "http://example.com/token" }),
  );
  expect(await outcomeOf(logIn(server, await clientOf(server)))).toBe("unreachable");
});

test("a token that expired 31 s ago is refused, and one that expired 29 s ago is not", async () => {
  const server = await startProvider({ claimsAreInIdToken: true });
  const nowS = Math.floor(Date.now() / 1_000);
  const clock: Clock = { nowMicros: () => nowS * 1e6, nowText: () => formatMicros(nowS * 1e6) };
  const client = await clientOf(server, { clock });
  const expiredFor = async (seconds: number) => {
    server.changes.set("/token", (response) => {
      const { id_token: token = "" } = JSON.parse(response.body) as { id_token?: string };
      const claims = JSON.parse(
        Buffer.from(token.split(".")[1] ?? "", "base64url").toString(),
      ) as object;
      return json({ id_token: server.jwt({ ...claims, exp: nowS - seconds }) })(response);
    });
    return outcomeOf(logIn(server, client));
  };
  expect(await expiredFor(29)).toBe("logged in as u-1");
  expect(await expiredFor(31)).toBe("token expired");
});

test("new keys of the provider fail one login, and every ten seconds one more", async () => {
  const server = await startProvider();
  const { monotonicMs, time } = movedTime();
  const client = await clientOf(server, { monotonicMs });
  const outcome = () => outcomeOf(logIn(server, client));
  const roll = (): void => {
    server.key = newSigningKey("second");
    server.restart();
  };
  expect(await outcome()).toBe("logged in as u-1");
  roll();
  expect(await outcome()).toBe("token key");
  expect(await outcome()).toBe("logged in as u-1");
  roll();
  expect(await outcome()).toBe("token key");
  expect(await outcome()).toBe("token key");
  time.ms += 10_000;
  expect(await outcome()).toBe("token key");
  expect(await outcome()).toBe("logged in as u-1");
});

test("a discovery document is kept for an hour, and longer while the provider has none", async () => {
  const server = await startProvider();
  const { monotonicMs, time } = movedTime();
  const client = await clientOf(server, { monotonicMs });
  const discoveries = () =>
    server.requests.filter((request) => request.endsWith("/openid-configuration")).length;
  const outcome = () => outcomeOf(logIn(server, client));
  expect(await outcome()).toBe("logged in as u-1");
  time.ms += 3_599_999;
  expect(await outcome()).toBe("logged in as u-1");
  expect(discoveries()).toBe(1);
  time.ms += 1;
  server.changes.set("/.well-known/openid-configuration", (response) => ({
    ...response,
    status: 503,
  }));
  expect(await outcome()).toBe("logged in as u-1");
  // The first request of the login has asked, and those of the next minute do not.
  expect(discoveries()).toBe(2);
  time.ms += 60_000;
  expect(await outcome()).toBe("logged in as u-1");
  expect(discoveries()).toBe(3);
  expect(await outcomeOf(logIn(server, await clientOf(server)))).toBe("unreachable");
});

test("logins that begin together ask for one discovery document", async () => {
  const server = await startProvider();
  const client = await clientOf(server);
  await Promise.all(Array.from({ length: 5 }, () => logIn(server, client)));
  expect(
    server.requests.filter((request) => request.endsWith("/openid-configuration")),
  ).toHaveLength(1);
});

test("a provider that is stopped fails a login, and one that is back does not", async () => {
  const server = await startProvider();
  const stopped = await startProvider();
  await stopped.close();
  const { issuer } = stopped;
  const elsewhere = await clientOf(server, { entry: { issuer } });
  expect(await outcomeOf(logIn(server, elsewhere))).toBe("unreachable");
  const client = await clientOf(server);
  server.changes.set("/.well-known/openid-configuration", (response) => ({
    ...response,
    status: 502,
  }));
  expect(await outcomeOf(logIn(server, client))).toBe("unreachable");
  server.changes.clear();
  expect(await outcomeOf(logIn(server, client))).toBe("logged in as u-1");
});

test.each([
  ["/.well-known/openid-configuration", { fetchTimeoutMs: 300 }],
  ["/token", { fetchTimeoutMs: 300 }],
  ["/token", { timeoutMs: 300 }],
  ["/jwks", { timeoutMs: 300 }],
  ["/me", { timeoutMs: 300 }],
] as const)(
  "a provider that hangs at %s fails a login after the time of a request, or of a login: %j",
  async (endpoint, bound) => {
    const server = await startProvider();
    const { promise: hanging, resolve: endHanging } = Promise.withResolvers<void>();
    onTestFinished(() => endHanging());
    server.changes.set(endpoint, (response) => hanging.then(() => response));
    const client = await clientOf(server, bound);
    expect(await outcomeOf(logIn(server, client))).toBe("unreachable");
  },
);

test("a certificate of another authority than the operator's fails a login", async () => {
  const [own, other] = await Promise.all([
    CertificateAuthority.create("own"),
    CertificateAuthority.create("other"),
  ]);
  const encrypted = createServer(await own.issue(["127.0.0.1"]));
  await once(encrypted.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    encrypted.closeAllConnections();
    await once(encrypted.close(), "close");
  });
  const issuer = `https://127.0.0.1:${(encrypted.address() as AddressInfo).port}`;
  const document = { issuer, authorization_endpoint: `${issuer}/auth` };
  encrypted.on("request", (_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(document));
  });
  const server = await startProvider();
  const outcome = async (ca: string) => {
    const { login } = await clientOf(server, { entry: { issuer, ca } });
    const attempt = newAttempt("okta", "", { nowMs: Date.now(), random: randomBytes });
    return outcomeOf(login.authorizationUrl(attempt));
  };
  expect(await outcome(own.cert)).toContain(`${issuer}/auth?`);
  expect(await outcome(other.cert)).toBe("unreachable");
});

test("a response of a provider that does not end fails a login", async () => {
  const server = await startProvider();
  server.changes.set("/token", (response) => ({ ...response, body: " ".repeat(2_000_000) }));
  expect(await outcomeOf(logIn(server, await clientOf(server)))).toBe("unreachable");
});
