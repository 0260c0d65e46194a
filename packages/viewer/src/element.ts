// The element `<annals-viewer>`: its properties, its life, and what the reader does. The views make its
// markup, a feed loads its rows. Defined by index.ts. It must never make markup or an address of what an
// event holds.

import { columnsOf } from "@annals/query";
import { LitElement, nothing, type PropertyValues } from "lit";
import { Token } from "./access.ts";
import { keepInAddress, stateOfAddress } from "./address.ts";
import { WidgetClient } from "./client.ts";
import { Coverage } from "./coverage.ts";
import { ErasureRecords } from "./erasures.ts";
import { Feed } from "./feed.ts";
import { isSame } from "./filter.ts";
import { Checker } from "./proof/checker.ts";
import { Opened } from "./opened.ts";
import { DEFAULT_SECONDS, Poller } from "./poller.ts";
import { INITIAL, PROPERTIES } from "./properties.ts";
import { Search } from "./search.ts";
import { copied, curlOf, savedFrom } from "./share.ts";
import { allStyles } from "./all-styles.ts";
import { Tally } from "./tally.ts";
import { languageOf, type Texts, textsOf } from "./texts.ts";
import type { AnnalsViewerElement, EventFilter, Messages, Zone } from "./types.ts";
import { widthsOf } from "./views/cells.ts";
import { frame } from "./views/frame.ts";
import { Viewport } from "./viewport.ts";
import { keepZone, keptZone } from "./zone.ts";

/** How often relative times are written again. */
const CLOCK_MS = 30_000;

export class AnnalsViewer extends LitElement implements AnnalsViewerElement {
  static override styles = allStyles;
  static override properties = PROPERTIES;
  /** The address of the file that this is in, which is also the checker's worker. */
  static script = "";

  declare server: string;
  declare token: string;
  declare expiresAt: string;
  declare syncUrl: boolean;
  declare refreshSeconds: number;
  declare tokenProvider: AnnalsViewerElement["tokenProvider"];
  declare filter: EventFilter;
  declare openEvent: string;
  declare zone: Zone;
  declare facets: string;
  declare columns: string;
  declare messages: Partial<Messages>;

  #token = new Token({
    provider: () => this.tokenProvider,
    onExpiring: (hasExpired) => this.#tell("annals-token-expiring", { hasExpired }),
  });
  #texts: Texts = textsOf("en", {}, "local");
  #checker: Checker | undefined;
  #feed: Feed | undefined;
  #client: WidgetClient | undefined;
  readonly #tally = new Tally({
    root: () => this.renderRoot,
    onChange: () => this.requestUpdate(),
    onPick: (from, to) => this.#search.narrow(from, to),
  });
  #coverage: Coverage | undefined;
  #erasures: ErasureRecords | undefined;
  #life = new AbortController();
  #clock: ReturnType<typeof setInterval> | undefined;
  readonly #poller = new Poller({
    isAtTop: () => this.#viewport.isAtTop,
    poll: () => {
      this.#feed?.refresh();
      this.#tally.counts?.follow();
      this.#coverage?.ask(this.#opened.row?.event.sequence_number);
    },
  });
  #sizes: ResizeObserver | undefined;
  readonly #viewport = new Viewport({
    root: () => this.renderRoot,
    feed: () => this.#feed,
    onChange: () => this.requestUpdate(),
    onOpen: (index) => this.#openAt(index),
  });
  readonly #opened = new Opened(() => this.#openedChanged());
  readonly #search = new Search({
    root: () => this.renderRoot,
    client: () => this.#client,
    filter: () => this.filter,
    zone: () => this.zone,
    onChange: () => this.requestUpdate(),
    onApply: (filter) => this.#apply(filter),
  });
  #status = "";

  constructor() {
    super();
    Object.assign(this, INITIAL, { filter: {}, messages: {}, zone: keptZone() });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#life = new AbortController();
    if (this.syncUrl || this.hasAttribute("sync-url")) this.#readAddress();
    addEventListener("popstate", this.#readAddress);
    this.#sizes = new ResizeObserver(() => this.#viewport.measure());
    this.#sizes.observe(this);
    this.#clock = setInterval(() => this.requestUpdate(), CLOCK_MS);
    this.#poller.start(this.refreshSeconds);
    if (this.hasUpdated) this.reload();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener("popstate", this.#readAddress);
    this.#life.abort();
    this.#sizes?.disconnect();
    clearInterval(this.#clock);
    this.#poller.stop();
    this.#checker?.close();
    this.#checker = undefined;
    this.#token.close();
  }

  /** Starts again at the newest event. */
  reload(): void {
    this.#life.abort();
    this.#life = new AbortController();
    const { signal } = this.#life;
    this.#checker ??= new Checker(AnnalsViewer.script);
    const client = new WidgetClient(this.server, this.#token, signal);
    this.#client = client;
    this.#coverage = new Coverage(client, () => this.requestUpdate());
    this.#erasures = new ErasureRecords(client, () => this.requestUpdate());
    this.#feed = new Feed({
      client,
      checker: this.#checker,
      filter: this.filter,
      signal,
      onChange: () => this.#changed(),
      onNewer: (events) => {
        this.#viewport.moved(events.length);
        this.#tally.counts?.add(events);
      },
    });
    this.#count();
    this.#opened.from({ feed: this.#feed, client, checker: this.#checker, signal });
    this.#viewport.reset();
    this.requestUpdate();
  }

  #count(): void {
    const [client, facets] = [this.#client, this.facets.split(/\s+/).filter(Boolean)];
    if (!client) return;
    const { filter, zone } = this;
    const hasOutcome = () => this.#feed?.hasMetadata ?? false;
    const newest = () => this.#feed?.rows.newest ?? 0;
    const { signal } = this.#life;
    this.#tally.restart({ client, filter, zone, facets, hasOutcome, newest, signal });
    if (this.#feed?.hasPage) this.#tally.start();
  }

  protected override willUpdate(changed: PropertyValues<AnnalsViewerElement>): void {
    if (changed.has("messages") || changed.has("zone") || !this.hasUpdated)
      this.#texts = textsOf(languageOf(this), this.messages, this.zone);
    const { token, expiresAt } = this;
    if (changed.has("token") || changed.has("expiresAt"))
      this.#token.set({ token, ...(expiresAt !== "" && { expires_at: expiresAt }) });
    if (changed.has("refreshSeconds")) this.#poller.start(this.refreshSeconds);
    if (changed.has("filter")) this.#search.show(this.filter);
    if (this.#opened.id !== this.openEvent) this.#show(this.openEvent);
    if (changed.has("server") || changed.has("filter") || changed.has("tokenProvider"))
      this.reload();
    else if (changed.has("zone") || changed.has("facets")) this.#count();
    else if (changed.has("token")) this.#feed?.retry();
  }

  protected override updated(): void {
    this.#viewport.place(widthsOf(columnsOf(this.columns)));
  }

  protected override render() {
    const feed = this.#feed;
    if (!feed) return nothing;
    const opened = this.#opened;
    return frame({
      texts: this.#texts,
      filter: this.filter,
      search: this.#search,
      columns: columnsOf(this.columns),
      isLive: this.refreshSeconds > 0,
      status: this.#status,
      feed,
      viewport: this.#viewport,
      opened,
      tally: this.#tally,
      coverage: this.#coverage,
      erasures: this.#erasures,
      onZone: (zone) => this.#setZone(zone),
      onLive: () => (this.refreshSeconds = this.refreshSeconds > 0 ? 0 : DEFAULT_SECONDS),
      onApply: (filter) => this.#apply(filter),
      onOpen: (index) => this.#openAt(index),
      onClose: () => this.#open(""),
      onFirst: (filter) =>
        void this.#client?.firstId(filter).then((id) => this.#open(id ?? opened.id)),
      onReload: () => this.reload(),
      onDownload: () => void this.#say(savedFrom(feed, this.#texts)),
      onShowAll: () => opened.showEverything(),
      onCopy: (text) => void this.#say(copied(text, this.#texts)),
      onCopyCurl: () => {
        const command = curlOf(this.#client?.addressOf(opened.id) ?? "");
        void this.#say(copied(command, this.#texts));
      },
    });
  }

  readonly #readAddress = (): void => {
    if (!this.syncUrl && !this.hasAttribute("sync-url")) return;
    const { filter, openEvent } = stateOfAddress();
    if (!isSame(filter, this.filter)) this.filter = filter;
    this.openEvent = openEvent;
  };

  #setZone(zone: Zone): void {
    this.zone = zone;
    keepZone(zone);
    this.#stateChanged();
  }

  /** Closes the event, too: what the reader asked for is the list. */
  #apply(filter: EventFilter): void {
    this.filter = { ...filter };
    this.openEvent = "";
    this.#stateChanged();
  }

  /** The reader changed what a page may keep. */
  #stateChanged(): void {
    const { filter, openEvent, zone } = this;
    if (this.syncUrl) keepInAddress({ filter, openEvent });
    this.#tell("annals-state", { filter, openEvent, zone });
  }

  #changed(): void {
    if (this.#feed?.hasPage) this.#tally.start();
    this.#status = this.#texts.text("loaded", { count: this.#feed?.rows.count ?? 0 });
    this.requestUpdate();
  }

  #openAt(index: number): void {
    const [row] = this.#feed?.rows.slice(index, index + 1) ?? [];
    this.#viewport.reveal(index);
    if (!row) return;
    this.#open(row.event.id);
    const { proof: _proof, ...event } = row.event;
    this.#tell("annals-select", { event });
  }

  #open(id: string): void {
    this.openEvent = id;
    this.#stateChanged();
  }

  /** Shows the event of that id, or none, and puts the focus where the reader reads on. */
  #show(id: string): void {
    // A page that opens an event as it is loaded keeps its focus.
    const isOpened = this.#opened.id === "" && this.hasUpdated;
    this.#opened.show(id);
    this.#openedChanged();
    void this.updateComplete.then(() => {
      const shown = this.renderRoot.querySelector<HTMLElement>(".detail");
      if (!shown) return this.#viewport.focus();
      shown.scrollTop = 0;
      if (isOpened) shown.focus();
      if (this.#opened.place !== undefined) this.#viewport.reveal(this.#opened.place);
    });
  }

  #openedChanged(): void {
    const { row } = this.#opened;
    if (row) {
      this.#status = `${row.event.action}, ${this.#texts.exact(row.event.occurred_at)}`;
      this.#coverage?.ask(row.event.sequence_number);
      this.#erasures?.ask(row.event);
    }
    this.requestUpdate();
  }

  /** Says what came of it to who hears the page. */
  async #say(done: Promise<string>): Promise<void> {
    this.#status = await done;
    this.requestUpdate();
  }

  #tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}
