// CreateWorkload: trusts the programs of an issuer that have a subject and some claims, with some scopes.

import { MAX_WORKLOADS } from "@annals/contract";
import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import type { KeyMaker } from "../../api-keys/rules/new-api-key.ts";
import type { Issuers } from "../../outbound/open-issuers.ts";
import { AUDIT } from "../../store/audit.ts";
import { requireRoom } from "../../store/require-room.ts";
import { type AcceptedIssuers, entriesOf } from "../../identity/accepted-entries.ts";
import { workloadChange } from "../rules/audit-entries.ts";
import { newWorkload } from "../rules/new-workload.ts";
import { audienceOf } from "../rules/workload-token.ts";
import { countWorkloads } from "../store/count-workloads.ts";
import { createWorkload as createWorkloadStatement } from "../store/create-workload.ts";
import { renderWorkload } from "./render-workload.ts";

interface Deps extends Pick<KeyMaker, "clock" | "random"> {
  readonly database: Pool;
  readonly issuers: Pick<Issuers, "publicUrl">;
  readonly identities: AcceptedIssuers;
}

export function createWorkload(deps: Deps): ServiceImpl<typeof KeysService>["createWorkload"] {
  return async (asked, context) => {
    const { accountId } = asked;
    complete({ account_id: accountId, name: asked.name });
    const issuers = entriesOf(deps.identities.current.workloads, accountId).map(({ name }) => name);
    const workload = newWorkload(deps, asked, issuers);
    const { allowedIps, claims, createdAt, id, issuer, name, scopes, subject } = workload;
    const actor = actorOf(context);
    await deps.database.forAccount(accountId).transaction(async (transaction) => {
      await requireRoom(transaction, accountId, {
        count: async () =>
          Number((await transaction.run(countWorkloads, [accountId]))[0]?.workloads ?? 0),
        max: MAX_WORKLOADS,
        things: "workloads",
      });
      await transaction.run(createWorkloadStatement, [
        accountId,
        id,
        name,
        issuer,
        subject,
        JSON.stringify(claims),
        scopes,
        allowedIps,
        actor.id ?? null,
        createdAt,
      ]);
      const by = { actor, occurredAt: createdAt };
      await AUDIT.add(transaction, workloadChange("created", accountId, workload, by));
    });
    const row = { ...workload, allowed_ips: allowedIps, created_at: createdAt };
    return { workload: renderWorkload(row, audienceOf(deps.issuers.publicUrl, accountId)) };
  };
}
