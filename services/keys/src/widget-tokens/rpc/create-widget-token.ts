// CreateWidgetToken: mints a token for the widget routes and stores its hash (docs/interface.md). The
// token leaves in this response and nowhere else. One of a person ends with the session at the latest.

import { AnnalsError, complete, internal, invalid } from "@annals/errors";
import { type Database, parameterBytes, type Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { EventFilterSchema } from "@annals/proto/ledger";
import { actorOf, admissionOf } from "@annals/rpc";
import { create, toBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { digestOf } from "../../accounts/rules/audit-entries.ts";
import type { KeyMaker } from "../../api-keys/rules/new-api-key.ts";
import { newWidgetToken } from "../rules/new-widget-token.ts";
import { type Plans, shareOfTokens } from "../../accounts/rules/plan.ts";
import { AUDIT } from "../../store/audit.ts";
import { countWidgetTokens } from "../../store/count-widget-tokens.ts";
import { createWidgetToken as createWidgetTokenStatement } from "../store/create-widget-token.ts";
import { lockAccount } from "../../store/lock-account.ts";

interface Deps extends KeyMaker {
  readonly database: Pool;
  readonly plans: Plans;
}

export function createWidgetToken(
  deps: Deps,
): ServiceImpl<typeof KeysService>["createWidgetToken"] {
  return async (asked, context) => {
    const { accountId, viewerId, viewerName } = asked;
    const actor = actorOf(context);
    complete({ account_id: accountId, filter_json: asked.filterJson });
    const { id: keyId } = actor;
    if (keyId === undefined) throw internal("a widget token needs the key that creates it");
    const sessionId = admissionOf(context)?.sessionId || null;
    const filter = asked.filter ?? create(EventFilterSchema);
    const { secret, secretSha256, ...token } = newWidgetToken(deps, asked);
    requireViewerId(viewerId, viewerName);
    const row = [
      accountId,
      token.id,
      token.tokenPrefix,
      secretSha256,
      toBinary(EventFilterSchema, filter),
      asked.filterJson,
      token.parts,
      token.origins,
      viewerId || null,
      viewerName || null,
      keyId,
      token.createdAt,
      token.expiresAt,
      sessionId,
    ] as const;
    const store = async (transaction: Database) => {
      await requireRoom(transaction, deps.plans, accountId, keyId);
      await transaction.run(createWidgetTokenStatement, [...row]);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.widget_token.created",
        actor,
        target: { type: "widget_token", id: token.id },
        metadata: {
          ...(viewerId !== "" && digestOf("viewer_id", viewerId)),
          ...digestOf("filter", JSON.parse(asked.filterJson)),
          parts: token.parts,
          ...digestOf("origins", [...token.origins]),
          expires_at: token.expiresAt,
        },
        occurredAt: token.createdAt,
      });
    };
    const pool = deps.database.forAccount(accountId);
    await pool.transaction(store, () => parameterBytes(row));
    const { filterJson } = asked;
    const shown = { ...token, parts: [...token.parts], origins: [...token.origins] };
    return { widgetToken: { ...shown, filterJson, viewerId, viewerName }, secret };
  };
}

/** Throws `invalid` for a name alone, which does not identify the viewer. */
function requireViewerId(id: string, name: string): void {
  if (id === "" && name !== "") throw invalid({ field: "viewer.id", message: "is required" });
}

/** Locks the account, so that no two creations see the same count. */
async function requireRoom(
  transaction: Database,
  plans: Plans,
  accountId: string,
  keyId: string,
): Promise<void> {
  const [account] = await transaction.run(lockAccount, [accountId]);
  if (!account) throw internal(`account ${accountId} does not exist`);
  const { maxWidgetTokens, name } = plans.of(account.plan);
  const share = shareOfTokens(maxWidgetTokens);
  const [count] = await transaction.run(countWidgetTokens, [accountId, keyId]);
  if (Number(count?.live_tokens ?? 0) >= maxWidgetTokens) {
    throw new AnnalsError(
      "plan_count_exceeded",
      `The plan ${name} allows ${maxWidgetTokens} live widget tokens. Revoke some, or let them expire.`,
    );
  }
  if (Number(count?.of_key ?? 0) < share) return;
  throw new AnnalsError(
    "plan_count_exceeded",
    `One key can have at most ${share} of the account's ${maxWidgetTokens} live widget tokens. Revoke some, or let them expire.`,
  );
}
