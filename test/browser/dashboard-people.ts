// The dashboard at the origin where people log in, with a real identity provider. Used by
// dashboard-people.test.ts and dashboard-session.test.ts.

import { IdentityProviderServer, PERSON } from "@annals/keys/src/testing/identity-provider.ts";
import { freePort, type Stack } from "@annals/local";
import { newClient, type SharedStack } from "@annals/testing";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startConstellation } from "../system/constellation.ts";
import { openPage } from "./browser.ts";

/** Chromium writes to the console what was refused, and that a page may not read the answer. */
const REFUSED = /the server responded with a status of (401|403|422)|CORS policy|ERR_FAILED/;

interface LoggedInOptions {
  readonly at?: string;
  readonly width?: number;
  /** Other origins than those of the dashboard and the provider. */
  readonly others?: readonly string[];
}

export class PeopleSystem {
  readonly origin: string;
  readonly databaseUrl: string;
  readonly stack: Stack;
  readonly #folder: Disposable;
  readonly #provider: IdentityProviderServer;
  #people = 0;

  private constructor(
    origin: string,
    {
      folder,
      provider,
      stack,
    }: { folder: Disposable; provider: IdentityProviderServer; stack: Stack },
  ) {
    this.origin = origin;
    this.databaseUrl = stack.databaseUrl;
    this.stack = stack;
    this.#folder = folder;
    this.#provider = provider;
  }

  /** The provider is at 127.0.0.1, which is another site than localhost, as it is in earnest. */
  static async start(shared: SharedStack): Promise<PeopleSystem> {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const provider = await IdentityProviderServer.start({
      redirectUri: `${origin}/auth/callback/okta`,
    });
    const folder = mkdtempDisposableSync(join(tmpdir(), "annals-people-"));
    const [file, secret] = [join(folder.path, "identity.json"), join(folder.path, "secret")];
    const { clientId: client_id, clientSecret, issuer, scopes } = provider.entry();
    const okta = { name: "okta", title: "Okta", issuer, client_id, scopes, accounts: "*" };
    writeFileSync(secret, clientSecret);
    writeFileSync(file, JSON.stringify({ people: [{ ...okta, client_secret_file: secret }] }));
    const env = { ANNALS_PUBLIC_URL: origin };
    const stack = await startConstellation({
      shared,
      env: {
        gateway: { ...env, ANNALS_PORT: String(port), ANNALS_DASHBOARD: "true" },
        keys: { ...env, ANNALS_IDENTITY_FILE: file },
      },
      without: ["nats", "export", "webhook-dispatcher"],
    });
    return new PeopleSystem(origin, { folder, provider, stack });
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.#provider.close();
    this.#folder[Symbol.dispose]();
  }

  /** An account in which the members of a new group have the role. */
  async newTeam(role: string, group = `group-${(this.#people += 1)}`) {
    const account = await newClient({ baseUrl: this.origin, databaseUrl: this.databaseUrl });
    const mapping = { provider: "okta", group, role };
    const { body } = await account.client.post("/v1/role-mappings", mapping);
    return { ...account, group, mappingId: String(body.data.id) };
  }

  /** Whoever logs in next at the provider, in a browser that is not logged in there. */
  newPerson(groups: readonly string[]): string {
    const sub = `person-${(this.#people += 1)}`;
    this.#provider.person = { ...PERSON, sub, groups };
    return sub;
  }

  /** A page that may go to the provider, and to the other origins. */
  open(browser: Browser, width = 1_440, others: readonly string[] = []): Promise<Page> {
    return openPage(browser, {
      origins: [this.origin, this.#provider.issuer, ...others],
      viewport: { width, height: 900 },
      expected: REFUSED,
    });
  }

  /** Logged in as a new person of the groups, at the screen of the fragment. */
  async openLoggedIn(
    browser: Browser,
    groups: readonly string[],
    { at = "#/widget-tokens", others, width }: LoggedInOptions = {},
  ): Promise<Page> {
    this.newPerson(groups);
    const page = await this.open(browser, width, others);
    await page.goto(`${this.origin}/dashboard/${at}`);
    await this.logIn(page);
    return page;
  }

  async logIn(page: Page): Promise<void> {
    await page.getByRole("link", { name: "Log in with Okta" }).click();
    await page.getByRole("button", { name: "Log out" }).waitFor();
    await page.waitForFunction(() => document.querySelector(".waiting") === null);
  }

  get issuer(): string {
    return this.#provider.issuer;
  }
}
