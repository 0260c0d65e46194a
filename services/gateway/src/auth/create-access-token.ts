// POST /auth/token (docs/people.md): exchanges the session for an access token of one account, with which the
// dashboard calls /v1 for ten minutes.

import { invalid } from "@annals/errors";
import { type AuthDeps, type AuthRoute, by } from "./auth-route.ts";

export function createAccessToken(deps: AuthDeps): AuthRoute {
  const { cookies, keys } = deps;
  return {
    body: "json",
    handle: async (request, reply) => {
      const accountId = accountIdOf(request.body);
      const asked = { cookie: cookies.sessionOf(request), accountId };
      const token = await keys.createAccessToken(asked, by(deps, request));
      const { cookie, expiresAt, role, scopes, secret } = token;
      if (cookie !== "") cookies.setSession(reply, cookie);
      return reply.send({ data: { token: secret, expires_at: expiresAt, role, scopes } });
    },
  };
}

function accountIdOf(body: unknown): string {
  const given: unknown = Object(body)["account_id"];
  if (typeof given === "string" && given !== "") return given;
  throw invalid({ field: "account_id", message: "is required" });
}
