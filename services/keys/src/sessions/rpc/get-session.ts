// GetSession: whose session a cookie is, when it ends, and which mapping gives the person which role. It is
// no input of the person, and puts off no end.

import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Providers } from "../../outbound/open-providers.ts";
import { type AcceptedProviders, entryParams } from "../../identity/accepted-entries.ts";
import { findSession } from "../sessions.ts";
import { listSessionAccounts, type SessionAccountRow } from "../store/list-session-accounts.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly identities: AcceptedProviders;
  readonly providers: Pick<Providers, "named">;
}

const MAX_ACCOUNTS = 100;

export function getSession(deps: Deps): ServiceImpl<typeof KeysService>["getSession"] {
  const { database, identities, providers } = deps;
  return async ({ cookie }) => {
    const session = await findSession(deps, "dashboard", cookie);
    const of = session && providers.named(session.provider)?.provider;
    if (!session || !of) return {};
    const { person_id: personId, expires_at: expiresAt, idle_at: idleAt } = session;
    const params = [personId, MAX_ACCOUNTS + 1, ...entryParams(identities.current.people)] as const;
    const accounts = await database.run(listSessionAccounts, [...params]);
    return {
      session: {
        personId,
        provider: { name: of.name, title: of.title },
        subject: session.subject,
        name: session.name ?? "",
        email: session.email ?? "",
        groups: [...session.groups],
        accounts: accounts.slice(0, MAX_ACCOUNTS).map(renderAccount),
        hasMoreAccounts: accounts.length > MAX_ACCOUNTS,
        expiresAt,
        idleAt,
      },
    };
  };
}

function renderAccount(row: SessionAccountRow) {
  const { account_id: accountId, mapping_id: mappingId, name, role } = row;
  return { accountId, name, role, mappingId, group: row.group_name ?? "" };
}
