// A list that the service gives page by page: the page that is shown, and the buttons that turn it. Used by
// the screens with pages.

import { html, nothing, type TemplateResult } from "lit/html.js";
import { Loader } from "../screen.ts";

const PAGE_SIZE = 50;

interface Page {
  readonly next_cursor: string | null;
}

type Buttons = TemplateResult | typeof nothing;

/** What the SDK takes. */
interface Asked {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly signal: AbortSignal;
}

export class Pager<Shown extends Page> {
  readonly #page: Loader<Shown>;
  /** Undefined for the first page. */
  #cursor: string | undefined;

  constructor(update: () => void, load: (asked: Asked) => Promise<Shown>) {
    this.#page = new Loader(update, (signal) =>
      load({ limit: PAGE_SIZE, cursor: this.#cursor, signal }),
    );
  }

  /** The page that is shown. */
  get value(): Shown | undefined {
    return this.#page.value;
  }

  readonly stop = (): void => this.#page.stop();

  /** Loads the page again. */
  readonly load = (): Promise<void> => this.#page.load();

  /** Loads the first page, which has what was just made. */
  readonly loadFirst = (): Promise<void> => this.#turn(undefined);

  /** `render` gets the buttons, too. */
  view(render: (page: Shown, buttons: Buttons) => TemplateResult): TemplateResult {
    return this.#page.view((page) => render(page, this.#buttonsView(page.next_cursor)));
  }

  #turn(cursor: string | undefined): Promise<void> {
    this.#cursor = cursor;
    return this.#page.load();
  }

  #buttonsView(next: string | null): Buttons {
    if (this.#cursor === undefined && next === null) return nothing;
    const button = (text: string, cursor: string | undefined) =>
      html`<button type="button" @click=${() => void this.#turn(cursor)}>${text}</button>`;
    return html`<p class="buttons">
      ${this.#cursor === undefined ? nothing : button("Newest", undefined)}
      ${next === null ? nothing : button("Older", next)}
    </p>`;
  }
}
