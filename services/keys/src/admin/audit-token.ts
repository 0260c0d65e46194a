// The route of the admin API with which the console's page reads the audit: a widget token of the system
// account. Read by routes.ts. It is the session's, so it ends with it, and admission asks with each request
// whether the identity file still names the operator.

import { SYSTEM_ACCOUNT_ID, WIDGET_PARTS } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import { mintWidgetToken } from "../widget-tokens/mint-widget-token.ts";
import type { AdminRequest, Deps } from "./route.ts";

/** Seconds that a token lives: a page that is closed leaves one for no longer. */
const LIFETIME_S = 3_600;
/** An annals.ledger.v1.EventFilter in binary that lets every event pass. */
const EVERYTHING = new Uint8Array();

export async function postAuditToken(deps: Deps, { actor, body, sessionId }: AdminRequest) {
  body.only();
  const { id } = actor;
  const { consoleAt } = deps;
  if (id === undefined || sessionId === undefined || !consoleAt)
    throw new AnnalsError("scope_missing", "This is for people who have logged in to the console.");
  const asked = {
    accountId: SYSTEM_ACCOUNT_ID,
    parts: WIDGET_PARTS,
    origins: [consoleAt.origin],
    expiresInS: LIFETIME_S,
    viewerId: id,
    viewerName: "",
    filter: EVERYTHING,
    filterJson: "{}",
  };
  const minted = await mintWidgetToken(deps, asked, { actor: { ...actor, id }, sessionId });
  const { expiresAt: expires_at, secret: token } = minted;
  return { status: 201, body: { data: { token, expires_at, server: consoleAt.publicUrl } } };
}
