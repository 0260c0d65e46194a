// Workloads: which programs are trusted by the tokens of their platform, and what they may do.

import type { Workload } from "@annals/sdk";
import { html, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { choices, chosenIn, field, formSection, textIn } from "../parts/form.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { textView, visible } from "../parts/visible.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";
import { SCOPES } from "../words.ts";

const FIELDS = [
  {
    name: "name",
    label: "Name",
    isRequired: true,
    maxLength: 255,
    hint: "What runs there, such as billing",
  },
  {
    name: "issuer",
    label: "Issuer",
    isRequired: true,
    maxLength: 31,
    hint: "The operator's name of the platform, such as cluster",
  },
  {
    name: "subject",
    label: "Subject",
    isRequired: true,
    maxLength: 1_024,
    hint: "As in its tokens, such as system:serviceaccount:logging:collector. A beginning ends with *",
  },
  {
    name: "claims",
    label: "Further claims",
    hint: "Pairs with commas between them, such as repository_id=74, ref=refs/heads/main",
  },
] as const;

export class WorkloadsScreen implements Screen {
  readonly #context: Context;
  readonly #workloads: Loader<readonly Workload[]>;
  readonly #creation: Action;
  readonly #dialog: Dialog;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#dialog = new Dialog(update);
    this.#workloads = new Loader(update, (signal) => api.workloads.list({ signal }).toArray());
  }

  readonly stop = (): void => this.#workloads.stop();

  readonly view = (): TemplateResult =>
    html`<p>
        A workload is a program that sends the token of its platform in place of an API key. The
        token must have the issuer, subject, claims and audience. The operator configures issuers.
      </p>
      ${this.#workloads.view((workloads) => this.#listView(workloads))} ${this.#dialog.view()}`;

  #listView(workloads: readonly Workload[]): TemplateResult {
    const list =
      workloads.length === 0
        ? html`<p class="empty">No workloads yet. Add one below.</p>`
        : table<Workload>(
            "Workloads",
            [
              { title: "Name", cell: ({ name }) => textView(name) },
              { title: "Issuer", cell: ({ issuer }) => textView(issuer) },
              { title: "Subject and claims", cell: tokenView },
              { title: "Audience", cell: audienceView },
              { title: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
              { title: "Created", cell: (one) => timeView(one.created_at) },
              {
                title: "Actions",
                cell: (one) => rowButton("Delete", one.name, () => this.#delete(one), DANGER),
              },
            ],
            workloads,
          );
    return html`${list}${this.#formView()}`;
  }

  #formView(): TemplateResult {
    return formSection({
      id: "add-workload",
      title: "Add a workload",
      action: this.#creation,
      fields: html`<div class="fields">${FIELDS.map(field)}</div>
        ${choices({ name: "scopes", label: "Scopes", values: SCOPES })}`,
      submit: "Add workload",
      work: this.#create,
    });
  }

  readonly #create = async (form: FormData, element: HTMLFormElement): Promise<void> => {
    const { api, say } = this.#context;
    const scopes = chosenIn(form, "scopes", SCOPES);
    if (scopes.length === 0) throw new Error("Choose at least one scope.");
    await api.workloads.create({
      name: textIn(form, "name"),
      issuer: textIn(form, "issuer"),
      subject: textIn(form, "subject"),
      claims: claimsOf(textIn(form, "claims")),
      scopes,
    });
    element.reset();
    say("The workload is added.");
    await this.#workloads.load();
  };

  #delete(workload: Workload): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Delete the workload?",
      content: html`<p>${textView(workload.name)}</p>
        <p>${tokenView(workload)}</p>
        <p>No request that begins later is admitted by it.</p>`,
      confirm: "Delete workload",
      isDangerous: true,
      work: async () => {
        await api.workloads.delete(workload.id);
        say("The workload is deleted.");
        await this.#workloads.load();
      },
    });
  }
}

/** Throws for what is not a pair. A value may have `=`, and no comma. */
function claimsOf(given: string): Record<string, string> {
  const pairs = given.split(",").map((pair) => pair.trim());
  return Object.fromEntries(
    pairs
      .filter((pair) => pair !== "")
      .map((pair) => {
        const [, name = "", value = ""] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
        if (name === "") throw new Error(`Further claims: ${pair} is not a pair such as ref=main.`);
        return [name.trim(), value.trim()];
      }),
  );
}

const tokenView = ({ claims, subject }: Workload): TemplateResult =>
  html`<code class="breaks">${visible(subject)}</code>${Object.entries(claims ?? {}).map(
      ([name, value]) => html`<br /><code class="breaks">${visible(name)}=${visible(value)}</code>`,
    )}`;

const audienceView = ({ audience }: Workload): TemplateResult =>
  audience === null ? html`no issuer is configured` : html`<code class="breaks">${audience}</code>`;
