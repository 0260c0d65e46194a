// The roles that one account gives, as a part of its page: to groups and people of identity providers.

import { html, type TemplateResult } from "lit/html.js";
import type { Dialog } from "../parts/dialog.ts";
import { field, onSubmit, select, textIn } from "../parts/form.ts";
import { table } from "../parts/table.ts";
import { visible } from "../parts/visible.ts";
import { Action } from "../screen.ts";
import { type ConsoleContext, PagedList } from "./console-screen.ts";
import { MAX_NAME_LENGTH, type RoleMapping } from "./resources.ts";

const ROLES = { viewer: "viewer", auditor: "auditor", manager: "manager", none: "none" };
const KINDS = { group: "A group", subject: "One person, by the subject" };

export class AccountRoles {
  readonly #context: ConsoleContext;
  readonly #dialog: Dialog;
  readonly #path: string;
  readonly #mappings: PagedList<RoleMapping>;
  readonly #addition: Action;

  /** `account` is the path of the account in the admin API. */
  constructor(context: ConsoleContext, dialog: Dialog, account: string) {
    this.#context = context;
    this.#dialog = dialog;
    this.#path = `${account}/role-mappings`;
    this.#mappings = new PagedList(context, this.#path);
    this.#addition = new Action(context.update);
  }

  readonly stop = (): void => this.#mappings.stop();

  view(): TemplateResult {
    return html`<section aria-labelledby="roles">
      <h2 id="roles">Roles</h2>
      ${this.#mappings.view((mappings) => this.#listView(mappings))} ${this.#formView()}
    </section>`;
  }

  #listView(mappings: readonly RoleMapping[]): TemplateResult {
    if (mappings.length === 0) return html`<p class="empty">No one has a role yet.</p>`;
    const remove = (mapping: RoleMapping) =>
      html`<button
        type="button"
        class="danger"
        aria-label=${`Take back the role of ${holderOf(mapping)}`}
        @click=${() => this.#remove(mapping)}
      >
        Take back
      </button>`;
    return table<RoleMapping>(
      "Roles",
      [
        { title: "Provider", cell: ({ provider }) => provider },
        {
          title: "Given to",
          cell: (mapping) => html`<span class="text">${visible(holderOf(mapping))}</span>`,
        },
        { title: "Role", cell: ({ role }) => role },
        { title: "Actions", cell: remove },
      ],
      mappings,
    );
  }

  #formView(): TemplateResult {
    const whom = { name: "whom", label: "Name of the group, or subject", isRequired: true };
    return html`<form @submit=${onSubmit((form, element) => void this.#add(form, element))}>
      <div class="fields">
        ${field({ name: "provider", label: "Provider", isRequired: true })}
        ${select({ name: "kind", label: "Given to", values: KINDS })}
        ${field({ ...whom, maxLength: MAX_NAME_LENGTH })}
        ${select({ name: "role", label: "Role", values: ROLES })}
      </div>
      ${this.#addition.view()}
      <p><button ?disabled=${this.#addition.isBusy}>Give the role</button></p>
    </form>`;
  }

  #add(form: FormData, element: HTMLFormElement): Promise<void> {
    return this.#addition.run(async () => {
      const body = {
        provider: textIn(form, "provider"),
        [textIn(form, "kind")]: textIn(form, "whom"),
        role: textIn(form, "role"),
      };
      await this.#context.api.ask("POST", this.#path, { body });
      element.reset();
      await this.#mappings.load();
      this.#context.say("The role is given.");
    });
  }

  #remove(mapping: RoleMapping): void {
    this.#dialog.ask({
      title: "Take back the role?",
      content: html`<p>
          <strong class="text">${visible(holderOf(mapping))}</strong> of ${mapping.provider}:
          ${mapping.role}
        </p>
        <p>It gives nothing from the next request on.</p>`,
      confirm: "Take back",
      isDangerous: true,
      work: async () => {
        await this.#context.api.ask("DELETE", `${this.#path}/${mapping.id}`);
        await this.#mappings.load();
        this.#context.say("The role is taken back.");
      },
    });
  }
}

const holderOf = ({ group, subject }: RoleMapping): string => group ?? `subject ${subject ?? ""}`;
