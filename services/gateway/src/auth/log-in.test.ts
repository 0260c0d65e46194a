// Guarantees: a login is bound to the browser that began it, and its session is a cookie that no page can
// read and that a browser sends with requests of this site alone; a browser is never sent to another origin
// than that of the provider. The keys service is a stand-in, HTTP is real.

import { notFound } from "@annals/errors";
import { LoginFault } from "@annals/proto/keys";
import { describe, expect, test } from "vitest";
import { openAuth, SESSION } from "../testing/auth-server.ts";

const PROVIDER = "https://okta.example/authorize?state=AbCdEfGh12";

describe("a login", () => {
  const BEGUN = { fault: 0, redirectUrl: PROVIDER, sealedLogin: "sealed", statePrefix: "AbCdEfGh" };

  test("sends the browser to the provider, with a cookie of this login alone", async () => {
    const { asked, get } = await openAuth({ beginLogin: BEGUN });
    const { cookies, location, status } = await get("/login/okta?return_to=%23/acct_1/events");
    expect([status, location]).toEqual([303, PROVIDER]);
    expect(cookies).toEqual([
      "__Host-annals-login-AbCdEfGh=sealed; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax",
    ]);
    expect(asked).toEqual([
      { rpc: "beginLogin", request: { provider: "okta", returnTo: "#/acct_1/events" } },
    ]);
  });

  test.each(["https://evil.example", "//evil.example", "#//evil.example\n", "javascript:1", "#a"])(
    "forgets to return to %j",
    async (text) => {
      const { asked, get } = await openAuth({ beginLogin: BEGUN });
      await get(`/login/okta?return_to=${encodeURIComponent(text)}`);
      expect(asked[0]?.request).toMatchObject({ returnTo: "" });
    },
  );

  test("keeps the last five of a browser", async () => {
    const { get } = await openAuth({ beginLogin: BEGUN });
    const cookie = Array.from({ length: 7 }, (_, n) => `__Host-annals-login-${n}=x`).join("; ");
    const { cookies } = await get("/login/okta", { cookie });
    const gone = cookies.filter((text) => text.includes("1970")).map((text) => text.split("=")[0]);
    expect(gone).toEqual([0, 1, 2].map((n) => `__Host-annals-login-${n}`));
  });

  test("of an unknown provider is a 404, and one that cannot begin says why", async () => {
    const unknown = await openAuth({ beginLogin: notFound("identity provider", "x") });
    expect((await unknown.get("/login/x")).status).toBe(404);
    const fault = { ...BEGUN, fault: LoginFault.UNREACHABLE, detail: "" };
    const away = await openAuth({ beginLogin: fault });
    expect(await away.get("/login/okta")).toMatchObject({
      status: 303,
      location: "/dashboard/#/log-in?fault=unreachable&provider=okta&request=req_1",
      cookies: [],
    });
  });
});

describe("a callback", () => {
  const FINISHED = { fault: 0, detail: "", cookie: "one.two", returnTo: "#/acct_1/events" };
  const QUERY = "code=c&state=AbCdEfGh12";
  const cookie = "__Host-annals-login-AbCdEfGh=sealed; __Host-annals-login-other=x";

  test("begins a session by a strict cookie, and ends the cookie of the login", async () => {
    const { asked, get } = await openAuth({ finishLogin: FINISHED });
    const { cookies, location, status } = await get(`/callback/okta?${QUERY}`, { cookie });
    expect([status, location]).toEqual([303, "/dashboard/#/acct_1/events"]);
    expect(cookies).toEqual([
      expect.stringMatching(/^__Host-annals-login-AbCdEfGh=; .*Expires=Thu, 01 Jan 1970/),
      `${SESSION}=one.two; Path=/; HttpOnly; Secure; SameSite=Strict`,
    ]);
    const request = { provider: "okta", query: QUERY, sealedLogin: "sealed", ip: "192.0.2.7" };
    expect(asked).toEqual([{ rpc: "finishLogin", request }]);
  });

  test("on loopback without TLS, by a cookie that browsers take there", async () => {
    const { get } = await openAuth({ finishLogin: FINISHED }, false);
    const { cookies } = await get(`/callback/okta?${QUERY}`);
    expect(cookies).toEqual(["annals-session=one.two; Path=/; HttpOnly; SameSite=Strict"]);
  });

  test.each([
    ["of another browser", { cookie: "__Host-annals-login-other=x" }, QUERY],
    ["without a cookie", {}, QUERY],
    ["without a state", { cookie }, "code=c"],
    ["with half a state", { cookie }, "state=AbCd"],
  ])("%s brings no sealed login", async (_, headers, query) => {
    const fault = { ...FINISHED, fault: LoginFault.STATE };
    const { asked, get } = await openAuth({ finishLogin: fault });
    const { cookies, location } = await get(`/callback/okta?${query}`, headers);
    expect(asked[0]?.request).toMatchObject({ sealedLogin: "", query });
    expect([cookies, location]).toEqual([
      [],
      "/dashboard/#/log-in?fault=state&provider=okta&request=req_1",
    ]);
  });

  test.each([
    [LoginFault.REFUSED, "access_denied", "refused", "&detail=access_denied"],
    [LoginFault.TOKEN, "a&b#c", "token", "&detail=a%26b%23c"],
    [LoginFault.GROUPS, "", "groups", ""],
    [LoginFault.BLOCKED, "", "blocked", ""],
  ])("that fails with %d says why, and begins nothing", async (fault, detail, word, rest) => {
    const { get } = await openAuth({ finishLogin: { ...FINISHED, fault, detail } });
    const { cookies, location } = await get(`/callback/okta?${QUERY}`, { cookie });
    expect(location).toBe(`/dashboard/#/log-in?fault=${word}&provider=okta&request=req_1${rest}`);
    expect(cookies.filter((text) => text.startsWith(SESSION))).toEqual([]);
  });

  test.each(["https://evil.example", "//evil.example", "/x", "", "#/a\r\nset-cookie: x"])(
    "leads to the dashboard and not to %j",
    async (returnTo) => {
      const { get } = await openAuth({ finishLogin: { ...FINISHED, returnTo } });
      expect((await get(`/callback/okta?${QUERY}`)).location).toBe("/dashboard/#/");
    },
  );
});
