// The element `<annals-viewer>`: its properties, its life, and what the reader does. The views make its
// markup, a feed loads its rows. Defined by index.ts. It must never make markup or an address of what an
// event holds.

import { html, LitElement, nothing, type PropertyValues } from "lit";
import { Token } from "./access.ts";
import { type Choices, WidgetClient } from "./client.ts";
import { Coverage } from "./coverage.ts";
import { ErasureRecords } from "./erasures.ts";
import type { Row } from "./event-window.ts";
import { Feed } from "./feed.ts";
import { Checker } from "./proof/checker.ts";
import { copyText, curlOf, download } from "./share.ts";
import { detailStyles } from "./detail-styles.ts";
import { styles } from "./styles.ts";
import { type Texts, textsOf } from "./texts.ts";
import type { AnnalsViewerElement, EventFilter, Messages } from "./types.ts";
import { filterOfAddress, keepInAddress } from "./url-filter.ts";
import { bar, notices } from "./views/bar.ts";
import { detail as detailOf, jsonOf } from "./views/detail.ts";
import { filters } from "./views/filters.ts";
import { table } from "./views/table.ts";
import { Viewport } from "./viewport.ts";

/** How often relative times are written again. */
const CLOCK_MS = 30_000;
const DEFAULT_REFRESH_SECONDS = 10;

const NO_CHOICES: Choices = { actions: [], actor_types: [], target_types: [] };

export class AnnalsViewer extends LitElement implements AnnalsViewerElement {
  static override styles = [detailStyles, styles];
  static override properties = {
    server: { type: String },
    token: { type: String },
    expiresAt: { type: String, attribute: "expires-at" },
    syncUrl: { type: Boolean, attribute: "sync-url" },
    refreshSeconds: { type: Number, attribute: "refresh-seconds" },
    tokenProvider: { attribute: false },
    filter: { attribute: false },
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
  declare messages: Partial<Messages>;

  #token = new Token({
    provider: () => this.tokenProvider,
    onExpiring: (hasExpired) => this.#tell("annals-token-expiring", { hasExpired }),
  });
  #texts: Texts = textsOf("en", {});
  #checker: Checker | undefined;
  #feed: Feed | undefined;
  #client: WidgetClient | undefined;
  #coverage: Coverage | undefined;
  #erasures: ErasureRecords | undefined;
  #life = new AbortController();
  #clock: ReturnType<typeof setInterval> | undefined;
  #refresh: ReturnType<typeof setInterval> | undefined;
  #sizes: ResizeObserver | undefined;
  #choices = NO_CHOICES;
  readonly #viewport = new Viewport({
    root: () => this.renderRoot,
    feed: () => this.#feed,
    onChange: () => this.requestUpdate(),
    onOpen: (index) => this.#open(index),
  });
  #selected: Row | undefined;
  #showAll = false;
  #hasFilters = false;
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
    this.messages = {};
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#life = new AbortController();
    if (this.syncUrl || this.hasAttribute("sync-url")) this.filter = filterOfAddress();
    this.#sizes = new ResizeObserver(() => this.#viewport.measure());
    this.#sizes.observe(this);
    this.#clock = setInterval(() => this.requestUpdate(), CLOCK_MS);
    this.#follow();
    if (this.hasUpdated) this.reload();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#life.abort();
    this.#sizes?.disconnect();
    clearInterval(this.#clock);
    clearInterval(this.#refresh);
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
    this.#selected = undefined;
    this.#viewport.reset();
    this.requestUpdate();
  }

  protected override willUpdate(changed: PropertyValues<AnnalsViewerElement>): void {
    if (changed.has("messages") || !this.hasUpdated)
      this.#texts = textsOf(this.#language(), this.messages);
    if (changed.has("token") || changed.has("expiresAt")) this.#setToken();
    if (changed.has("refreshSeconds")) this.#follow();
    if (changed.has("server") || changed.has("filter") || changed.has("tokenProvider"))
      this.reload();
    else if (changed.has("token")) this.#feed?.retry();
  }

  protected override updated(): void {
    this.#viewport.place();
  }

  protected override render() {
    const feed = this.#feed;
    const texts = this.#texts;
    const viewport = this.#viewport;
    if (!feed) return nothing;
    return html`
      ${bar({
        texts,
        summary: feed.summary,
        hasFilters: this.#hasFilters,
        isLive: this.refreshSeconds > 0,
        onFilters: () => this.#toggleFilters(),
        onLive: () => {
          this.refreshSeconds = this.refreshSeconds > 0 ? 0 : DEFAULT_REFRESH_SECONDS;
        },
        onDownload: () => download([...feed.rows.rows()]),
      })}
      ${
        this.#hasFilters
          ? filters({
              texts,
              filter: this.filter,
              choices: this.#choices,
              onApply: (filter) => this.#apply(filter),
            })
          : nothing
      }
      <div class="main ${this.#selected ? "has-detail" : ""}">
        <div class="list">
          ${table({
            texts,
            now: Date.now(),
            rows: feed.rows.slice(viewport.from, viewport.to),
            from: viewport.from,
            count: feed.rows.count,
            hasMore: feed.rows.hasMore,
            active: viewport.active,
            selectedId: this.#selected?.event.id,
            onScroll: () => viewport.measure(),
            onKey: (event) => viewport.key(event),
            onOpen: (index) => this.#open(index),
          })}
          ${notices({
            texts,
            feed,
            newer: viewport.newer,
            isFiltered: Object.keys(this.filter).length > 0,
            onNewer: () => viewport.toTop(),
            onRetry: () => feed.retry(),
            onSearchOn: () => feed.searchOn(),
          })}
        </div>
        ${this.#selected ? this.#detail(this.#selected) : nothing}
      </div>
      <div class="unseen" role="status">${this.#status}</div>
    `;
  }

  #detail(row: Row) {
    return detailOf({
      row,
      covered: this.#coverage?.of(row.event.sequence_number),
      recordOf: (part) => this.#erasures?.of(row.event, part),
      texts: this.#texts,
      showAll: this.#showAll,
      onShowAll: () => this.#set(() => (this.#showAll = true)),
      onCopyJson: () => void this.#copy(jsonOf(row.event)),
      onCopyCurl: () => void this.#copy(curlOf(this.#client?.addressOf(row.event.id) ?? "")),
      onClose: () => this.#close(),
    });
  }

  #set(change: () => unknown): void {
    change();
    this.requestUpdate();
  }

  #setToken(): void {
    const token = this.token;
    this.#token.set({ token, ...(this.expiresAt !== "" && { expires_at: this.expiresAt }) });
  }

  #language(): string {
    return this.closest<HTMLElement>("[lang]")?.lang ?? navigator.language;
  }

  /** Looks for newer events from time to time, while the page is visible. */
  #follow(): void {
    clearInterval(this.#refresh);
    if (!this.isConnected || !(this.refreshSeconds > 0)) return;
    this.#refresh = setInterval(() => {
      if (document.visibilityState !== "visible") return;
      this.#feed?.refresh();
      this.#coverage?.ask(this.#selected?.event.sequence_number);
    }, this.refreshSeconds * 1000);
  }

  #apply(filter: EventFilter): void {
    this.filter = filter;
    if (this.syncUrl) keepInAddress(filter);
  }

  #changed(): void {
    this.#status = this.#texts.text("loaded", { count: this.#feed?.rows.count ?? 0 });
    this.requestUpdate();
  }

  #toggleFilters(): void {
    this.#set(() => (this.#hasFilters = !this.#hasFilters));
    if (this.#hasFilters && this.#choices === NO_CHOICES) void this.#loadChoices();
  }

  async #loadChoices(): Promise<void> {
    this.#choices = { ...NO_CHOICES };
    // Without them every value can still be typed.
    const found = await this.#client?.choices().catch(() => undefined);
    if (found) this.#set(() => (this.#choices = found));
  }

  #open(index: number): void {
    const [row] = this.#feed?.rows.slice(index, index + 1) ?? [];
    if (!row) return;
    this.#viewport.active = index;
    this.#selected = row;
    this.#showAll = false;
    this.requestUpdate();
    this.#coverage?.ask(row.event.sequence_number);
    this.#erasures?.ask(row.event);
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(".detail")?.focus(),
    );
    const { proof: _proof, ...event } = row.event;
    this.#tell("annals-select", { event });
  }

  #close(): void {
    this.#set(() => (this.#selected = undefined));
    void this.updateComplete.then(() => this.#viewport.focus());
  }

  async #copy(text: string): Promise<void> {
    const isCopied = await copyText(text);
    this.#set(() => (this.#status = this.#texts.text(isCopied ? "copied" : "copyFailed")));
  }

  #tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}
