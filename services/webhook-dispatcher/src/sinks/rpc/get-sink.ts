// GetSink: one sink of an account, without the secrets of its configuration (docs/interface.md).

import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import { findSink } from "../store/find-sink.ts";
import { openConfig, renderSink } from "./render-sink.ts";
import { checkSinkId } from "../sink-members.ts";

interface Deps {
  readonly database: Pool;
  readonly keys: SecretKeys;
}

export function getSink({ database, keys }: Deps): ServiceImpl<typeof WebhooksService>["getSink"] {
  return async ({ accountId, id }, { signal }) => {
    complete({ account_id: accountId, id });
    checkSinkId(id);
    const [row] = await database.forAccount(accountId, signal).run(findSink, [accountId, id]);
    if (!row) throw notFound("sink", id);
    return { sink: renderSink(row, openConfig(keys, row)) };
  };
}
