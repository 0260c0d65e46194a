// DeleteSink: deletes a sink permanently, with its configuration (docs/interface.md). A batch that is being
// sent may still arrive; no batch begins after the response.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { sinkChange } from "../rules/audit-entries.ts";
import { AUDIT } from "../../store/audit.ts";
import { deleteSink as deleteSinkStatement } from "../store/delete-sink.ts";
import { checkSinkId } from "../sink-members.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

export function deleteSink(deps: Deps): ServiceImpl<typeof WebhooksService>["deleteSink"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    checkSinkId(id);
    const actor = actorOf(context);
    await deps.database.forAccount(accountId, context.signal).transaction(async (transaction) => {
      const [row] = await transaction.run(deleteSinkStatement, [accountId, id]);
      if (!row) throw notFound("sink", id);
      const change = { actor, occurredAt: deps.clock.nowText() };
      await AUDIT.add(transaction, sinkChange("deleted", accountId, id, change));
    });
    return {};
  };
}
