// Role mappings: which groups and people of an identity provider have which role in the account.

import type { NewRoleMapping, RoleMapping } from "@annals/sdk";
import { html, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { field, formSection, select, textIn } from "../parts/form.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";

const MAX_LENGTH = 255;

const ROLES = {
  viewer: "viewer: reads events",
  auditor: "auditor: verifies and exports, too",
  manager: "manager: manages the account, too",
  none: "none: no access, whatever other mappings give",
} satisfies Record<RoleMapping["role"], string>;

const KINDS = { group: "A group", subject: "One person, by the subject" };

const WHOM = {
  name: "whom",
  label: "Name of the group, or subject",
  isRequired: true,
  maxLength: MAX_LENGTH,
  hint: "As the provider writes it, to the character",
};

const PROVIDER = { name: "provider", label: "Provider", isRequired: true };

export class RoleMappingsScreen implements Screen {
  readonly #context: Context;
  readonly #mappings: Loader<readonly RoleMapping[]>;
  readonly #creation: Action;
  readonly #dialog: Dialog;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#dialog = new Dialog(update);
    this.#mappings = new Loader(update, (signal) => api.roleMappings.list({ signal }).toArray());
  }

  readonly stop = (): void => this.#mappings.stop();

  readonly view = (): TemplateResult =>
    html`<p>
        A mapping gives a role in this account to a group of an identity provider, or to one person.
        The highest role counts. It is in force with the next request.
      </p>
      ${this.#mappings.view((mappings) => this.#listView(mappings))} ${this.#dialog.view()}`;

  #listView(mappings: readonly RoleMapping[]): TemplateResult {
    const list =
      mappings.length === 0
        ? html`<p class="empty">No mappings yet: nobody has a role here. Add one below.</p>`
        : table<RoleMapping>(
            "Role mappings",
            [
              { title: "Provider", cell: ({ provider }) => provider },
              { title: "Given to", cell: nameView },
              { title: "Role", cell: ({ role }) => role },
              { title: "Id", cell: ({ id }) => html`<code class="breaks">${id}</code>` },
              { title: "Created", cell: (one) => timeView(one.created_at) },
              { title: "Actions", cell: (one) => this.#deleteView(one) },
            ],
            mappings,
          );
    return html`${list}${this.#formView()}`;
  }

  #deleteView(mapping: RoleMapping): TemplateResult {
    const row = `the mapping of ${nameOf(mapping)}`;
    return rowButton("Delete", row, () => this.#delete(mapping), DANGER);
  }

  #formView(): TemplateResult {
    const providers = this.#context.providers.map(({ name, title }) => [name, title] as const);
    const provider =
      providers.length === 0
        ? field(PROVIDER)
        : select({ ...PROVIDER, values: Object.fromEntries(providers) });
    return formSection({
      id: "add-mapping",
      title: "Add a mapping",
      action: this.#creation,
      fields: html`<div class="fields">
        ${provider} ${select({ name: "kind", label: "Given to", values: KINDS })} ${field(WHOM)}
        ${select({ name: "role", label: "Role", values: ROLES })}
      </div>`,
      submit: "Add mapping",
      work: this.#create,
    });
  }

  readonly #create = async (form: FormData, element: HTMLFormElement): Promise<void> => {
    const { api, say } = this.#context;
    await api.roleMappings.create({
      provider: textIn(form, "provider"),
      [textIn(form, "kind")]: textIn(form, "whom"),
      role: textIn(form, "role") as NewRoleMapping["role"],
    });
    element.reset();
    say("The mapping is added.");
    await this.#mappings.load();
  };

  #delete(mapping: RoleMapping): void {
    const { api, say, person } = this.#context;
    const own = person?.session.accounts.some((one) => one.role_mapping_id === mapping.id);
    this.#dialog.ask({
      title: "Delete the mapping?",
      content: html`<p>${nameView(mapping)}: <strong>${mapping.role}</strong></p>
        <p>${own ? "It gives you your own role here. " : ""}It ends with the next request.</p>`,
      confirm: "Delete mapping",
      isDangerous: true,
      work: async () => {
        await api.roleMappings.delete(mapping.id);
        say("The mapping is deleted.");
        await this.#mappings.load();
      },
    });
  }
}

const nameOf = ({ group, subject }: RoleMapping): string => group ?? subject ?? "";

const nameView = (mapping: RoleMapping): TemplateResult =>
  html`<span class="text"
    >${mapping.group === null ? "the person" : "the group"}
    <strong>${visible(nameOf(mapping))}</strong></span
  >`;
