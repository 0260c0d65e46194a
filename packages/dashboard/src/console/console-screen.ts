// What a screen of the console is given, and how it shows a list that goes on.

import { html, nothing, type TemplateResult } from "lit/html.js";
import { Action, Loader } from "../screen.ts";
import type { AdminApi, Page } from "./admin-api.ts";
import { unavailableView } from "./lags.ts";

export interface ConsoleContext {
  readonly api: AdminApi;
  readonly update: () => void;
  readonly say: (message: string) => void;
}

/** A list of the admin API, which is loaded page by page. */
export class PagedList<T> {
  readonly #context: ConsoleContext;
  readonly #path: string;
  readonly #first: Loader<Page<T>>;
  readonly #more: Action;
  readonly #query: () => object;
  #rows: readonly T[] = [];
  #next: string | null = null;
  #unavailable: readonly string[] = [];

  /** `more` is what the query has beside the page. */
  constructor(context: ConsoleContext, path: string, more: () => object = () => ({})) {
    this.#context = context;
    this.#path = path;
    this.#query = more;
    this.#more = new Action(context.update);
    this.#first = new Loader(context.update, async (signal) => {
      const page = await context.api.page<T>(this.#pagePath(), signal);
      [this.#rows, this.#next] = [page.data, page.next_cursor];
      this.#unavailable = page.unavailable ?? [];
      return page;
    });
  }

  #pagePath(page: object = {}): string {
    const query = new URLSearchParams({ limit: "100", ...this.#query(), ...page });
    return `${this.#path}?${query.toString()}`;
  }

  readonly load = (): Promise<void> => this.#first.load();

  readonly stop = (): void => this.#first.stop();

  view(render: (rows: readonly T[]) => TemplateResult): TemplateResult {
    return this.#first.view(
      () =>
        html`${unavailableView(this.#unavailable)} ${render(this.#rows)} ${this.#more.view()}
        ${this.#moreView()}`,
    );
  }

  #moreView(): TemplateResult | typeof nothing {
    if (this.#next === null) return nothing;
    const busy = this.#more.isBusy;
    return html`<p>
      <button type="button" ?disabled=${busy} @click=${this.#loadMore}>Load more</button>
    </p>`;
  }

  readonly #loadMore = (): void => {
    void this.#more.run(async () => {
      const path = this.#pagePath({ cursor: this.#next ?? "" });
      const page = await this.#context.api.page<T>(path);
      this.#rows = [...this.#rows, ...page.data];
      this.#next = page.next_cursor;
      this.#unavailable = page.unavailable ?? [];
    });
  };
}
