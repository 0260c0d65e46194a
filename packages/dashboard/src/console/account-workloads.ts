// The workloads of one account, as a part of its page: which programs it trusts, and to end that at once.

import { html, type TemplateResult } from "lit/html.js";
import type { Dialog } from "../parts/dialog.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { type ConsoleContext, PagedList } from "./console-screen.ts";
import type { Workload } from "./resources.ts";

export class AccountWorkloads {
  readonly #context: ConsoleContext;
  readonly #dialog: Dialog;
  readonly #path: string;
  readonly #workloads: PagedList<Workload>;

  /** `account` is the path of the account in the admin API. */
  constructor(context: ConsoleContext, dialog: Dialog, account: string) {
    this.#context = context;
    this.#dialog = dialog;
    this.#path = `${account}/workloads`;
    this.#workloads = new PagedList(context, this.#path);
  }

  readonly stop = (): void => this.#workloads.stop();

  view(): TemplateResult {
    return html`<section aria-labelledby="workloads">
      <h2 id="workloads">Workloads</h2>
      ${this.#workloads.view((workloads) => this.#listView(workloads))}
    </section>`;
  }

  #listView(workloads: readonly Workload[]): TemplateResult {
    if (workloads.length === 0)
      return html`<p class="empty">It trusts no workloads. A manager of the account adds them.</p>`;
    const remove = (workload: Workload) =>
      html`<button
        type="button"
        class="danger"
        aria-label=${`Delete the workload ${workload.name}`}
        @click=${() => this.#remove(workload)}
      >
        Delete
      </button>`;
    return table<Workload>(
      "Workloads",
      [
        { title: "Name", cell: ({ name }) => html`<span class="text">${visible(name)}</span>` },
        { title: "Issuer", cell: ({ issuer }) => issuer },
        {
          title: "Subject",
          cell: ({ subject }) => html`<code class="breaks">${visible(subject)}</code>`,
        },
        { title: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
        { title: "Created", cell: (one) => timeView(one.created_at) },
        { title: "Actions", cell: remove },
      ],
      workloads,
    );
  }

  #remove({ id, name }: Workload): void {
    this.#dialog.ask({
      title: "Delete the workload?",
      content: html`<p><strong class="text">${visible(name)}</strong></p>
        <p>From now on every request with its tokens is refused.</p>`,
      confirm: "Delete workload",
      isDangerous: true,
      work: async () => {
        await this.#context.api.ask("DELETE", `${this.#path}/${id}`);
        await this.#workloads.load();
        this.#context.say("The workload is deleted.");
      },
    });
  }
}
