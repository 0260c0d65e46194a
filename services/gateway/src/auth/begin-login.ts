// GET /auth/login/{provider} (docs/people.md): sends a browser to an identity provider, with a cookie that
// binds the login to it.

import { LoginFault } from "@annals/proto/keys";
import { type AuthDeps, type AuthRoute, by, providerOf } from "./auth-route.ts";
import { failurePage, fragmentOf } from "./log-in-page.ts";

const SEE_OTHER = 303;

export function beginLogin(deps: AuthDeps): AuthRoute {
  const { cookies, keys } = deps;
  return {
    handle: async (request, reply) => {
      const provider = providerOf(request);
      const { return_to: given } = request.query as { readonly return_to?: unknown };
      const asked = { provider, returnTo: fragmentOf(given) };
      const begun = await keys.beginLogin(asked, by(deps, request));
      const { redirectUrl, sealedLogin, statePrefix } = begun;
      if (begun.fault !== LoginFault.UNSPECIFIED)
        return reply.redirect(failurePage(begun, { provider, request: request.id }), SEE_OTHER);
      cookies.setLogin(request, reply, statePrefix, sealedLogin);
      return reply.redirect(redirectUrl, SEE_OTHER);
    },
  };
}
