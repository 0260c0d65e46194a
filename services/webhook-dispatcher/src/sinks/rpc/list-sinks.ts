// ListSinks: a page of the sinks of an account, newest first, without the secrets of their configurations
// (docs/interface.md).

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { keysetPage } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import { listSinks as listSinksStatement } from "../store/list-sinks.ts";
import { openConfig, renderSink } from "./render-sink.ts";

interface Deps {
  readonly database: Pool;
  readonly keys: SecretKeys;
}

export function listSinks(deps: Deps): ServiceImpl<typeof WebhooksService>["listSinks"] {
  return async ({ accountId, limit, after }, { signal }) => {
    complete({ account_id: accountId });
    const database = deps.database.forAccount(accountId, signal);
    const { rows, next } = await keysetPage({ after, limit }, "sink_", (...params) =>
      database.run(listSinksStatement, [accountId, ...params]),
    );
    return { sinks: rows.map((row) => renderSink(row, openConfig(deps.keys, row))), next };
  };
}
