// EndProviderSessions: ends the sessions that a logout token of a provider names (OpenID Connect Back-Channel
// Logout 1.0). When it returns, nothing that they have made is admitted.

import type { Clock } from "@annals/contract";
import { complete, invalid, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Providers } from "../../outbound/open-providers.ts";
import { AUDIT } from "../../store/audit.ts";
import { sessionEnded } from "../rules/audit-entries.ts";
import { LOGOUT_KEPT_MINUTES, logoutSha256 } from "../rules/spent-token.ts";
import { deleteProviderSessions } from "../store/delete-provider-sessions.ts";
import { spendToken } from "../store/spend-token.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly providers: Providers;
}

export function endProviderSessions(
  deps: Deps,
): ServiceImpl<typeof KeysService>["endProviderSessions"] {
  const { clock, database, providers } = deps;
  return async ({ logoutToken, provider: name }) => {
    complete({ provider: name, logout_token: logoutToken });
    const client = providers.named(name);
    if (!client) throw notFound("identity provider", name);
    const { issuer } = client.provider;
    const { id, sid = null, subject = null } = await client.logout.verify(logoutToken);
    await database.transaction(async (transaction) => {
      const token = [logoutSha256(issuer, id), LOGOUT_KEPT_MINUTES] as const;
      const [spent] = await transaction.run(spendToken, [...token]);
      if (!spent) throw invalid({ field: "logout_token", message: "was used before" });
      const ended = await transaction.run(deleteProviderSessions, [issuer, subject, sid]);
      const occurredAt = clock.nowText();
      for (const { id: sessionId, person_id: personId } of ended) {
        const entry = { sessionId, personId, occurredAt };
        await AUDIT.add(transaction, sessionEnded(entry, "logout_of_provider"));
      }
    });
    return {};
  };
}
