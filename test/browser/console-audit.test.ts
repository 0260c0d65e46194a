// Guarantee: an operator reads the audit in the console, by the gateway of another origin, and no script of
// that origin runs in the page. Accounts have what the other services know of them, and the health says that
// they answer. The operators are in the file of identity providers, so the system is the file's own.

import { V1 } from "@annals/gateway/src/v1.ts";
import { IdentityProviderServer, PERSON } from "@annals/keys/src/testing/identity-provider.ts";
import { freePort } from "@annals/local";
import { HttpClient } from "@annals/testing";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { PATHS } from "../system/admin-api-client.ts";
import { startConstellation } from "../system/constellation.ts";
import { openPage } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { expectUsable, WIDTHS } from "./dashboard.ts";

let browser: Browser;
let origin: string;
let gateway: string;
let server: IdentityProviderServer;

beforeAll(async () => {
  browser = await openBrowser();
  const [port, gatewayPort] = [await freePort(), await freePort()];
  origin = `https://127.0.0.1:${port}`;
  gateway = `http://localhost:${gatewayPort}`;
  server = await IdentityProviderServer.start({
    redirectUri: `${origin}/auth/callback/okta`,
    claimsAreInIdToken: true,
  });
  afterAll(() => server.close());
  const folder = mkdtempDisposableSync(join(tmpdir(), "annals-console-"));
  afterAll(() => folder[Symbol.dispose]());
  const stack = await startConstellation({
    shared: inject("stack"),
    env: {
      gateway: { ANNALS_PORT: String(gatewayPort), ANNALS_PUBLIC_URL: gateway },
      keys: {
        ANNALS_PUBLIC_URL: gateway,
        ANNALS_OPERATOR_URL: origin,
        ANNALS_ADMIN_API_ADDRESS: `127.0.0.1:${port}`,
        ANNALS_IDENTITY_FILE: identityFile(folder.path),
      },
    },
    without: ["nats"],
  });
  afterAll(() => stack.stop());
});

afterAll(() => browser.close());

function identityFile(folder: string): string {
  const [file, secret] = [join(folder, "identity.json"), join(folder, "secret")];
  const { clientId: client_id, clientSecret, issuer, scopes } = server.entry();
  const okta = { name: "okta", title: "Okta", issuer, client_id, scopes, accounts: "*" };
  const operators = { groups: [...PERSON.groups], subjects: [] };
  writeFileSync(secret, clientSecret);
  writeFileSync(
    file,
    JSON.stringify({ people: [{ ...okta, client_secret_file: secret, operators }] }),
  );
  return file;
}

async function logIn(options: Partial<Parameters<typeof openPage>[1]> = {}): Promise<Page> {
  const page = await openPage(browser, {
    origins: [origin, gateway, server.issuer],
    ignoreHTTPSErrors: true,
    ...options,
  });
  await page.goto(`${origin}/`);
  await page.getByRole("link", { name: "Log in with Okta" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  return page;
}

test("the audit shows what an operator has done, and runs no script of the gateway", async () => {
  const page = await logIn();
  await page.getByLabel("Name", { exact: true }).fill("Example Ltd");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Copy the API key now.").waitFor();
  const scripts: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script") scripts.push(new URL(request.url()).origin);
  });
  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByText("annals.account.created").first().waitFor();
  expect(new Set(scripts)).toEqual(new Set([origin]));
});

test.each(WIDTHS)("the audit fits %i pixels, and axe finds nothing", async (width) => {
  const page = await logIn({ viewport: { width, height: 900 } });
  await page.getByRole("link", { name: "Audit" }).click();
  // That an operator has opened the audit is in it, too.
  await page.getByText("annals.widget_token.created").first().waitFor();
  await expectUsable(page);
});

test("accounts show their newest event, and the health that every service answers", async () => {
  const page = await logIn();
  await page.getByLabel("Name", { exact: true }).fill("Writer Ltd");
  await page.getByRole("button", { name: "Create account" }).click();
  const key = await page.getByRole("region", { name: "New API key" }).locator("code").innerText();
  const client = new HttpClient(gateway, key);
  expect((await client.post("/v1/events", { action: "one.event" })).status).toBe(201);
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("link", { name: "Writer Ltd" }).click();
  await page.getByText(/^1, the newest /).waitFor();
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByText("Nothing has waited for more than five minutes.").waitFor();
  expect(await page.getByRole("cell", { name: "answers", exact: true }).count()).toBe(4);
});

test("the gateway gives an operator's session nothing, on any route, as a cookie or as a token", async () => {
  const page = await logIn();
  const cookies = await page.context().cookies(origin);
  const session = cookies.find(({ name }) => name === "__Host-annals-operator")?.value ?? "";
  // The control: it is a session of the console.
  const own = { headers: { cookie: `__Host-annals-operator=${session}` } };
  expect((await page.request.get(`${origin}/admin/v1/accounts`, own)).status()).toBe(200);
  const names = ["annals-session", "__Host-annals-session", "annals-operator"];
  const cookie = [...names, "__Host-annals-operator"]
    .map((name) => `${name}=${session}`)
    .join("; ");
  const asked = async (method: string, path: string, authorization?: string) => {
    const headers = { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" };
    const body = method === "GET" ? undefined : { account_id: "acct_system" };
    const response = await new HttpClient(gateway).send(
      method,
      path.replaceAll(/[{:]\w+}?/g, "x"),
      {
        headers: { ...headers, ...(authorization !== undefined && { authorization }) },
        body,
      },
    );
    return { status: response.status, body: response.body };
  };
  const opened: string[] = [];
  for (const [method, path] of V1)
    for (const authorization of [undefined, `Bearer ${session}`]) {
      const { status } = await asked(method, `/v1${path}`, authorization);
      if (status !== 401) opened.push(`${method} ${path} ${status}`);
    }
  for (const [method, path] of PATHS) {
    const { status } = await asked(method, path, `Bearer ${session}`);
    if (status !== 404 && path !== "/readyz") opened.push(`${method} ${path} ${status}`);
  }
  expect(opened).toEqual([]);
  expect((await asked("GET", "/auth/session")).body).toEqual({ data: null });
  expect((await asked("POST", "/auth/token")).status).toBe(401);
});
