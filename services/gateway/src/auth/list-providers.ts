// GET /auth/providers (docs/people.md): the identity providers that people can log in with, and what else the
// dashboard has to know before someone has logged in.

import { type AuthDeps, type AuthRoute, by } from "./auth-route.ts";

export function listProviders(deps: AuthDeps): AuthRoute {
  const { hasKeyLogin: key_login, publicOrigin } = deps;
  return {
    handle: async (request, reply) => {
      const { providers } = await deps.keys.listProviders({}, by(deps, request));
      const data = providers.map(({ name, title }) => ({ name, title }));
      return reply.send({ data, public_url: publicOrigin.origin, key_login });
    },
  };
}
