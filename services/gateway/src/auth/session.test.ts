// Guarantees: a page learns how people can log in, before anyone has. The session of a browser shows who has
// logged in, is exchanged for tokens, and ends with a logout; its cookie is replaced when keys says so, and
// goes when it has ended. The keys service is a stand-in.

import { AnnalsError } from "@annals/errors";
import { describe, expect, test } from "vitest";
import { openAuth, ORIGIN, SAME, SESSION } from "../testing/auth-server.ts";

test.each([true, false])(
  "the providers, and whether a key is offered beside them: %s",
  async (key) => {
    const providers = [{ name: "okta", title: "Okta" }];
    const { get } = await openAuth({ listProviders: { providers } }, true, key);
    const { body } = await get("/providers");
    expect(body).toEqual({ data: providers, public_url: ORIGIN, key_login: key });
  },
);

describe("a session", () => {
  const found = {
    session: {
      personId: "usr_1",
      provider: { name: "okta", title: "Okta" },
      subject: "00u1",
      name: "Ada",
      email: "",
      groups: ["readers"],
      accounts: [
        { accountId: "acct_1", name: "A", role: "viewer", mappingId: "rmap_1", group: "readers" },
        { accountId: "acct_2", name: "B", role: "manager", mappingId: "rmap_2", group: "" },
      ],
      hasMoreAccounts: false,
      expiresAt: "2026-01-31T17:30:00.000000Z",
      idleAt: "2026-01-31T10:30:00.000000Z",
    },
  };

  test("shows who has logged in, and what gives which role", async () => {
    const { asked, get } = await openAuth({ getSession: found });
    const { body } = await get("/session", { cookie: `a=b; ${SESSION}=one.two` });
    expect(asked).toEqual([{ rpc: "getSession", request: { cookie: "one.two" } }]);
    expect(body.data).toEqual({
      person_id: "usr_1",
      provider: { name: "okta", title: "Okta" },
      subject: "00u1",
      name: "Ada",
      email: null,
      groups: ["readers"],
      accounts: [
        {
          account_id: "acct_1",
          name: "A",
          role: "viewer",
          role_mapping_id: "rmap_1",
          group: "readers",
        },
        {
          account_id: "acct_2",
          name: "B",
          role: "manager",
          role_mapping_id: "rmap_2",
          group: null,
        },
      ],
      has_more_accounts: false,
      expires_at: "2026-01-31T17:30:00.000000Z",
      idle_at: "2026-01-31T10:30:00.000000Z",
    });
  });

  test("is null without a cookie, and one that has ended is forgotten", async () => {
    const { asked, get } = await openAuth();
    expect((await get("/session")).body).toEqual({ data: null });
    expect(asked).toEqual([]);
    const { body, cookies } = await get("/session", { cookie: `${SESSION}=one.two` });
    expect(body).toEqual({ data: null });
    expect(cookies).toEqual([expect.stringMatching(new RegExp(`^${SESSION}=; .*1970`))]);
  });

  const TOKEN = {
    secret: "annals_at_x",
    expiresAt: "2026-01-31T09:40:00.000000Z",
    role: "viewer",
    scopes: ["events:read"],
    cookie: "",
  };

  test("is exchanged for a token, and its cookie replaced if keys says so", async () => {
    const { asked, post } = await openAuth({ createAccessToken: { ...TOKEN, cookie: "next.two" } });
    const headers = { ...SAME, cookie: `${SESSION}=one.two` };
    const { body, cookies } = await post("/token", headers, { account_id: "acct_1" });
    expect(body.data).toEqual({
      token: TOKEN.secret,
      expires_at: TOKEN.expiresAt,
      role: "viewer",
      scopes: ["events:read"],
    });
    expect(cookies).toEqual([`${SESSION}=next.two; Path=/; HttpOnly; Secure; SameSite=Strict`]);
    const request = { cookie: "one.two", accountId: "acct_1" };
    expect(asked).toEqual([{ rpc: "createAccessToken", request }]);
    const other = await openAuth({ createAccessToken: TOKEN });
    expect((await other.post("/token", headers, { account_id: "acct_1" })).cookies).toEqual([]);
    for (const given of [{}, { account_id: 1 }, { account_id: "" }, null, [], "acct_1"])
      expect((await other.post("/token", headers, given)).status).toBe(422);
  });

  test("that has ended is a 401, and an account without a role a 403", async () => {
    const ended = await openAuth({
      createAccessToken: new AnnalsError("unauthenticated", "Ended."),
    });
    expect((await ended.post("/token", SAME, { account_id: "a" })).status).toBe(401);
    const none = await openAuth({ createAccessToken: new AnnalsError("scope_missing", "None.") });
    expect((await none.post("/token", SAME, { account_id: "a" })).status).toBe(403);
  });

  test("ends with a logout, which says where that of the provider ends", async () => {
    const { asked, post } = await openAuth({
      endSession: { endSessionUrl: "https://okta.example/x" },
    });
    const { body, cookies } = await post("/logout", { ...SAME, cookie: `${SESSION}=one.two` });
    expect(body.data).toEqual({ end_session_url: "https://okta.example/x" });
    expect(cookies).toEqual([expect.stringMatching(/=; .*1970/)]);
    expect(asked).toEqual([{ rpc: "endSession", request: { cookie: "one.two" } }]);
    expect((await post("/logout", SAME)).body.data).toEqual({ end_session_url: null });
  });
});
