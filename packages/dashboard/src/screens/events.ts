// Events: the viewer, with a widget token that this screen creates with the key and renews before it expires.
// The viewer never gets the key. Its filters, its columns and the opened event are in the address.

import type { CreatedWidgetToken, Scope } from "@annals/sdk";
import type { Filters } from "@annals/query";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { filtersIn, parametersOf } from "../parts/filter-fields.ts";
import type { Zone } from "../parts/zone.ts";
import { type Context, Loader, type Screen } from "../screen.ts";
import { COLUMNS, Columns, columnsOfAddress, pathsOf } from "./columns.ts";
import { SavedSearches } from "./saved-searches.ts";
import { PARTS } from "../words.ts";

/** Seconds that a token lives: a page that is closed leaves one for no longer. */
const LIFETIME_S = 3_600;

/** A token that lives for less is not given to a viewer again. */
const MIN_LEFT_MS = 300_000;

/** Served along with the dashboard; it defines `<annals-viewer>`. */
const VIEWER = "/widget/viewer.js";

/** Parameter of the address with the id of the opened event. The others are filters. */
const OPEN = "open";
/** Parameter of a link that was copied: the zone of its times. */
const ZONE = "zone";

/** Fields whose frequent values are listed, before those that are declared. */
const FACETS = ["outcome", "action", "actor_id", "target_type"];
const MAX_FACETS = 6;

interface State {
  readonly filter: Filters;
  readonly openEvent: string;
  /** None if the address has none. */
  readonly columns: readonly string[];
}

/** What the viewer tells: a filter with one value has no list. */
interface Told {
  readonly filter: Readonly<Record<string, string | readonly string[]>>;
  readonly openEvent: string;
  readonly zone: Zone;
}

/** What the declared fields of the account give: what is counted, and what can be a column. */
interface Declared {
  readonly facets: string;
  readonly paths: readonly string[];
}

interface Selected {
  readonly id: string;
  readonly sequence_number: number;
}

export class EventsScreen implements Screen {
  readonly #context: Context;
  readonly #first: Loader<CreatedWidgetToken & Declared>;
  readonly #columns: Columns;
  readonly #saved: SavedSearches;
  #state: State;
  /** The event that was opened last. One that the address opened is not known. */
  #selected: Selected | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#state = stateOf(context.query);
    this.#saved = new SavedSearches(context);
    this.#columns = new Columns(context, {
      chosen: () => this.#state.columns,
      choose: this.#choose,
      declared: () => this.#first.value?.paths ?? [],
    });
    this.#first = new Loader(context.update, async (signal) => {
      const [token, declared] = await Promise.all([
        this.#token(signal),
        this.#declared(signal),
        loadViewer(),
      ]);
      const zone = context.query.get(ZONE);
      if (zone === "utc" || zone === "local") context.setZone(zone);
      return { ...token, ...declared };
    });
  }

  readonly stop = (): void => {
    this.#first.stop();
    this.#saved.stop();
    this.#columns.stop();
  };

  readonly moved = (query: URLSearchParams): void => {
    const state = stateOf(query);
    const isSame = queryOf(state).toString() === queryOf(this.#state).toString();
    // The viewer loads again for another object of filters.
    if (isSame) return;
    const { filter } = this.#state;
    const isFilter = JSON.stringify(filter) !== JSON.stringify(state.filter);
    this.#state = isFilter ? state : { ...state, filter };
    this.#context.update();
  };

  readonly view = (): TemplateResult =>
    this.#first.view(
      ({ token, expires_at, facets }) =>
        html`<div class="buttons">${this.#columns.button()} ${this.#saved.buttons()}</div>
          ${this.#columns.panel()}
          ${this.#saved.form(this.#state.filter, this.#columns.isDefault ? [] : this.#columns.shown)}
          <annals-viewer
            .token=${token}
            .expiresAt=${expires_at}
            .tokenProvider=${this.#create}
            .filter=${this.#state.filter}
            .openEvent=${this.#state.openEvent}
            .zone=${this.#context.zone()}
            .facets=${facets}
            .columns=${this.#columns.shown.join(" ")}
            .messages=${MESSAGES}
            @annals-state=${this.#keep}
            @annals-select=${this.#select}
          ></annals-viewer>
          ${this.#linksView()}`,
    );

  /** What else can be done with the events that are shown, or with the one that is opened. */
  #linksView(): TemplateResult {
    const { filter, openEvent } = this.#state;
    const number = this.#selected?.id === openEvent ? this.#selected.sequence_number : undefined;
    const { href, may } = this.#context;
    const link = (scope: Scope, path: string, text: string) =>
      may(scope) ? html`<a class="button" href=${href(path)}>${text}</a>` : nothing;
    const query = parametersOf(filter).toString();
    const held = `holds?first=${number ?? ""}&last=${number ?? ""}`;
    const erased = `erasures?event=${encodeURIComponent(openEvent)}`;
    return html`<p class="buttons">
      <button type="button" @click=${this.#share}>Copy link</button>
      ${link("export", query === "" ? "exports" : `exports?${query}`, "Export these events")}
      ${number === undefined ? nothing : link("keys:manage", held, "Hold the opened event")}
      ${openEvent === "" ? nothing : link("keys:manage", erased, "Erase parts of it")}
    </p>`;
  }

  /** Others see the same, in the same zone and columns. */
  readonly #share = async (): Promise<void> => {
    const query = queryOf({ ...this.#state, columns: this.#columns.shown });
    query.set(ZONE, this.#context.zone());
    const address = new URL(this.#context.href(`events?${query.toString()}`), location.href);
    const isCopied = await navigator.clipboard.writeText(address.href).then(
      () => true,
      () => false,
    );
    this.#context.say(isCopied ? "The link is copied." : `The link: ${address.href}`);
  };

  /** Declared fields, unless the key or the role may not see them. */
  async #declared(signal: AbortSignal): Promise<Declared> {
    const { api, may } = this.#context;
    const fields = may("keys:manage")
      ? await api.searchFields.list({ signal }).catch(() => [])
      : [];
    const counted = [...FACETS, ...fields.map(({ name }) => `field.${name}`)];
    return { facets: counted.slice(0, MAX_FACETS).join(" "), paths: pathsOf(fields) };
  }

  readonly #choose = (columns: readonly string[]): void => {
    this.#state = { ...this.#state, columns };
    this.#context.keep(queryOf(this.#state), false);
    this.#context.update();
  };

  readonly #select = ({ detail }: CustomEvent<{ readonly event: Selected }>): void => {
    this.#selected = detail.event;
    this.#context.update();
  };

  readonly #keep = ({ detail }: CustomEvent<Told>): void => {
    const { openEvent, zone } = detail;
    if (zone !== this.#context.zone()) return this.#context.setZone(zone);
    const isNew = openEvent !== "" && this.#state.openEvent === "";
    const filter = Object.entries(detail.filter).map(([name, value]) => [name, [value].flat()]);
    this.#state = { ...this.#state, filter: Object.fromEntries(filter), openEvent };
    this.#context.keep(queryOf(this.#state), isNew);
    // What was rendered last is what the viewer shows, so that a move to another state is one.
    this.#context.update();
  };

  /** That of the last visit, so that a visit leaves no further one. */
  async #token(signal: AbortSignal): Promise<CreatedWidgetToken> {
    const { now, session } = this.#context;
    const kept = session.widgetToken;
    const isKept = kept && Date.parse(kept.expires_at) - now() > MIN_LEFT_MS;
    return isKept ? kept : this.#create(signal);
  }

  readonly #create = async (signal?: AbortSignal): Promise<CreatedWidgetToken> => {
    const { api, session } = this.#context;
    const viewer = { id: "dashboard", name: "The dashboard" };
    const created = await api.widgetTokens.create(
      { parts: [...PARTS], expires_in: LIFETIME_S, viewer },
      signal && { signal },
    );
    session.widgetTokens.push(created.id);
    session.widgetToken = created;
    return created;
  };
}

/** Anybody can have made the address: it has filters, columns and the id of an event, or nothing. */
function stateOf(query: URLSearchParams): State {
  const columns = columnsOfAddress(query);
  return { filter: filtersIn(query), openEvent: query.get(OPEN) ?? "", columns };
}

function queryOf({ filter, openEvent, columns }: State): URLSearchParams {
  const query = parametersOf(filter);
  if (columns.length > 0) query.set(COLUMNS, columns.join(" "));
  if (openEvent !== "") query.set(OPEN, openEvent);
  return query;
}

/** What the viewer's own texts cannot know. */
const MESSAGES = {
  empty: "There are no events yet. Store the first one with POST /v1/events: see /docs.",
};

async function loadViewer(): Promise<void> {
  await import(VIEWER);
}
