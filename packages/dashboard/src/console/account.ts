// One account: its plan, its state, its keys, the roles that it gives, and the workloads that it trusts.

import { html, nothing, type TemplateResult } from "lit";
import { Dialog } from "../parts/dialog.ts";
import { field, onSubmit, select, textIn } from "../parts/form.ts";
import { secretView } from "../parts/secret.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, Loader, type Screen } from "../screen.ts";
import { AccountWorkloads } from "./account-workloads.ts";
import { type ConsoleContext, PagedList } from "./console-screen.ts";
import { stateView } from "./account-state.ts";
import type { AccountDetail, Key, NewKey, Plan, RoleMapping } from "./resources.ts";

const MAX_NAME_LENGTH = 255;
const ROLES = { viewer: "viewer", auditor: "auditor", manager: "manager", none: "none" };
/** Length of YYYY-MM-DD. */
const DAY = 10;

interface Shown {
  readonly account: AccountDetail;
  readonly plans: readonly Plan[];
}

export class AccountScreen implements Screen {
  readonly #context: ConsoleContext;
  readonly #path: string;
  readonly #shown: Loader<Shown>;
  readonly #keys: PagedList<Key>;
  readonly #mappings: PagedList<RoleMapping>;
  readonly #workloads: AccountWorkloads;
  readonly #change: Action;
  readonly #dialog: Dialog;
  #created: NewKey | undefined;

  constructor(context: ConsoleContext, id: string) {
    const { api, update } = context;
    this.#context = context;
    this.#path = `/admin/v1/accounts/${id}`;
    this.#change = new Action(update);
    this.#dialog = new Dialog(update);
    this.#shown = new Loader(update, async (signal) => {
      const [account, plans] = await Promise.all([
        api.data<AccountDetail>(`${this.#path}/state`, signal),
        api.data<readonly Plan[]>("/admin/v1/plans", signal),
      ]);
      return { account, plans };
    });
    this.#keys = new PagedList(context, `${this.#path}/keys`);
    this.#mappings = new PagedList(context, `${this.#path}/role-mappings`);
    this.#workloads = new AccountWorkloads(context, this.#dialog, this.#path);
  }

  readonly stop = (): void => {
    for (const loaded of [this.#shown, this.#keys, this.#mappings, this.#workloads]) loaded.stop();
  };

  readonly view = (): TemplateResult =>
    html`${this.#createdView()} ${this.#shown.view((shown) => this.#accountView(shown))}
      ${this.#change.view()}
      <section aria-labelledby="keys">
        <h2 id="keys">API keys</h2>
        ${this.#keys.view((keys) => this.#keysView(keys))}
        <p><button type="button" @click=${this.#addKey}>Create a key</button></p>
      </section>
      <section aria-labelledby="roles">
        <h2 id="roles">Roles</h2>
        ${this.#mappings.view((mappings) => this.#mappingsView(mappings))} ${this.#roleForm()}
      </section>
      ${this.#workloads.view()} ${this.#dialog.view()}`;

  #accountView({ account, plans }: Shown): TemplateResult {
    const { created_at: createdAt, id, name, plan } = account;
    const onChange = (event: Event) => {
      const chosen = (event.currentTarget as HTMLSelectElement).value;
      void this.#setPlan(chosen || null);
    };
    return html`<p><strong class="text">${visible(name)}</strong></p>
      <p><code class="breaks">${id}</code>, created ${timeView(createdAt)}</p>
      <div class="field">
        <label for="plan">Plan</label>
        <select id="plan" .value=${plan ?? ""} @change=${onChange}>
          <option value="" ?selected=${plan === null}>default</option>
          ${plans.map((each) => html`<option value=${each.name} ?selected=${each.name === plan}>${each.name}</option>`)}
        </select>
      </div>
      ${stateView(account)}`;
  }

  #setPlan(plan: string | null): Promise<void> {
    return this.#change.run(async () => {
      await this.#context.api.ask("PATCH", this.#path, { body: { plan } });
      await this.#shown.load();
      this.#context.say("The plan takes effect with the next request.");
    });
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

  #keysView(keys: readonly Key[]): TemplateResult {
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
        { title: "Actions", cell: revoke },
      ],
      keys,
    );
  }

  readonly #addKey = (): void =>
    this.#dialog.ask({
      title: "Create a key",
      content: html`<p>It has all scopes, and the audit has your name.</p>
        ${field({ name: "key-name", label: "Name", isRequired: true, maxLength: MAX_NAME_LENGTH })}`,
      confirm: "Create key",
      work: async (form) => {
        const body = { name: textIn(form, "key-name") };
        const made = await this.#context.api.ask("POST", `${this.#path}/keys`, { body });
        this.#created = (made as { readonly data: NewKey }).data;
        await this.#keys.load();
        this.#context.say("The key is created. Copy it now.");
      },
    });

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

  #mappingsView(mappings: readonly RoleMapping[]): TemplateResult {
    if (mappings.length === 0) return html`<p class="empty">No one has a role yet.</p>`;
    const remove = (mapping: RoleMapping) =>
      html`<button
        type="button"
        class="danger"
        aria-label=${`Delete the role of ${mapping.group ?? mapping.subject}`}
        @click=${() => void this.#removeRole(mapping)}
      >
        Delete
      </button>`;
    return table<RoleMapping>(
      "Roles",
      [
        { title: "Provider", cell: ({ provider }) => provider },
        {
          title: "Group or subject",
          cell: ({ group, subject }) =>
            html`<span class="text">${visible(group ?? `subject ${subject ?? ""}`)}</span>`,
        },
        { title: "Role", cell: ({ role }) => role },
        { title: "Actions", cell: remove },
      ],
      mappings,
    );
  }

  #roleForm(): TemplateResult {
    return html`<form @submit=${onSubmit((form, element) => void this.#addRole(form, element))}>
      ${field({ name: "provider", label: "Provider", isRequired: true })}
      ${field({ name: "group", label: "Group", isRequired: true, maxLength: MAX_NAME_LENGTH })}
      ${select("role", "Role", ROLES)}
      <p><button class="primary" ?disabled=${this.#change.isBusy}>Give the role</button></p>
    </form>`;
  }

  #addRole(form: FormData, element: HTMLFormElement): Promise<void> {
    return this.#change.run(async () => {
      const [provider, group, role] = ["provider", "group", "role"].map((name) =>
        textIn(form, name),
      );
      const body = { provider, group, role };
      await this.#context.api.ask("POST", `${this.#path}/role-mappings`, { body });
      element.reset();
      await this.#mappings.load();
      this.#context.say("The role is given.");
    });
  }

  #removeRole({ id }: RoleMapping): Promise<void> {
    return this.#change.run(async () => {
      await this.#context.api.ask("DELETE", `${this.#path}/role-mappings/${id}`);
      await this.#mappings.load();
      this.#context.say("The role is taken back.");
    });
  }
}
