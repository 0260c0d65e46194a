// Ends the session of a cookie with all that it has made, and says where the browser ends that at the
// provider. Called by EndSession and by the operator's console.

import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { Providers } from "../outbound/open-providers.ts";
import type { AcceptedProviders } from "../identity/accepted-entries.ts";
import type { Realm } from "./rules/realm.ts";
import { openIdToken } from "./rules/sealed-id-token.ts";
import { endSession, findSession } from "./sessions.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly identities: AcceptedProviders;
  readonly providers: Pick<Providers, "named">;
}

/** The URL is empty, or there is none, if the provider has none or there is no such session. */
export async function logOut(
  realm: Realm,
  deps: Deps,
  cookie: string,
): Promise<{ readonly endSessionUrl?: string }> {
  const session = await findSession(deps, realm, cookie);
  if (!session) return {};
  const sealed = await endSession(deps, session.id, "logout");
  const idToken = openIdToken(session.cookie, sealed);
  const client = deps.providers.named(session.provider);
  if (!client || idToken === undefined) return {};
  return { endSessionUrl: (await client.logout.url(idToken)) ?? "" };
}
