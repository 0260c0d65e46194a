// An identity provider that is written by others in another language: the example server of
// github.com/zitadel/oidc, built by Go, unmodified, and run as a process. Called by the test of logins there.

import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { buildPrograms } from "./go-programs.ts";

const MODULE = "github.com/zitadel/oidc/v3";
const VERSION = "v3.52.0";

/** What the server has in its source: a client, and a person with the scopes `profile` and `email`. */
export const CLIENT = { id: "web", secret: "secret" };
export const PERSON = {
  subject: "id2",
  name: "Test User2",
  email: "test-user2@zitadel.ch",
};
const LOGIN = { username: "test-user2", password: "verysecure" };

/** The program. Rejects, and names the reason, where there is no Go or the module cannot be fetched. */
export async function buildZitadelServer(): Promise<string> {
  return join(await buildPrograms(MODULE, VERSION, ["example/server"]), "server");
}

export class ZitadelServer {
  readonly issuer: string;
  readonly #child: ChildProcess;

  private constructor(issuer: string, child: ChildProcess) {
    this.issuer = issuer;
    this.#child = child;
  }

  static async start(program: string, redirectUri: string): Promise<ZitadelServer> {
    const port = await freePort();
    const env = { PORT: String(port), REDIRECT_URI: redirectUri };
    const child = spawn(program, { stdio: "ignore", env });
    const issuer = `http://localhost:${port}/`;
    await eventually("the provider listens", async () => {
      const answer = await fetch(`${issuer}.well-known/openid-configuration`).catch(() => null);
      return answer?.ok === true;
    });
    return new ZitadelServer(issuer, child);
  }

  /** Logs the person in as a browser does. Resolves to the query with which the provider sends it back. */
  async logIn(authorizationUrl: string): Promise<string> {
    const page = await this.#redirectOf(authorizationUrl);
    const id = page.searchParams.get("authRequestID") ?? "";
    const body = new URLSearchParams({ id, ...LOGIN });
    const callback = await this.#redirectOf(page.href, { method: "POST", body });
    return (await this.#redirectOf(callback.href)).search.slice(1);
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.kill();
    await exit;
  }

  async #redirectOf(url: string, init: RequestInit = {}): Promise<URL> {
    const answer = await fetch(url, { redirect: "manual", ...init });
    const location = answer.headers.get("location");
    if (location === null)
      throw new Error(`the provider answered with ${answer.status}: ${await answer.text()}`);
    return new URL(location, this.issuer);
  }
}
