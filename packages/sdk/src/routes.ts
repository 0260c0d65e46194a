// A method for each route that a person or their programs need, named by its noun and its verb. The dashboard
// has these alone; the client of the SDK adds the rest, track() and what verifies (annals.ts).

import { ApiKeys } from "./api-keys.ts";
import { Archives } from "./archives.ts";
import { type Created, type CreateOptions, idempotent } from "./create-options.ts";
import { Log } from "./log.ts";
import { listOf, pageOf, type PageOptions, type Pages, path } from "./pages.ts";
import { People, RoleMappings } from "./people.ts";
import { SearchFields } from "./search-fields.ts";
import { Searches } from "./searches.ts";
import { Sinks } from "./sinks.ts";
import { type CallOptions, get, post, put, type Transport } from "./transport.ts";
import type * as T from "./types.ts";
import { Workloads } from "./workloads.ts";

export interface EventWithProof<OneEvent = T.Event, OneProof = T.Proof> {
  readonly data: OneEvent;
  readonly proof: OneProof;
}

export class Routes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.apiKeys = new ApiKeys(transport);
    this.archives = new Archives(transport);
    this.log = new Log(transport);
    this.people = new People(transport);
    this.roleMappings = new RoleMappings(transport);
    this.searchFields = new SearchFields(transport);
    this.searches = new Searches(transport);
    this.sinks = new Sinks(transport);
    this.workloads = new Workloads(transport);
  }

  readonly events = {
    /** Stores an event. Safe to repeat, by itself and with the same `idempotencyKey`. */
    create: (event: T.NewEvent, options?: CreateOptions): Promise<T.Event> =>
      this.#post("create-event", "/events", event, idempotent(options)),
    /** Stores 1 to 1,000 events, all or none. */
    createMany: (events: readonly T.NewEvent[], options?: CreateOptions): Promise<T.Event[]> =>
      this.#post("create-event-batch", "/events/batch", { events }, idempotent(options)),
    get: (id: string, options?: CallOptions): Promise<T.Event> =>
      this.#get("get-event", `/events/${path(id)}`, options),
    /** Gets an event with what `verify.events` needs. */
    getWithProof: (id: string, options?: CallOptions): Promise<EventWithProof> =>
      this.#transport.json(
        { ...get("get-event", `/events/${path(id)}`), query: { include: "proof" } },
        options,
      ),
    list: (filter?: T.EventFilter, options?: CallOptions): Pages<T.Event, T.EventPage> =>
      this.#list("list-events", "/events", filter, options),
    /** Counts events by time. Pages add up: go on with `next_cursor`, if it is not null. */
    histogram: (query?: T.HistogramQuery, options?: CallOptions): Promise<T.EventHistogram> =>
      this.#transport.json({ ...get("count-events", "/events/histogram"), query }, options),
    /** Counts the most frequent values of up to six fields. */
    facets: (query: T.FacetsQuery, options?: CallOptions): Promise<T.EventFacet[]> =>
      this.#transport.data({ ...get("count-values", "/events/facets"), query }, options),
  };

  readonly verify = {
    /** The service verifies its chain. */
    chain: (range?: T.VerificationRange, options?: CallOptions): Promise<T.Verification> =>
      this.#transport.data({ ...get("verify-chain", "/verify"), query: range }, options),
  };

  /** The log of evidence, as it concerns the account. */
  readonly log: Log;

  readonly usage = {
    /** What the plan allows, and what of each limit is used. */
    get: (options?: CallOptions): Promise<T.Usage> => this.#get("get-usage", "/usage", options),
  };

  readonly exports = {
    create: (options: T.NewExport = {}, call?: CallOptions): Promise<T.Export> =>
      this.#post("create-export", "/exports", options, call),
    list: (options?: PageOptions): Pages<T.Export, T.ExportPage> =>
      this.#list("list-exports", "/exports", pageOf(options), options),
    get: (id: string, options?: CallOptions): Promise<T.Export> =>
      this.#get("get-export", `/exports/${path(id)}`, options),
    /** The response with the file, to be read as a stream. */
    content: (id: string, options?: CallOptions): Promise<Response> =>
      this.#transport.response(get("get-export-content", `/exports/${path(id)}/content`), options),
    delete: (id: string, options?: CallOptions): Promise<void> =>
      this.#delete("delete-export", `/exports/${path(id)}`, options),
  };

  readonly apiKeys: ApiKeys;

  readonly webhooks = {
    create: <Options extends CreateOptions = CallOptions>(
      webhook: T.NewWebhook,
      options?: Options,
    ): Promise<Created<T.CreatedWebhook, "secret", Options>> =>
      this.#post("create-webhook", "/webhooks", webhook, options),
    list: (options?: PageOptions): Pages<T.Webhook, T.WebhookPage> =>
      this.#list("list-webhooks", "/webhooks", pageOf(options), options),
    update: (id: string, change: T.WebhookUpdate, options?: CallOptions): Promise<T.Webhook> =>
      this.#patch("update-webhook", `/webhooks/${path(id)}`, change, options),
    delete: (id: string, options?: CallOptions): Promise<void> =>
      this.#delete("delete-webhook", `/webhooks/${path(id)}`, options),
    deliveries: (id: string, options?: PageOptions): Pages<T.Delivery, T.DeliveryPage> =>
      this.#list("list-deliveries", `/webhooks/${path(id)}/deliveries`, pageOf(options), options),
    test: (id: string, options?: CallOptions): Promise<T.QueuedDelivery> =>
      this.#post("test-webhook", `/webhooks/${path(id)}/test`, undefined, options),
    replayDelivery: (
      id: string,
      deliveryId: string,
      options?: CallOptions,
    ): Promise<T.QueuedDelivery> =>
      this.#post(
        "replay-delivery",
        `/webhooks/${path(id)}/deliveries/${path(deliveryId)}/replay`,
        undefined,
        options,
      ),
    replayEvents: (
      id: string,
      range: T.ReplayRange,
      options?: CallOptions,
    ): Promise<T.QueuedDeliveries> =>
      this.#post("replay-events", `/webhooks/${path(id)}/replay`, range, options),
    rotateSecret: (
      id: string,
      rotation: T.SecretRotation = {},
      options?: CallOptions,
    ): Promise<T.RotatedWebhook> =>
      this.#post("rotate-secret", `/webhooks/${path(id)}/rotate-secret`, rotation, options),
  };

  /** A SIEM or a bucket that is sent the events, in order. */
  readonly sinks: Sinks;

  /**
   * For the browsers of people (`<annals-viewer>`). The token is in the response that created it alone.
   */
  readonly widgetTokens = {
    create: (token: T.NewWidgetToken = {}, options?: CallOptions): Promise<T.CreatedWidgetToken> =>
      this.#post("create-widget-token", "/widget-tokens", token, options),
    list: (options?: PageOptions): Pages<T.WidgetToken, T.WidgetTokenPage> =>
      this.#list("list-widget-tokens", "/widget-tokens", pageOf(options), options),
    delete: (id: string, options?: CallOptions): Promise<void> =>
      this.#delete("delete-widget-token", `/widget-tokens/${path(id)}`, options),
  };

  /** Erase parts of stored events, after a delay. */
  readonly erasures = {
    create: (erasure: T.NewErasure, options?: CallOptions): Promise<T.Erasure> =>
      this.#post("create-erasure", "/erasures", erasure, options),
    list: (options?: PageOptions): Pages<T.Erasure, T.ErasurePage> =>
      this.#list("list-erasures", "/erasures", pageOf(options), options),
    get: (id: string, options?: CallOptions): Promise<T.Erasure> =>
      this.#get("get-erasure", `/erasures/${path(id)}`, options),
    cancel: (id: string, options?: CallOptions): Promise<void> =>
      this.#delete("cancel-erasure", `/erasures/${path(id)}`, options),
  };

  /** Keep events from erasure and from retention. */
  readonly holds = {
    place: (hold: T.NewHold, options?: CreateOptions): Promise<T.Hold> =>
      this.#post("place-hold", "/holds", hold, options),
    list: (options?: PageOptions): Pages<T.Hold, T.HoldPage> =>
      this.#list("list-holds", "/holds", pageOf(options), options),
    release: (id: string, options?: CallOptions): Promise<void> =>
      this.#delete("release-hold", `/holds/${path(id)}`, options),
  };

  /** How long events are kept. */
  readonly retention = {
    get: (options?: CallOptions): Promise<T.Retention> =>
      this.#get("get-retention", "/retention", options),
    set: (body: T.NewRetention, options?: CallOptions): Promise<T.Retention> =>
      this.#transport.data({ ...put("set-retention", "/retention"), body }, options),
  };

  /** What retention deletes, kept in files. */
  readonly archives: Archives;

  /** Give roles of the account to people, by groups of an identity provider; who has one. */
  readonly roleMappings: RoleMappings;
  readonly people: People;
  /** The fields of events that filters of lists may name. */
  readonly searchFields: SearchFields;
  /** Searches that the account keeps. */
  readonly searches: Searches;
  /** Trust programs by the tokens of their platform. */
  readonly workloads: Workloads;

  async #get<Data>(operation: string, at: string, options?: CallOptions): Promise<Data> {
    return this.#transport.data(get(operation, at), options);
  }

  async #post<Data>(
    operation: string,
    at: string,
    body: object | undefined,
    options?: CreateOptions,
  ): Promise<Data> {
    const { idempotencyKey } = options ?? {};
    return this.#transport.data({ ...post(operation, at), body, idempotencyKey }, options);
  }

  async #patch<Data>(
    operation: string,
    at: string,
    body: object,
    options?: CallOptions,
  ): Promise<Data> {
    return this.#transport.data({ operation, method: "PATCH", path: at, body }, options);
  }

  async #delete(operation: string, at: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ operation, method: "DELETE", path: at }, options);
  }

  #list<Item, Page extends { readonly data: readonly Item[] }>(
    operation: string,
    at: string,
    filter: object | undefined,
    options: CallOptions | undefined,
  ): Pages<Item, Page> {
    return listOf(this.#transport, [operation, at], filter, options);
  }
}
