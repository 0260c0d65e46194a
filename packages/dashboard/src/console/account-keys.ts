// The API keys of one account, as a part of its page: create one, which is shown once, and revoke one.

import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Dialog } from "../parts/dialog.ts";
import { choices, chosenIn, field, textIn } from "../parts/form.ts";
import { secretView } from "../parts/secret.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { SCOPES } from "../words.ts";
import { type ConsoleContext, PagedList } from "./console-screen.ts";
import { MAX_NAME_LENGTH, type Key, type NewKey } from "./resources.ts";

/** Length of YYYY-MM-DD. */
const DAY = 10;

export class AccountKeys {
  readonly #context: ConsoleContext;
  readonly #dialog: Dialog;
  readonly #path: string;
  readonly #keys: PagedList<Key>;
  #created: NewKey | undefined;

  /** `account` is the path of the account in the admin API. */
  constructor(context: ConsoleContext, dialog: Dialog, account: string) {
    this.#context = context;
    this.#dialog = dialog;
    this.#path = `${account}/keys`;
    this.#keys = new PagedList(context, this.#path);
  }

  readonly stop = (): void => this.#keys.stop();

  /** The key that was just made; nothing once it is stored. */
  createdView(): TemplateResult | typeof nothing {
    const text = this.#created?.key;
    if (text === undefined) return nothing;
    const onClose = () => {
      this.#created = undefined;
      this.#context.update();
    };
    return secretView({ what: "API key", text, say: this.#context.say, onClose });
  }

  view(): TemplateResult {
    return html`<section aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      ${this.#keys.view((keys) => this.#listView(keys))}
      <p><button type="button" @click=${this.#add}>Create a key</button></p>
    </section>`;
  }

  #listView(keys: readonly Key[]): TemplateResult {
    if (keys.length === 0) return html`<p class="empty">No live keys.</p>`;
    const revoke = (key: Key) =>
      html`<button
        type="button"
        class="danger"
        aria-label=${`Revoke ${key.name}`}
        @click=${() => this.#revoke(key)}
      >
        Revoke
      </button>`;
    return table<Key>(
      "API keys",
      [
        { title: "Name", cell: ({ name }) => html`<span class="text">${visible(name)}</span>` },
        { title: "Key", cell: (key) => html`<code>${key.key_prefix}</code>` },
        { title: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
        { title: "Last used", cell: (key) => key.last_used_at?.slice(0, DAY) ?? "never" },
        {
          title: "Expires",
          cell: ({ expires_at: at }) => (at === null ? "never" : timeView(at)),
        },
        { title: "Actions", cell: revoke },
      ],
      keys,
    );
  }

  readonly #add = (): void =>
    this.#dialog.ask({
      title: "Create a key",
      content: html`<p>The audit has your id.</p>
        ${field({ name: "key-name", label: "Name", isRequired: true, maxLength: MAX_NAME_LENGTH })}
        ${choices({ name: "scopes", label: "Scopes", values: SCOPES })}
        ${field({ name: "expires-at", label: "Expires", hint: "Such as 2027-01-31T09:30:00Z. Empty: never" })}
        ${field({ name: "allowed-ips", label: "Addresses", hint: "Addresses and networks with commas between. Empty: any" })}`,
      confirm: "Create key",
      work: (form) => this.#create(form),
    });

  async #create(form: FormData): Promise<void> {
    const scopes = chosenIn(form, "scopes", SCOPES);
    // Without scopes the key would have all.
    if (scopes.length === 0) throw new Error("Choose at least one scope.");
    const [expiresAt, addresses] = [textIn(form, "expires-at"), textIn(form, "allowed-ips")];
    const body = {
      name: textIn(form, "key-name"),
      scopes,
      ...(expiresAt !== "" && { expires_at: expiresAt }),
      ...(addresses !== "" && { allowed_ips: addresses.split(",").map((one) => one.trim()) }),
    };
    const made = await this.#context.api.ask("POST", this.#path, { body });
    this.#created = (made as { readonly data: NewKey }).data;
    await this.#keys.load();
    this.#context.say("The key is created. Copy it now.");
  }

  #revoke({ id, name }: Key): void {
    this.#dialog.ask({
      title: "Revoke the key?",
      content: html`<p><strong class="text">${visible(name)}</strong></p>
        <p>From now on every request with it is refused. This cannot be undone.</p>`,
      confirm: "Revoke key",
      isDangerous: true,
      work: async () => {
        await this.#context.api.ask("DELETE", `/admin/v1/keys/${id}`);
        await this.#keys.load();
        this.#context.say("The key is revoked.");
      },
    });
  }
}
