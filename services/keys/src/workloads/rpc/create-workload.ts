// CreateWorkload: trusts the programs of an issuer that have a subject and some claims, with some scopes.

import { MAX_WORKLOADS } from "@annals/contract";
import { AnnalsError, complete, notFound } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import type { KeyMaker } from "../../api-keys/rules/new-api-key.ts";
import type { Issuers } from "../../outbound/open-issuers.ts";
import { AUDIT } from "../../store/audit.ts";
import { lockAccount } from "../../store/lock-account.ts";
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
      await requireRoom(transaction, accountId);
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

/** Locks the account, so that no two see the same count. */
async function requireRoom(transaction: Database, accountId: string): Promise<void> {
  const [account] = await transaction.run(lockAccount, [accountId]);
  if (!account) throw notFound("account", accountId);
  const [count] = await transaction.run(countWorkloads, [accountId]);
  if (Number(count?.workloads ?? 0) < MAX_WORKLOADS) return;
  throw new AnnalsError(
    "plan_count_exceeded",
    `An account can have ${MAX_WORKLOADS} workloads, and this one has as many. Delete one first.`,
  );
}
