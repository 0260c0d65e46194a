// EndSession: ends a session with all that it has made, and says where the browser ends that at the provider.

import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Providers } from "../../outbound/open-providers.ts";
import type { AcceptedProviders } from "../../identity/accepted-entries.ts";
import { openIdToken } from "../rules/sealed-id-token.ts";
import { endSession as end, findSession } from "../sessions.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly identities: AcceptedProviders;
  readonly providers: Providers;
}

export function endSession(deps: Deps): ServiceImpl<typeof KeysService>["endSession"] {
  return async ({ cookie }) => {
    const session = await findSession(deps, cookie);
    if (!session) return {};
    const sealed = await end(deps, session.id, "logout");
    const idToken = openIdToken(session.cookie, sealed);
    const client = deps.providers.named(session.provider);
    if (!client || idToken === undefined) return {};
    return { endSessionUrl: (await client.logout.url(idToken)) ?? "" };
  };
}
