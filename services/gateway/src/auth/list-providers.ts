// GET /auth/providers (docs/people.md): the identity providers that people can log in with.

import { type AuthDeps, type AuthRoute, by } from "./auth-route.ts";

export function listProviders(deps: AuthDeps): AuthRoute {
  return {
    handle: async (request, reply) => {
      const { providers } = await deps.keys.listProviders({}, by(deps, request));
      return reply.send({ data: providers.map(({ name, title }) => ({ name, title })) });
    },
  };
}
