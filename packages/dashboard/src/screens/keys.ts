// API keys: create, shown once, change, revoke.

import type { ApiKey, CreatedApiKey } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import {
  area,
  choices,
  chosenIn,
  field,
  formSection,
  linesIn,
  textIn,
  timeField,
  timeIn,
} from "../parts/form.ts";
import { secretView } from "../parts/secret.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";
import { SCOPES } from "../words.ts";
import { textView, visible } from "../parts/visible.ts";

const NAME = { label: "Name", isRequired: true, maxLength: 255 };
/** Length of YYYY-MM-DD. */
const DAY = 10;

const MEANINGS: Readonly<Record<string, string>> = {
  "events:read": "read events and create widget tokens",
  "events:write": "store events",
  verify: "verify the chain",
  export: "create and download exports",
  "keys:manage": "manage API keys, webhooks and sinks",
};

export class KeysScreen implements Screen {
  readonly #context: Context;
  readonly #keys: Loader<readonly ApiKey[]>;
  readonly #creation: Action;
  readonly #dialog: Dialog;
  #created: CreatedApiKey | undefined;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#dialog = new Dialog(update);
    this.#keys = new Loader(update, (signal) => api.apiKeys.list({ signal }).toArray());
  }

  readonly stop = (): void => this.#keys.stop();

  readonly view = (): TemplateResult =>
    html`<p>
        A key authenticates a program. It belongs to this account, and works until it is revoked or
        expires.
      </p>
      ${this.#createdView()} ${this.#keys.view((keys) => this.#listView(keys))}
      ${this.#dialog.view()}`;

  #createdView(): TemplateResult | typeof nothing {
    const text = this.#created?.key;
    if (text === undefined) return nothing;
    const onClose = () => {
      this.#created = undefined;
      this.#context.update();
    };
    return secretView({ what: "API key", text, say: this.#context.say, onClose });
  }

  #listView(keys: readonly ApiKey[]): TemplateResult {
    const list =
      keys.length === 0
        ? html`<p class="empty">No keys yet. Create one below.</p>`
        : table<ApiKey>(
            "API keys",
            [
              {
                title: "Name",
                cell: ({ name }) => textView(name),
              },
              { title: "Key", cell: (key) => html`<code>${key.key_prefix}</code>` },
              { title: "Scopes", cell: scopesView },
              { title: "Created", cell: (key) => timeView(key.created_at) },
              {
                title: "Last used",
                cell: ({ last_used_at: day }) =>
                  day === undefined ? "never" : html`<time>${day.slice(0, DAY)}</time>`,
              },
              {
                title: "Expires",
                cell: ({ expires_at: at }) => (at === undefined ? "never" : timeView(at)),
              },
              { title: "Actions", cell: (key) => this.#actionsView(key) },
            ],
            keys,
          );
    return html`${list}${this.#formView()}`;
  }

  #actionsView(key: ApiKey): TemplateResult {
    return html`<span class="buttons">
      ${rowButton("Change", key.name, () => this.#change(key))}
      ${rowButton("Revoke", key.name, () => this.#revoke(key), DANGER)}
    </span>`;
  }

  #formView(): TemplateResult {
    return formSection({
      id: "create-key",
      title: "Create a key",
      action: this.#creation,
      fields: html`${field({ ...NAME, name: "name", hint: "Who uses it, such as billing" })}
        <details>
          <summary>Expiry and addresses</summary>
          ${limitFields("")}
        </details>
        ${choices({ name: "scopes", label: "Scopes", values: SCOPES, meanings: MEANINGS })}`,
      submit: "Create key",
      work: this.#create,
    });
  }

  readonly #create = async (form: FormData, element: HTMLFormElement): Promise<void> => {
    const scopes = chosenIn(form, "scopes", SCOPES);
    // Without scopes the service would grant all five.
    if (scopes.length === 0) throw new Error("Choose at least one scope.");
    const [expires_at, allowed_ips] = [timeIn(form, "expires"), linesIn(form, "ips")];
    const body = {
      name: textIn(form, "name"),
      scopes,
      ...(expires_at !== undefined && { expires_at }),
      ...(allowed_ips.length > 0 && { allowed_ips }),
    };
    this.#created = await this.#context.api.apiKeys.create(body);
    element.reset();
    this.#context.say("The key is created. Copy it now.");
    await this.#keys.load();
  };

  /** What was not changed is not sent: a field has no seconds. */
  #change(key: ApiKey): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Change the key",
      content: html`${field({ ...NAME, name: "new-name", value: key.name })}
      ${limitFields("new-", key)}`,
      confirm: "Save changes",
      work: async (form) => {
        const isSameTime = textIn(form, "new-expires") === timeField(key.expires_at);
        const ips = linesIn(form, "new-ips");
        const isSameIps = ips.join() === (key.allowed_ips ?? []).join();
        await api.apiKeys.update(key.id, {
          name: textIn(form, "new-name"),
          ...(!isSameTime && { expires_at: timeIn(form, "new-expires") ?? null }),
          ...(!isSameIps && { allowed_ips: ips.length === 0 ? null : ips }),
        });
        await this.#keys.load();
        say("The key is changed.");
      },
    });
  }

  #revoke(key: ApiKey): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Revoke the key?",
      content: html`<p>
          <strong class="text">${visible(key.name)}</strong> <code>${key.key_prefix}</code>
        </p>
        <p>
          From now on every request with it is refused, also yours if it is the key that you logged
          in with. This cannot be undone.
        </p>`,
      confirm: "Revoke key",
      isDangerous: true,
      work: async () => {
        await api.apiKeys.delete(key.id);
        await this.#keys.load();
        say("The key is revoked.");
      },
    });
  }
}

/** When a key ends, and from where it works. */
function limitFields(prefix: string, key?: ApiKey): TemplateResult {
  return html`${field({
    name: `${prefix}expires`,
    label: "Expires (local time)",
    type: "datetime-local",
    hint: "Default: never",
    value: timeField(key?.expires_at),
  })}
  ${area({
    name: `${prefix}ips`,
    label: "Only from these addresses",
    hint: "Addresses and networks such as 192.0.2.0/24, one a line. Default: any",
    value: key?.allowed_ips?.join("\n"),
  })}`;
}

function scopesView({ allowed_ips: ips, scopes }: ApiKey): TemplateResult {
  return html`${scopes.join(", ")}
  ${ips === undefined ? nothing : html`<p>only from <span class="text">${ips.join(", ")}</span></p>`}`;
}
