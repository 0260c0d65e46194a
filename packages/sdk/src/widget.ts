// The routes of widgets, as `annals.widget`, for a client whose `apiKey` is a widget token. Called by
// annals.ts.

import { listOf, type Pages, path } from "./pages.ts";
import type { EventWithProof } from "./routes.ts";
import { type CallOptions, get, type Transport } from "./transport.ts";
import type * as T from "./types.ts";

export class Widget {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(filter?: T.EventFilter, options?: CallOptions): Pages<T.WidgetEvent, T.WidgetEventPage> {
    return listOf(this.#transport, ["list-widget-events", "/widget/events"], filter, options);
  }

  get(id: string, options?: CallOptions): Promise<EventWithProof<T.WidgetEvent, T.WidgetProof>> {
    return this.#transport.json(get("get-widget-event", `/widget/events/${path(id)}`), options);
  }

  /** Counts the events that the token shows, as `events.histogram` does. */
  histogram(query?: T.HistogramQuery, options?: CallOptions): Promise<T.EventHistogram> {
    const call = get("count-widget-events", "/widget/events/histogram");
    return this.#transport.json({ ...call, query }, options);
  }

  facets(query: T.FacetsQuery, options?: CallOptions): Promise<T.EventFacet[]> {
    const call = get("count-widget-values", "/widget/events/facets");
    return this.#transport.data({ ...call, query }, options);
  }

  log(options?: CallOptions): Promise<T.WidgetLog> {
    return this.#transport.data(get("get-widget-log", "/widget/log"), options);
  }

  filters(options?: CallOptions): Promise<T.WidgetFilters> {
    return this.#transport.data(get("list-widget-filters", "/widget/filters"), options);
  }
}
