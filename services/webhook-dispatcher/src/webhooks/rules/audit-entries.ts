// Audit entries of webhooks. Called by the handlers, result-writer.ts and erased-filters.ts. They
// never hold a secret: they have only the origin of a URL, because its path and query may be what authorises
// a delivery. They never hold a filter, because it may name a person: they have a digest of it.

import type { AuditClientType } from "@annals/contract";
import { jsonSha256, type JsonValue } from "@annals/event";
import { filterOf } from "./filter-history.ts";

export interface Change {
  readonly actor: {
    readonly type: AuditClientType | "operator" | "service";
    readonly id?: string | undefined;
  };
  readonly occurredAt: string;
  readonly diff?: { readonly before?: object; readonly after?: object };
  readonly metadata?: object;
}

export function webhookChange<const Verb extends string>(
  verb: Verb,
  accountId: string,
  webhookId: string,
  change: Change,
) {
  const target = { type: "webhook", id: webhookId };
  return { accountId, action: `annals.webhook.${verb}`, target, ...change } as const;
}

/** The members of a webhook that a client has set, as far as they may be shown. */
export function shownWebhook(webhook: {
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  /** JSON text; null: it receives all events. */
  readonly filter: string | null;
}) {
  const { active, events, url } = webhook;
  return { active, events, ...filterDigest(webhook), url_origin: new URL(url).origin };
}

/** What is shown in place of a filter. */
export function filterDigest(of: { readonly filter: string | null }) {
  const filter = filterOf(of) as JsonValue;
  return filter === null ? {} : { filter_sha256: jsonSha256(filter) };
}
