// UpdateApiKey: renames a key, and changes when it expires and where it may be used from; its scopes are
// fixed (interface 5). When this returns, no request that begins later is admitted as the key was before.

import { complete, notFound } from "@annals/errors";
import { type Clock, isIdOf } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { KeysService, UpdateApiKeyRequest } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { afterLeases } from "../../admissions/leases.ts";
import { digestOf, restrictions } from "../../accounts/rules/audit-entries.ts";
import { allowedIpsOf, expiryOf } from "../rules/key-restrictions.ts";
import { AUDIT } from "../../store/audit.ts";
import { allowedIpsOf as shownIpsOf } from "../../store/api-key-row.ts";
import { type UpdatedRow, updateApiKey as updateApiKeyStatement } from "../store/update-api-key.ts";
import { renderApiKey } from "./render-api-key.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

export function updateApiKey(deps: Deps): ServiceImpl<typeof KeysService>["updateApiKey"] {
  return async ({ accountId, id, name, ...asked }, context) => {
    complete({ account_id: accountId, id, name });
    if (!isIdOf("key", id)) throw notFound("API key", id);
    const actor = actorOf(context);
    const change = changeOf(deps.clock, asked);
    const updated = deps.database.forAccount(accountId).transaction(async (transaction) => {
      const [row] = await transaction.run(updateApiKeyStatement, [
        accountId,
        id,
        name,
        actor.id ?? null,
        change.expiresAt !== undefined,
        change.expiresAt ?? null,
        change.allowedIps !== undefined,
        change.allowedIps ?? null,
      ]);
      if (!row) throw notFound("API key", id);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.key.updated",
        actor,
        target: { type: "api_key", id },
        diff: diffOf(row, name),
        occurredAt: deps.clock.nowText(),
      });
      return { apiKey: renderApiKey(row) };
    });
    const isRenamed = change.expiresAt === undefined && change.allowedIps === undefined;
    return isRenamed ? updated : afterLeases(updated);
  };
}

/** Undefined if it stays as it is, null if the restriction is removed. Throws `invalid`. */
function changeOf(
  clock: Clock,
  { allowedIps, expiresAt }: Pick<UpdateApiKeyRequest, "allowedIps" | "expiresAt">,
) {
  const networks = allowedIps?.networks;
  return {
    expiresAt:
      expiresAt === undefined ? undefined : expiresAt === "" ? null : expiryOf(clock, expiresAt),
    allowedIps: networks && (networks.length === 0 ? null : allowedIpsOf(networks)),
  };
}

/** Names, and the restrictions that have changed. */
function diffOf(row: UpdatedRow, name: string) {
  const before = {
    expiresAt: row.expires_before,
    allowedIps: row.allowed_ips_before && shownIpsOf({ allowed_ips: row.allowed_ips_before }),
  };
  const after = { expiresAt: row.expires_at, allowedIps: row.allowed_ips && shownIpsOf(row) };
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  return {
    before: { ...digestOf("name", row.name_before), ...(!isSame && restrictions(before)) },
    after: { ...digestOf("name", name), ...(!isSame && restrictions(after)) },
  };
}
