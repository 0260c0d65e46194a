// A person who logs in at a real provider, and a workload with the token of its platform, with all that
// either has sent or got on the way. Called by the flow that looks for secrets.

import {
  CLIENT,
  IdentityProviderServer,
  PERSON,
} from "@annals/keys/src/testing/identity-provider.ts";
import { WorkloadIssuerServer } from "@annals/keys/src/testing/workload-issuer.ts";
import { HttpClient } from "@annals/testing";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "./browser.ts";

const ORIGIN = "https://audit.example.com";
const SUBJECT = "system:serviceaccount:logging:collector";

export interface Logins {
  readonly env: Readonly<Record<"gateway" | "keys", Readonly<Record<string, string>>>>;
  /** A session that stays and one that ends, and tokens of a workload. Resolves to what no other may see. */
  use(baseUrl: string, accountId: string, manager: HttpClient): Promise<string[]>;
  close(): Promise<void>;
}

/** To be started before the system, and closed after it. */
export async function startLogins(): Promise<Logins> {
  const redirectUri = `${ORIGIN}/auth/callback/okta`;
  const provider = await IdentityProviderServer.start({ redirectUri });
  const issuer = await WorkloadIssuerServer.start();
  const folder = mkdtempDisposableSync(join(tmpdir(), "annals-logins-"));
  const [file, secret] = [join(folder.path, "identity.json"), join(folder.path, "secret")];
  const { clientId, name, scopes, title } = provider.entry();
  const client = { client_id: clientId, client_secret_file: secret, scopes, title };
  const people = [{ name, issuer: provider.issuer, accounts: "*", ...client }];
  const workloads = [{ name: "cluster", issuer: issuer.issuer, accounts: "*" }];
  writeFileSync(secret, CLIENT.secret);
  writeFileSync(file, JSON.stringify({ people, workloads }));
  const gateway = { ANNALS_PUBLIC_URL: ORIGIN };
  return {
    env: { gateway, keys: { ...gateway, ANNALS_IDENTITY_FILE: file } },
    use: async (baseUrl, accountId, manager) => [
      CLIENT.secret,
      ...(await logIn(provider, baseUrl, accountId, manager)),
      ...(await callAsWorkload(issuer, baseUrl, accountId, manager)),
    ],
    close: async () => {
      await provider.close();
      await issuer.close();
      folder.remove();
    },
  };
}

async function logIn(
  provider: IdentityProviderServer,
  baseUrl: string,
  accountId: string,
  manager: HttpClient,
): Promise<string[]> {
  const seen: string[] = [];
  await manager.post("/v1/role-mappings", {
    provider: "okta",
    group: PERSON.groups[0],
    role: "viewer",
  });
  for (const end of [() => undefined, (of: Browser) => of.post("/auth/logout", {})]) {
    const browser = new Browser(baseUrl, ORIGIN);
    const keepCookies = () =>
      seen.push(...browser.cookie.split("; ").map((one) => one.slice(one.indexOf("=") + 1)));
    const begun = await browser.get("/auth/login/okta");
    keepCookies();
    const query = await provider.logIn(begun.headers["location"] ?? "");
    seen.push(new URLSearchParams(query).get("code") ?? "");
    await browser.get(`/auth/callback/okta?${query}`);
    keepCookies();
    // A second time it is refused.
    await browser.get(`/auth/callback/okta?${query}`);
    const { token } = (await browser.post("/auth/token", { account_id: accountId })).body.data;
    const person = manager.as(token);
    const made = (await person.post("/v1/widget-tokens", {})).body.data;
    await person.get("/v1/api-keys");
    await person.as(made.token).get("/v1/widget/events");
    seen.push(provider.lastIdToken, token, made.token);
    await end(browser);
  }
  if (seen.some((one) => one.length < 20)) throw new Error("a login has left something out");
  return seen;
}

/** Calls with a token that is admitted, and with one for another account. */
async function callAsWorkload(
  issuer: WorkloadIssuerServer,
  baseUrl: string,
  accountId: string,
  manager: HttpClient,
): Promise<string[]> {
  const workload = { name: "w", issuer: "cluster", subject: SUBJECT, scopes: ["events:write"] };
  await manager.post("/v1/workloads", workload);
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const seen = [accountId, `${accountId}x`].map((of) =>
    issuer.token({ aud: `${ORIGIN}/${of}`, sub: SUBJECT, exp }),
  );
  const statuses: number[] = [];
  for (const token of seen) {
    const client = new HttpClient(baseUrl, token);
    statuses.push((await client.post("/v1/events", { action: "a" })).status);
  }
  if (statuses.join() !== "201,401") throw new Error(`the workload got ${statuses.join()}`);
  return seen;
}
