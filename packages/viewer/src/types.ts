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

/** One value, or several, one of which has to match. */
export type FilterValue = string | readonly string[];

/** The filters that a reader can set. All have to match. */
export interface EventFilter {
  /** Exact, or a prefix with `*` at its end. */
  action?: FilterValue;
  actor_id?: FilterValue;
  actor_type?: FilterValue;
  target_id?: FilterValue;
  target_type?: FilterValue;
  /** `metadata.outcome`. */
  outcome?: FilterValue;
  /** A declared field by its name, or what is left out: `not.` and the name of another filter. */
  [more: `field.${string}` | `not.${string}`]: FilterValue;
  /** At least three characters that an event has anywhere. */
  text?: string;
  /** ISO 8601: at or after this time. */
  occurred_from?: string;
  /** ISO 8601: before this time. */
  occurred_to?: string;
}

/** The zone in which times are shown: the reader's, or UTC. */
export type Zone = "local" | "utc";

export interface WidgetToken {
  readonly token: string;
  /** ISO 8601. Without it the viewer learns of the end by the server's refusal. */
  readonly expires_at?: string;
}

/** The element `<annals-viewer>`. Its events: `annals-select`, `annals-state`, `annals-token-expiring`. */
export interface AnnalsViewerElement extends HTMLElement {
  /** The base address of the service, without `/v1`. By default the origin of the page. */
  server: string;
  token: string;
  /** ISO 8601: when the token ends. */
  expiresAt: string;
  /** Called for the first token if none is set, a minute before it ends, and when it is refused. */
  tokenProvider: (() => Promise<WidgetToken | string>) | undefined;
  filter: EventFilter;
  /** The id of the opened event, or "" if none is open. */
  openEvent: string;
  /** By default what the reader chose last, at first the local one. */
  zone: Zone;
  /** Keeps the filters and the opened event in the query of the page's address. */
  syncUrl: boolean;
  /**
   * Fields whose frequent values are listed on the left of a wide viewer, with spaces between:
   * `outcome action field.ip`. At most six; by default none.
   */
  facets: string;
  /**
   * The columns of the table with spaces between, in order: `occurred_at`, `received_at`, `created_at`,
   * `action`, `outcome`, `actor`, `target`, `id`, `sequence_number`, or a path such as `metadata.plan`. At
   * most twelve; by default `occurred_at action actor target context.ip`.
   */
  columns: string;
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

/** What a page needs to show the same again. The reader changed a part of it. */
export interface AnnalsStateDetail {
  readonly filter: EventFilter;
  readonly openEvent: string;
  readonly zone: Zone;
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
  readonly address: string;
  readonly outcome: string;
  readonly proof: string;
  readonly zone: string;
  readonly local: string;
  readonly filters: string;
  readonly search: string;
  /** The name of the search bar. */
  readonly query: string;
  readonly suggestions: string;
  /** What is wrong in a query: `{part}` is the place, `{place}` its number. */
  readonly openQuote: string;
  readonly openList: string;
  readonly missingValue: string;
  readonly excludedText: string;
  readonly shortText: string;
  readonly badTime: string;
  readonly removeFilter: string;
  readonly range: string;
  readonly allTimes: string;
  /** `{span}` is such as "30 days". */
  readonly lastSpan: string;
  readonly ownRange: string;
  readonly since: string;
  readonly until: string;
  readonly counted: string;
  readonly countedOne: string;
  /** Older events were not counted. */
  readonly countedNewest: string;
  readonly bars: string;
  readonly barsHow: string;
  /** What the bars are of, in the legend and the table. */
  readonly allEventsBar: string;
  readonly failures: string;
  readonly barName: string;
  readonly barNameFailures: string;
  readonly facets: string;
  readonly others: string;
  readonly ofNewest: string;
  readonly exclude: string;
  readonly altExcludes: string;
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
  /** What a reader may do if there is nothing to show. */
  readonly lookAgain: string;
  readonly allEvents: string;
  readonly newEvents: string;
  readonly saved: string;
  readonly savedNewest: string;
  /** Other events match, at other times. */
  readonly emptyRange: string;
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
  readonly pageVerifiedOne: string;
  readonly pageDiffers: string;
  readonly pageChecking: string;
  readonly pageUnchecked: string;
  readonly insecure: string;
  readonly claim: string;
  readonly noClaim: string;
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
  readonly notFound: string;
  readonly close: string;
  readonly newer: string;
  readonly older: string;
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
  readonly more: string;
  readonly event: string;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly before: string;
  readonly after: string;
  readonly added: string;
  readonly removed: string;
  readonly changed: string;
  readonly same: string;
  readonly changesShown: string;
  readonly filterBy: string;
  readonly excludeThis: string;
  /** Opens the first event with a value. */
  readonly first: string;
  readonly copy: string;
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
    "annals-state": CustomEvent<AnnalsStateDetail>;
    "annals-token-expiring": CustomEvent<AnnalsTokenExpiringDetail>;
  }
}
