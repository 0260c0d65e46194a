// One account: its name, its plan, its state, its keys, the roles that it gives, and the workloads that it
// trusts.

import { html, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { field, textIn } from "../parts/form.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, Loader, type Screen } from "../screen.ts";
import { AccountKeys } from "./account-keys.ts";
import { AccountRoles } from "./account-roles.ts";
import { stateView } from "./account-state.ts";
import { AccountWorkloads } from "./account-workloads.ts";
import type { ConsoleContext } from "./console-screen.ts";
import { type AccountDetail, MAX_NAME_LENGTH, type Plan } from "./resources.ts";

interface Shown {
  readonly account: AccountDetail;
  readonly plans: readonly Plan[];
}

export class AccountScreen implements Screen {
  readonly #context: ConsoleContext;
  readonly #path: string;
  readonly #shown: Loader<Shown>;
  readonly #keys: AccountKeys;
  readonly #roles: AccountRoles;
  readonly #workloads: AccountWorkloads;
  readonly #change: Action;
  readonly #dialog: Dialog;

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
    this.#keys = new AccountKeys(context, this.#dialog, this.#path);
    this.#roles = new AccountRoles(context, this.#dialog, this.#path);
    this.#workloads = new AccountWorkloads(context, this.#dialog, this.#path);
  }

  readonly stop = (): void => {
    for (const loaded of [this.#shown, this.#keys, this.#roles, this.#workloads]) loaded.stop();
  };

  readonly view = (): TemplateResult =>
    html`${this.#keys.createdView()} ${this.#shown.view((shown) => this.#accountView(shown))}
    ${this.#keys.view()} ${this.#roles.view()} ${this.#workloads.view()} ${this.#dialog.view()}`;

  #accountView({ account, plans }: Shown): TemplateResult {
    const { created_at: createdAt, id, name, plan } = account;
    const onChange = (event: Event) => {
      const chosen = (event.currentTarget as HTMLSelectElement).value;
      void this.#setPlan(chosen || null);
    };
    return html`<p class="buttons">
        <strong class="text">${visible(name)}</strong>
        <button type="button" @click=${() => this.#rename(name)}>Rename</button>
      </p>
      <p><code class="breaks">${id}</code>, created ${timeView(createdAt)}</p>
      <div class="field">
        <label for="plan">Plan</label>
        <select id="plan" .value=${plan ?? ""} @change=${onChange}>
          <option value="" ?selected=${plan === null}>default</option>
          ${plans.map((each) => html`<option value=${each.name} ?selected=${each.name === plan}>${each.name}</option>`)}
        </select>
      </div>
      ${this.#change.view()} ${stateView(account)}`;
  }

  #setPlan(plan: string | null): Promise<void> {
    return this.#change.run(async () => {
      await this.#context.api.ask("PATCH", this.#path, { body: { plan } });
      await this.#shown.load();
      this.#context.say("The plan takes effect with the next request.");
    });
  }

  #rename(name: string): void {
    this.#dialog.ask({
      title: "Rename the account",
      content: field({
        name: "new-name",
        label: "Name",
        value: name,
        isRequired: true,
        maxLength: MAX_NAME_LENGTH,
      }),
      confirm: "Rename",
      work: async (form) => {
        const body = { name: textIn(form, "new-name") };
        await this.#context.api.ask("PATCH", this.#path, { body });
        await this.#shown.load();
        this.#context.say("The account is renamed.");
      },
    });
  }
}
