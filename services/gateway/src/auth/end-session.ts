// POST /auth/logout (docs/people.md): ends the session of this browser, and says where the one at the
// identity provider ends.

import { type AuthDeps, type AuthRoute, by } from "./auth-route.ts";

export function endSession(deps: AuthDeps): AuthRoute {
  const { cookies, keys } = deps;
  return {
    body: "json",
    handle: async (request, reply) => {
      const cookie = cookies.sessionOf(request);
      const { endSessionUrl } =
        cookie === ""
          ? { endSessionUrl: "" }
          : await keys.endSession({ cookie }, by(deps, request));
      cookies.clearSession(reply);
      return reply.send({ data: { end_session_url: endSessionUrl || null } });
    },
  };
}
