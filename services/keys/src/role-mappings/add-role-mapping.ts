// Adds a role mapping and records it in the operator's audit. Called by rpc/create-role-mapping.ts for an
// account, and by the command of the operator.

import { type AuditClientType, MAX_ROLE_MAPPINGS } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { KeyMaker } from "../api-keys/rules/new-api-key.ts";
import { type AcceptedProviders, entriesOf } from "../identity/accepted-entries.ts";
import { AUDIT } from "../store/audit.ts";
import { requireRoom } from "../store/require-room.ts";
import { roleMappingChange } from "./rules/audit-entries.ts";
import {
  type GivenMapping,
  type NewRoleMapping,
  newRoleMapping,
} from "./rules/new-role-mapping.ts";
import { countRoleMappings } from "./store/count-role-mappings.ts";
import { createRoleMapping } from "./store/create-role-mapping.ts";

export interface RoleMappingDeps extends Pick<KeyMaker, "clock" | "random"> {
  readonly database: Pick<Pool, "transaction">;
  readonly identities: AcceptedProviders;
}

interface Actor {
  readonly type: AuditClientType | "operator";
  readonly id?: string | undefined;
}

/** Throws `invalid`, `plan_count_exceeded` if the account has as many as it may, or `not_found`. */
export async function addRoleMapping(
  { database, identities, ...maker }: RoleMappingDeps,
  given: GivenMapping,
  actor: Actor,
): Promise<NewRoleMapping> {
  const { accountId } = given;
  const providers = entriesOf(identities.current.people, accountId);
  const mapping = newRoleMapping(
    maker,
    given,
    providers.map(({ name }) => name),
  );
  const { createdAt, group, id, provider, role, subject } = mapping;
  await database.transaction(async (transaction) => {
    await requireRoom(transaction, accountId, {
      count: async () =>
        Number((await transaction.run(countRoleMappings, [accountId]))[0]?.mappings ?? 0),
      max: MAX_ROLE_MAPPINGS,
      things: "role mappings",
    });
    await transaction.run(createRoleMapping, [
      accountId,
      id,
      provider,
      group,
      subject,
      role,
      actor.id ?? null,
      createdAt,
    ]);
    const by = { actor, occurredAt: createdAt };
    await AUDIT.add(transaction, roleMappingChange("created", accountId, mapping, by));
  });
  return mapping;
}
