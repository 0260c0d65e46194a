// The element `<annals-viewer>`: its properties, its life, and what the reader does. The views make its
// markup, a feed loads its rows. Defined by index.ts. It must never make markup or an address of what an
// event holds.

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
import { Poller } from "./poller.ts";
import { Search } from "./search.ts";
import { copyText, curlOf } from "./share.ts";
import { queryStyles } from "./query-styles.ts";
import { detailStyles } from "./detail-styles.ts";
import { narrowStyles } from "./narrow-styles.ts";
import { styles } from "./styles.ts";
import { languageOf, type Texts, textsOf } from "./texts.ts";
import type { AnnalsViewerElement, EventFilter, Messages, Zone } from "./types.ts";
import { frame } from "./views/frame.ts";
import { Viewport } from "./viewport.ts";
import { keepZone, keptZone } from "./zone.ts";

/** How often relative times are written again. */
const CLOCK_MS = 30_000;
const DEFAULT_REFRESH_SECONDS = 10;

export class AnnalsViewer extends LitElement implements AnnalsViewerElement {
  static override styles = [detailStyles, styles, queryStyles, narrowStyles];
  static override properties = {
    server: { type: String },
    token: { type: String },
    expiresAt: { type: String, attribute: "expires-at" },
    syncUrl: { type: Boolean, attribute: "sync-url" },
    refreshSeconds: { type: Number, attribute: "refresh-seconds" },
    tokenProvider: { attribute: false },
    filter: { attribute: false },
    openEvent: { type: String, attribute: "open-event" },
    zone: { type: String },
    messages: { attribute: false },
  };
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
  declare messages: Partial<Messages>;

  #token = new Token({
    provider: () => this.tokenProvider,
    onExpiring: (hasExpired) => this.#tell("annals-token-expiring", { hasExpired }),
  });
  #texts: Texts = textsOf("en", {}, "local");
  #checker: Checker | undefined;
  #feed: Feed | undefined;
  #client: WidgetClient | undefined;
  #coverage: Coverage | undefined;
  #erasures: ErasureRecords | undefined;
  #life = new AbortController();
  #clock: ReturnType<typeof setInterval> | undefined;
  readonly #poller = new Poller({
    isAtTop: () => this.#viewport.isAtTop,
    poll: () => {
      this.#feed?.refresh();
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
    this.server = "";
    this.token = "";
    this.expiresAt = "";
    this.syncUrl = false;
    this.refreshSeconds = DEFAULT_REFRESH_SECONDS;
    this.tokenProvider = undefined;
    this.filter = {};
    this.openEvent = "";
    this.zone = keptZone();
    this.messages = {};
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#life = new AbortController();
    if (this.syncUrl || this.hasAttribute("sync-url")) this.#readAddress();
    addEventListener("popstate", this.#readAddress);
    this.#sizes = new ResizeObserver(() => this.#viewport.measure());
    this.#sizes.observe(this);
    this.#clock = setInterval(() => this.requestUpdate(), CLOCK_MS);
    this.#follow();
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
      onNewer: (count) => this.#viewport.moved(count),
    });
    this.#opened.from({ feed: this.#feed, client, checker: this.#checker, signal });
    this.#viewport.reset();
    this.requestUpdate();
  }

  protected override willUpdate(changed: PropertyValues<AnnalsViewerElement>): void {
    if (changed.has("messages") || changed.has("zone") || !this.hasUpdated)
      this.#texts = textsOf(languageOf(this), this.messages, this.zone);
    const { token, expiresAt } = this;
    if (changed.has("token") || changed.has("expiresAt"))
      this.#token.set({ token, ...(expiresAt !== "" && { expires_at: expiresAt }) });
    if (changed.has("refreshSeconds")) this.#follow();
    if (changed.has("filter")) this.#search.show(this.filter);
    if (this.#opened.id !== this.openEvent) this.#show(this.openEvent);
    if (changed.has("server") || changed.has("filter") || changed.has("tokenProvider"))
      this.reload();
    else if (changed.has("token")) this.#feed?.retry();
  }

  protected override updated(): void {
    this.#viewport.place();
  }

  protected override render() {
    const feed = this.#feed;
    if (!feed) return nothing;
    const opened = this.#opened;
    return frame({
      texts: this.#texts,
      filter: this.filter,
      search: this.#search,
      isLive: this.refreshSeconds > 0,
      status: this.#status,
      feed,
      viewport: this.#viewport,
      opened,
      coverage: this.#coverage,
      erasures: this.#erasures,
      onZone: (zone) => this.#setZone(zone),
      onLive: () => (this.refreshSeconds = this.refreshSeconds > 0 ? 0 : DEFAULT_REFRESH_SECONDS),
      onApply: (filter) => this.#apply(filter),
      onOpen: (index) => this.#openAt(index),
      onClose: () => this.#open(""),
      onReload: () => this.reload(),
      onShowAll: () => this.#set(() => (opened.showAll = true)),
      onCopy: (text) => void this.#copy(text),
      onCopyCurl: () => void this.#copy(curlOf(this.#client?.addressOf(opened.id) ?? "")),
    });
  }

  #set(change: () => unknown): void {
    change();
    this.requestUpdate();
  }

  #follow(): void {
    if (this.isConnected) this.#poller.start(this.refreshSeconds);
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

  async #copy(text: string): Promise<void> {
    const isCopied = await copyText(text);
    this.#set(() => (this.#status = this.#texts.text(isCopied ? "copied" : "copyFailed")));
  }

  #tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}
