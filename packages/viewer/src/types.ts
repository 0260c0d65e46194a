// What a page that embeds the viewer may use, as types. It imports nothing: these types are published.

/** A JSON value, as events have it. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

/** An event as the widget's routes return it. A part that the token hides is absent. */
export interface AuditEvent {
  readonly id: string;
  readonly sequence_number: number;
  readonly action: string;
  readonly actor?: JsonObject;
  readonly target?: JsonObject;
  readonly context?: JsonObject;
  readonly diff?: JsonObject;
  readonly metadata?: JsonObject;
  readonly hash: string;
  readonly previous_hash: string;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly created_at: string;
  /** The names of its erased parts; absent if no part is erased. */
  readonly erased?: readonly string[];
}

/** The filters that a reader can set. All have to match. */
export interface EventFilter {
  /** Exact, or a prefix with `*` at its end. */
  action?: string;
  actor_id?: string;
  actor_type?: string;
  target_id?: string;
  target_type?: string;
  /** ISO 8601: at or after this time. */
  occurred_from?: string;
  /** ISO 8601: before this time. */
  occurred_to?: string;
}

export interface WidgetToken {
  readonly token: string;
  /** ISO 8601. Without it the viewer learns of the end by the server's refusal. */
  readonly expires_at?: string;
}

/** The element `<annals-viewer>`. Its events: `annals-select`, `annals-token-expiring`. */
export interface AnnalsViewerElement extends HTMLElement {
  /** The base address of the service, without `/v1`. By default the origin of the page. */
  server: string;
  token: string;
  /** ISO 8601: when the token ends. */
  expiresAt: string;
  /** Called for the first token if none is set, a minute before it ends, and when it is refused. */
  tokenProvider: (() => Promise<WidgetToken | string>) | undefined;
  filter: EventFilter;
  /** Keeps the filters in the query of the page's address. */
  syncUrl: boolean;
  /** Seconds between two polls for new events; 0 for none. By default 10. */
  refreshSeconds: number;
  /** Texts that replace those of the viewer. */
  messages: Partial<Messages>;
  /** Starts again at the newest event. */
  reload(): void;
}

export interface AnnalsSelectDetail {
  readonly event: AuditEvent;
}

export interface AnnalsTokenExpiringDetail {
  /** Whether the token has been refused already. */
  readonly hasExpired: boolean;
}

/** Every text of the viewer. `{count}` and other names in braces are replaced. */
export interface Messages {
  readonly label: string;
  readonly time: string;
  readonly action: string;
  readonly actor: string;
  readonly target: string;
  readonly proof: string;
  readonly filters: string;
  readonly actionHint: string;
  readonly actorId: string;
  readonly actorType: string;
  readonly targetId: string;
  readonly targetType: string;
  readonly from: string;
  readonly to: string;
  readonly apply: string;
  readonly clear: string;
  readonly live: string;
  readonly download: string;
  readonly loading: string;
  readonly loaded: string;
  readonly empty: string;
  readonly emptyFiltered: string;
  readonly newEvents: string;
  /** The search has found nothing for long, and waits. */
  readonly searchPaused: string;
  readonly searchOn: string;
  readonly retry: string;
  readonly failed: string;
  readonly unreachable: string;
  readonly ended: string;
  readonly limited: string;
  readonly requestId: string;
  readonly verified: string;
  readonly differs: string;
  readonly hidden: string;
  readonly erased: string;
  readonly unchecked: string;
  readonly checking: string;
  readonly pageVerified: string;
  readonly pageDiffers: string;
  readonly pageChecking: string;
  readonly pageUnchecked: string;
  readonly insecure: string;
  readonly claim: string;
  readonly partVerified: string;
  readonly partDiffers: string;
  readonly partHidden: string;
  readonly partErased: string;
  readonly partErasedBy: string;
  readonly linkVerified: string;
  readonly linkDiffers: string;
  readonly linkUnchecked: string;
  readonly log: string;
  readonly covered: string;
  readonly coveredSeenByOne: string;
  readonly coveredSeenBy: string;
  readonly notCovered: string;
  readonly details: string;
  readonly close: string;
  readonly sequence: string;
  readonly id: string;
  readonly occurredAt: string;
  readonly receivedAt: string;
  readonly createdAt: string;
  readonly hash: string;
  readonly previousHash: string;
  readonly link: string;
  readonly context: string;
  readonly diff: string;
  readonly metadata: string;
  readonly meta: string;
  readonly none: string;
  readonly name: string;
  readonly value: string;
  readonly before: string;
  readonly after: string;
  readonly added: string;
  readonly removed: string;
  readonly changed: string;
  readonly same: string;
  readonly showAll: string;
  readonly raw: string;
  readonly copyJson: string;
  readonly copyCurl: string;
  readonly copied: string;
  readonly copyFailed: string;
}

declare global {
  interface HTMLElementTagNameMap {
    "annals-viewer": AnnalsViewerElement;
  }
  interface HTMLElementEventMap {
    "annals-select": CustomEvent<AnnalsSelectDetail>;
    "annals-token-expiring": CustomEvent<AnnalsTokenExpiringDetail>;
  }
}
