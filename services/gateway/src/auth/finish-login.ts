// GET /auth/callback/{provider} (docs/people.md): takes the browser that comes back from an identity
// provider, and begins its session.

import { LoginFault } from "@annals/proto/keys";
import { type AuthDeps, type AuthRoute, by, providerOf } from "./auth-route.ts";
import { failurePage, pageAt } from "./log-in-page.ts";

const SEE_OTHER = 303;

/** Characters of the state in the name of the cookie. */
const STATE_PREFIX = /^[\w-]{8}/;

export function finishLogin(deps: AuthDeps): AuthRoute {
  const { cookies, ipOf, keys } = deps;
  return {
    isCallback: true,
    handle: async (request, reply) => {
      const provider = providerOf(request);
      const [, query = ""] = request.url.split(/\?(.*)/s);
      const state = new URLSearchParams(query).get("state") ?? "";
      const [statePrefix = ""] = STATE_PREFIX.exec(state) ?? [];
      const sealedLogin = cookies.loginOf(request, statePrefix);
      const given = { provider, query, sealedLogin, ip: ipOf(request.raw) };
      const finished = await keys.finishLogin(given, by(deps, request));
      if (sealedLogin !== "") cookies.clearLogin(reply, statePrefix);
      if (finished.fault !== LoginFault.UNSPECIFIED)
        return reply.redirect(failurePage(finished, { provider, request: request.id }), SEE_OTHER);
      cookies.setSession(reply, finished.cookie);
      return reply.redirect(pageAt(finished.returnTo), SEE_OTHER);
    },
  };
}
