// GET /auth/session (docs/people.md): who has logged in with this browser, the accounts in which they have a
// role, and which mapping gives it. Null if nobody has: that is no error.

import type { Session } from "@annals/proto/keys";
import { type AuthDeps, type AuthRoute, by } from "./auth-route.ts";

export function getSession(deps: AuthDeps): AuthRoute {
  const { cookies, keys } = deps;
  return {
    handle: async (request, reply) => {
      const cookie = cookies.sessionOf(request);
      if (cookie === "") return reply.send({ data: null });
      const { session } = await keys.getSession({ cookie }, by(deps, request));
      if (!session) cookies.clearSession(reply);
      return reply.send({ data: session ? renderSession(session) : null });
    },
  };
}

function renderSession(session: Session) {
  const { accounts, email, groups, hasMoreAccounts, name, provider, subject } = session;
  return {
    person_id: session.personId,
    provider: { name: provider?.name ?? "", title: provider?.title ?? "" },
    subject,
    name: name || null,
    email: email || null,
    groups,
    accounts: accounts.map((account) => ({
      account_id: account.accountId,
      name: account.name,
      role: account.role,
      role_mapping_id: account.mappingId,
      group: account.group || null,
    })),
    has_more_accounts: hasMoreAccounts,
    expires_at: session.expiresAt,
    idle_at: session.idleAt,
  };
}
