// Guarantee: a person logs in at a provider that is not the one of the other tests, and shares no code with
// it or with this project: the example server of zitadel/oidc, which Go builds. Its issuer ends with a slash,
// and it knows no groups, no back channel and no `iss` beside the code. The services read an identity file
// with it, so the system is the file's own.

import type { Stack } from "@annals/local";
import { HttpClient, newClient } from "@annals/testing";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Browser } from "../system/browser.ts";
import { startConstellation } from "../system/constellation.ts";
import { leaveOut } from "../system/needs.ts";
import { buildZitadelServer, CLIENT, PERSON, ZitadelServer } from "../system/zitadel-server.ts";

const ORIGIN = "https://audit.example.com";

const built = await buildZitadelServer().catch((error: Error) => error);
/** Empty where there is no Go. */
const PROGRAMS = typeof built === "string" ? [built] : [];
if (typeof built !== "string") leaveOut("programs built with Go", built.message);

test("the provider is there, or it is said why not", () => {
  expect(typeof built === "string" ? built : built.message).not.toBe("");
});

describe.each(PROGRAMS)("at %s", (program) => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "annals-zitadel-"));
  let server: ZitadelServer;
  let stack: Stack;
  let baseUrl: string;

  beforeAll(async () => {
    server = await ZitadelServer.start(program, `${ORIGIN}/auth/callback/zitadel`);
    const [file, secret] = [join(folder.path, "identity.json"), join(folder.path, "secret")];
    const provider = { name: "zitadel", title: "Zitadel", issuer: server.issuer, accounts: "*" };
    const client = { client_id: CLIENT.id, client_secret_file: secret };
    writeFileSync(secret, CLIENT.secret);
    writeFileSync(file, JSON.stringify({ people: [{ ...provider, ...client }] }));
    const people = { ANNALS_PUBLIC_URL: ORIGIN };
    stack = await startConstellation({
      shared: inject("stack"),
      env: { gateway: people, keys: { ...people, ANNALS_IDENTITY_FILE: file } },
      without: ["nats", "export", "webhook-dispatcher"],
    });
    baseUrl = stack.baseUrls[0] ?? "";
  });
  afterAll(async () => {
    await stack.stop();
    await server.stop();
    folder.remove();
  });

  test("a person logs in, reads as a viewer, and logs out", async () => {
    const { accountId, client } = await newClient(stack);
    const mapping = { provider: "zitadel", subject: PERSON.subject, role: "viewer" };
    expect((await client.post("/v1/role-mappings", mapping)).status).toBe(201);
    const browser = new Browser(baseUrl, ORIGIN);
    const begun = await browser.get("/auth/login/zitadel");
    const query = await server.logIn(begun.headers["location"] ?? "");
    const finished = await browser.get(`/auth/callback/zitadel?${query}`);
    expect(finished.headers["location"]).toBe("/dashboard/#/");
    const { data } = (await browser.get("/auth/session")).body;
    expect(data).toMatchObject({ ...PERSON, groups: [] });
    const answer = await browser.post("/auth/token", { account_id: accountId });
    const viewer = new HttpClient(baseUrl, answer.body.data.token);
    expect((await viewer.get("/v1/events")).status).toBe(200);
    const ended = await browser.post("/auth/logout", {});
    expect(ended.body.data.end_session_url).toContain(`${server.issuer}end_session?`);
    expect((await viewer.get("/v1/events")).status).toBe(401);
  });

  test("a code is good for one login, and for the browser that began it", async () => {
    const [own, foreign] = [new Browser(baseUrl, ORIGIN), new Browser(baseUrl, ORIGIN)];
    const begun = await own.get("/auth/login/zitadel");
    const query = await server.logIn(begun.headers["location"] ?? "");
    const faultOf = async (browser: Browser) => {
      const { headers } = await browser.get(`/auth/callback/zitadel?${query}`);
      return /fault=(\w+)/.exec(headers["location"] ?? "")?.[1];
    };
    expect(await faultOf(foreign)).toBe("state");
    expect(await faultOf(own)).toBeUndefined();
    expect(await faultOf(own)).toBe("state");
  });
});
