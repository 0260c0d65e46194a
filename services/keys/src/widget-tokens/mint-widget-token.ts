// Mints a widget token, stores its hash and records it in the operator's audit. Called by
// rpc/create-widget-token.ts for an account, and by the admin API for the operator's console. The token
// leaves in what this returns and nowhere else.

import type { AuditClientType } from "@annals/contract";
import { AnnalsError, internal, invalid } from "@annals/errors";
import { type Database, parameterBytes, type Pool } from "@annals/postgres";
import { digestOf } from "../accounts/rules/audit-entries.ts";
import { type Plans, shareOfTokens } from "../accounts/rules/plan.ts";
import type { KeyMaker } from "../api-keys/rules/new-api-key.ts";
import { AUDIT } from "../store/audit.ts";
import { countWidgetTokens } from "../store/count-widget-tokens.ts";
import { lockAccount } from "../store/lock-account.ts";
import {
  type NewWidgetToken,
  newWidgetToken,
  type TokenRequest,
} from "./rules/new-widget-token.ts";
import { createWidgetToken } from "./store/create-widget-token.ts";

export interface MintDeps extends KeyMaker {
  readonly database: Pool;
  readonly plans: Plans;
}

export interface AskedToken extends TokenRequest {
  readonly accountId: string;
  /** An EventFilter in binary, and the same as the client sent it. */
  readonly filter: Uint8Array;
  readonly filterJson: string;
}

interface Maker {
  readonly actor: { readonly type: AuditClientType | "operator"; readonly id: string };
  /** With whose end the token ends; null for one of an API key or a workload. */
  readonly sessionId: string | null;
}

/** Throws `invalid`, or `plan_count_exceeded` if the account or the maker has as many as they may. */
export async function mintWidgetToken(
  deps: MintDeps,
  asked: AskedToken,
  { actor, sessionId }: Maker,
): Promise<NewWidgetToken> {
  const { accountId, filterJson, viewerId, viewerName } = asked;
  const token = newWidgetToken(deps, asked);
  requireViewerId(viewerId, viewerName);
  const row = [
    accountId,
    token.id,
    token.tokenPrefix,
    token.secretSha256,
    asked.filter,
    filterJson,
    token.parts,
    token.origins,
    viewerId || null,
    viewerName || null,
    actor.id,
    token.createdAt,
    token.expiresAt,
    sessionId,
  ] as const;
  const store = async (transaction: Database) => {
    await requireRoom(transaction, deps.plans, accountId, actor.id);
    await transaction.run(createWidgetToken, [...row]);
    await AUDIT.add(transaction, {
      accountId,
      action: "annals.widget_token.created",
      actor,
      target: { type: "widget_token", id: token.id },
      metadata: {
        ...(viewerId !== "" && digestOf("viewer_id", viewerId)),
        ...digestOf("filter", JSON.parse(filterJson)),
        parts: token.parts,
        ...digestOf("origins", [...token.origins]),
        expires_at: token.expiresAt,
      },
      occurredAt: token.createdAt,
    });
  };
  await deps.database.forAccount(accountId).transaction(store, () => parameterBytes(row));
  return token;
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
  makerId: string,
): Promise<void> {
  const [account] = await transaction.run(lockAccount, [accountId]);
  if (!account) throw internal(`account ${accountId} does not exist`);
  const { maxWidgetTokens, name } = plans.of(account.plan);
  const share = shareOfTokens(maxWidgetTokens);
  const [count] = await transaction.run(countWidgetTokens, [accountId, makerId]);
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
