// The searches that the account keeps: a list of links, and a form that saves what is shown. Used by the
// events screen. A release without them, and a role that may not see them, has neither.

import type { SavedSearch } from "@annals/sdk";
import { columnsIn, type Filters } from "@annals/query";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { bodyOf, filtersOfBody, parametersOf } from "../parts/filter-fields.ts";
import { field, onSubmit, textIn } from "../parts/form.ts";
import { visible } from "../parts/visible.ts";
import { Action, type Context, Loader } from "../screen.ts";
import { COLUMNS } from "./columns.ts";

const MAX_NAME = 128;

export class SavedSearches {
  readonly #context: Context;
  readonly #list: Loader<readonly SavedSearch[]>;
  readonly #action: Action;
  #isNaming = false;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#action = new Action(update);
    this.#list = new Loader(update, (signal) => api.searches.list({ signal }));
  }

  stop(): void {
    this.#list.stop();
  }

  buttons(): TemplateResult | typeof nothing {
    const searches = this.#list.value;
    if (!searches) return nothing;
    return html`<button type="button" aria-expanded=${this.#isNaming} @click=${this.#toggle}>
        ☆ Save search
      </button>
      ${searches.map((one) => this.#searchView(one))}`;
  }

  /** The form with what it saves: the filters and the columns of what is shown. */
  form(filters: Filters, columns: readonly string[]): TemplateResult {
    return html`${this.#isNaming ? this.#formView(filters, columns) : nothing}
    ${this.#action.view()}`;
  }

  #searchView({ id, name, filter, view, has_erased: hasErased }: SavedSearch): TemplateResult {
    const { href } = this.#context;
    const parameters = parametersOf(filtersOfBody(filter));
    const columns = columnsIn((view.columns ?? []).join(" "));
    if (columns.length > 0) parameters.set(COLUMNS, columns.join(" "));
    const query = parameters.toString();
    return html`<span class="saved">
      <a class="button text" href=${href(query === "" ? "events" : `events?${query}`)}
        >${visible(name)}</a
      >
      ${hasErased ? html`<span class="badge">changed by an erasure</span>` : nothing}
      <button
        type="button"
        aria-label=${`Delete the search ${name}`}
        @click=${() => void this.#delete(id)}
      >
        ✕
      </button>
    </span>`;
  }

  #formView(filters: Filters, columns: readonly string[]): TemplateResult {
    const save = (form: FormData) =>
      void this.#action.run(async () => {
        await this.#context.api.searches.create({
          name: textIn(form, "search-name"),
          filter: bodyOf(filters),
          ...(columns.length > 0 && { view: { columns: [...columns] } }),
        });
        this.#isNaming = false;
        await this.#list.load();
        this.#context.say("The search is saved.");
      });
    const name = { name: "search-name", label: "Name of the search", isRequired: true };
    return html`<form @submit=${onSubmit(save)}>
      ${field({ ...name, maxLength: MAX_NAME })}
      <p class="buttons"><button class="primary" ?disabled=${this.#action.isBusy}>Save</button></p>
    </form>`;
  }

  readonly #toggle = (): void => {
    this.#isNaming = !this.#isNaming;
    this.#context.update();
  };

  #delete(id: string): Promise<void> {
    return this.#action.run(async () => {
      await this.#context.api.searches.delete(id);
      await this.#list.load();
      this.#context.say("The search is deleted.");
    });
  }
}
