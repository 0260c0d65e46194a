// ListWorkloads: a page of the workloads of an account, newest first.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Issuers } from "../../outbound/open-issuers.ts";
import { listAccountWorkloads } from "../account-workloads.ts";
import { audienceOf } from "../rules/workload-token.ts";
import { renderWorkload } from "./render-workload.ts";

interface Deps {
  readonly database: Pool;
  readonly issuers: Pick<Issuers, "publicUrl">;
}

export function listWorkloads(deps: Deps): ServiceImpl<typeof KeysService>["listWorkloads"] {
  return async ({ accountId, limit, after }, context) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, context.signal);
    const { rows, next } = await listAccountWorkloads(database, accountId, { after, limit });
    const audience = audienceOf(deps.issuers.publicUrl, accountId);
    return { workloads: rows.map((row) => renderWorkload(row, audience)), next };
  };
}
