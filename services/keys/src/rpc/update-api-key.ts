// UpdateApiKey: renames a key; its scopes are fixed (interface 5).

import { complete, notFound } from "@annals/errors";
import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { isApiKeyId } from "../domain/api-key-id.ts";
import { digestOf } from "../domain/audit-entries.ts";
import { AUDIT } from "../store/audit.ts";
import { updateApiKey as updateApiKeyStatement } from "../store/update-api-key.ts";
import { renderApiKey } from "./render-api-key.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

export function updateApiKey(deps: Deps): ServiceImpl<typeof KeysService>["updateApiKey"] {
  return async ({ accountId, id, name }, context) => {
    complete({ account_id: accountId, id, name });
    if (!isApiKeyId(id)) throw notFound("API key", id);
    const actor = actorOf(context);
    return deps.database.forAccount(accountId).transaction(async (transaction) => {
      const params = [accountId, id, name, actor.id ?? null] as const;
      const [row] = await transaction.run(updateApiKeyStatement, [...params]);
      if (!row) throw notFound("API key", id);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.key.updated",
        actor,
        target: { type: "api_key", id },
        diff: { before: digestOf("name", row.name_before), after: digestOf("name", name) },
        occurredAt: deps.clock.nowText(),
      });
      return { apiKey: renderApiKey(row) };
    });
  };
}
