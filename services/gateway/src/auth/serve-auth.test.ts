// Guarantees: a POST from a page of another origin does nothing, whatever it says and in whatever form; a
// logout of the provider needs no cookie; an address has a budget of requests, and a smaller one of
// callbacks.

import { invalid, notFound } from "@annals/errors";
import { LoginFault } from "@annals/proto/keys";
import { describe, expect, test } from "vitest";
import { openAuth, ORIGIN, SAME, SESSION } from "../testing/auth-server.ts";

describe("a POST of another origin", () => {
  const cookie = `${SESSION}=one.two`;
  const CROSS: readonly (readonly [string, Record<string, string>])[] = [
    ["says so", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
    ["is of the same site", { "sec-fetch-site": "same-site", origin: "https://x.example.com" }],
    ["comes from an old browser", { origin: "https://evil.example" }],
    ["hides its origin", { origin: "null" }],
    ["is http", { origin: "http://audit.example.com" }],
    ["says nothing", {}],
  ];

  test.each(CROSS)("that %s is a 403 and does nothing", async (_, headers) => {
    const { asked, post } = await openAuth();
    for (const path of ["/token", "/logout"])
      expect((await post(path, { ...headers, cookie }, { account_id: "a" })).status).toBe(403);
    expect(asked).toEqual([]);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
    "as %j, which needs no preflight, does nothing",
    async (type) => {
      const { asked, send } = await openAuth();
      const headers = { ...SAME, cookie, ...(type !== "" && { "content-type": type }) };
      const body = Buffer.from('{"account_id":"a"}');
      for (const path of ["/token", "/logout"])
        expect((await send("POST", path, { headers, body })).status).toBe(422);
      expect(asked).toEqual([]);
    },
  );

  test("and one of this origin works, by either header", async () => {
    const { asked, post } = await openAuth({ endSession: { endSessionUrl: "" } });
    for (const headers of [SAME, { origin: ORIGIN }])
      expect((await post("/logout", { ...headers, cookie })).status).toBe(200);
    expect(asked).toHaveLength(2);
  });
});

describe("a logout of the provider", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };

  test("hands on the token, and looks at no cookie", async () => {
    const { asked, send } = await openAuth();
    const headers = { ...form, cookie: `${SESSION}=one.two` };
    const answer = await send("POST", "/backchannel/okta", { headers, body: "logout_token=a.b.c" });
    expect(answer).toMatchObject({ status: 200, cookies: [], body: undefined });
    const request = { provider: "okta", logoutToken: "a.b.c" };
    expect(asked).toEqual([{ rpc: "endProviderSessions", request }]);
  });

  test.each([
    invalid({ field: "logout_token", message: "has expired" }),
    notFound("identity provider", "okta"),
  ])("that is wrong is a 400: %s", async (error) => {
    const { send } = await openAuth({ endProviderSessions: error });
    const answer = await send("POST", "/backchannel/okta", { headers: form, body: "" });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("of another type, or of 16 KiB and more, is refused", async () => {
    const { asked, post, send } = await openAuth();
    expect((await post("/backchannel/okta", {})).status).toBe(200);
    expect(asked[0]?.request).toMatchObject({ logoutToken: "" });
    const body = `logout_token=${"x".repeat(16_384)}`;
    expect((await send("POST", "/backchannel/okta", { headers: form, body })).status).toBe(422);
    expect(asked).toHaveLength(1);
  });
});

describe("budgets", () => {
  test("an address has ten callbacks, and one more each second; another has its own", async () => {
    const { get, refused, sleep } = await openAuth({
      finishLogin: { fault: LoginFault.STATE, detail: "" },
    });
    const callback = async (from: string) => (await get("/callback/okta", { from })).status;
    const statuses = [];
    for (let n = 0; n < 11; n += 1) statuses.push(await callback("a"));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 303), 429]);
    expect([await callback("b"), refused]).toEqual([303, ["auth_rate"]]);
    sleep(1_000);
    expect([await callback("a"), await callback("a")]).toEqual([303, 429]);
  });

  test("an address has 200 requests, and twenty more each second", async () => {
    const { get, sleep } = await openAuth({ listProviders: { providers: [] } });
    const statuses = await Promise.all(
      Array.from({ length: 201 }, async () => (await get("/providers")).status),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    sleep(50);
    expect((await get("/providers")).status).toBe(200);
  });
});

test("a path that there is not, and another method, are a 404", async () => {
  const { asked, get, post } = await openAuth();
  expect((await get("/other")).status).toBe(404);
  expect((await get("/token")).status).toBe(404);
  expect((await post("/session", SAME)).status).toBe(404);
  expect(asked).toEqual([]);
});
