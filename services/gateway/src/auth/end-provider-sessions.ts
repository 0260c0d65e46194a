// POST /auth/backchannel/{provider} (docs/people.md): an identity provider says that a person has logged out
// there (OpenID Connect Back-Channel Logout 1.0). It sends a form, and no cookie is looked at.

import { AnnalsError } from "@annals/errors";
import { type AuthDeps, type AuthRoute, by, providerOf } from "./auth-route.ts";

const OK = 200;
const BAD_REQUEST = 400;

export function endProviderSessions(deps: AuthDeps): AuthRoute {
  return {
    body: "form",
    handle: async (request, reply) => {
      const { body } = request;
      const form = body instanceof URLSearchParams ? body : new URLSearchParams();
      const logoutToken = form.get("logout_token") ?? "";
      try {
        const given = { provider: providerOf(request), logoutToken };
        await deps.keys.endProviderSessions(given, by(deps, request));
        return reply.code(OK).send();
      } catch (error) {
        // The specification has one status for whatever is wrong with a request.
        if (!(error instanceof AnnalsError) || !["invalid", "not_found"].includes(error.kind))
          throw error;
        return reply
          .code(BAD_REQUEST)
          .send({ error: "invalid_request", error_description: error.message });
      }
    },
  };
}
