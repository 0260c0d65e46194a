// Accounts: the list, and creating one, whose first key is shown once.

import { html, nothing, type TemplateResult } from "lit/html.js";
import { field, onSubmit, select, textIn } from "../parts/form.ts";
import { secretView } from "../parts/secret.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, Loader, type Screen } from "../screen.ts";
import { type ConsoleContext, PagedList } from "./console-screen.ts";
import { lagsView } from "./lags.ts";
import { type AccountState, MAX_NAME_LENGTH, type NewKey, type Plan } from "./resources.ts";

/** The plan of an account that names none. */
const DEFAULT_PLAN = "";

export class AccountsScreen implements Screen {
  readonly #context: ConsoleContext;
  readonly #accounts: PagedList<AccountState>;
  readonly #plans: Loader<readonly Plan[]>;
  readonly #creation: Action;
  #search = "";
  #created: NewKey | undefined;

  constructor(context: ConsoleContext) {
    this.#context = context;
    this.#creation = new Action(context.update);
    this.#plans = new Loader(context.update, (signal) =>
      context.api.data<readonly Plan[]>("/admin/v1/plans", signal),
    );
    this.#accounts = new PagedList(context, "/admin/v1/states", () =>
      this.#search === "" ? {} : { search: this.#search },
    );
  }

  readonly stop = (): void => {
    for (const loaded of [this.#accounts, this.#plans]) loaded.stop();
  };

  readonly view = (): TemplateResult =>
    html`${this.#createdView()} ${this.#searchView()}
    ${this.#accounts.view((accounts) => this.#listView(accounts))}
    ${this.#plans.view((plans) => this.#formView(plans))}`;

  #searchView(): TemplateResult {
    const onSearch = onSubmit((form) => {
      this.#search = textIn(form, "search");
      void this.#accounts.load();
    });
    return html`<form role="search" @submit=${onSearch}>
      ${field({ name: "search", label: "Search", hint: "A part of the name, or the id", maxLength: MAX_NAME_LENGTH })}
      <p><button>Search</button></p>
    </form>`;
  }

  #listView(accounts: readonly AccountState[]): TemplateResult {
    if (accounts.length === 0) return html`<p class="empty">No such account.</p>`;
    return table<AccountState>(
      "Accounts",
      [
        {
          title: "Name",
          cell: ({ id, name }) =>
            html`<a class="text" href=${`#/accounts/${id}`}>${visible(name)}</a>`,
        },
        { title: "Id", cell: ({ id }) => html`<code class="breaks">${id}</code>` },
        { title: "Plan", cell: ({ plan }) => plan ?? "default" },
        { title: "Keys", cell: ({ live_keys: keys }) => keys },
        { title: "Newest event", cell: ({ newest_event_at: at }) => timeView(at) },
        { title: "Lags", cell: ({ lags }) => lagsView(lags) },
      ],
      accounts,
    );
  }

  #createdView(): TemplateResult | typeof nothing {
    const text = this.#created?.key;
    if (text === undefined) return nothing;
    const onClose = () => {
      this.#created = undefined;
      this.#context.update();
    };
    return secretView({ what: "API key", text, say: this.#context.say, onClose });
  }

  #formView(plans: readonly Plan[]): TemplateResult {
    const named = plans.map(({ name }) => [name, name] as const);
    const choice = { [DEFAULT_PLAN]: "default", ...Object.fromEntries(named) };
    return html`<section aria-labelledby="create-account">
      <h2 id="create-account">Create an account</h2>
      <form @submit=${onSubmit((form, element) => void this.#create(form, element))}>
        <div class="fields">
          ${field({ name: "name", label: "Name", isRequired: true, maxLength: MAX_NAME_LENGTH })}
          ${select({ name: "plan", label: "Plan", values: choice })}
        </div>
        ${this.#creation.view()}
        <p><button class="primary" ?disabled=${this.#creation.isBusy}>Create account</button></p>
      </form>
    </section>`;
  }

  #create(form: FormData, element: HTMLFormElement): Promise<void> {
    return this.#creation.run(async () => {
      const body = { name: textIn(form, "name"), plan: textIn(form, "plan") || null };
      const made = await this.#context.api.ask("POST", "/admin/v1/accounts", { body });
      const { data } = made as { readonly data: { readonly first_key: NewKey } };
      this.#created = data.first_key;
      element.reset();
      this.#context.say("The account is created. Copy its first key now.");
      await this.#accounts.load();
    });
  }
}
