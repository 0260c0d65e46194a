// Health: which services answer, and what has waited for longest in any account.

import { html, type TemplateResult } from "lit/html.js";
import { table } from "../parts/table.ts";
import { Loader, type Screen } from "../screen.ts";
import type { ConsoleContext } from "./console-screen.ts";
import { lagView, runbookOf } from "./lags.ts";
import type { AccountLag, Health, Service } from "./resources.ts";

export class HealthScreen implements Screen {
  readonly #health: Loader<Health>;

  constructor({ api, update }: ConsoleContext) {
    this.#health = new Loader(update, (signal) => api.data<Health>("/admin/v1/health", signal));
  }

  readonly stop = (): void => this.#health.stop();

  readonly view = (): TemplateResult =>
    html`${this.#health.view((health) => healthView(health))}
      <p>
        <button type="button" @click=${() => void this.#health.load()}>Load again</button>
      </p>
      <p>
        Metrics and alerts have more: the dashboards of Grafana are in <code>deploy/grafana</code>,
        and each alert names its runbook.
      </p>`;
}

function healthView({ lags, services }: Health): TemplateResult {
  return html`<section aria-labelledby="services">
      <h2 id="services">Services</h2>
      ${table<Service>(
        "Services",
        [
          { title: "Name", cell: ({ name }) => name },
          { title: "State", cell: ({ answers }) => (answers ? "answers" : "does not answer") },
        ],
        services,
      )}
    </section>
    <section aria-labelledby="lags">
      <h2 id="lags">What lags</h2>
      ${
        lags.length === 0
          ? html`<p class="empty">Nothing has waited for more than five minutes.</p>`
          : lagsTable(lags)
      }
    </section>`;
}

function lagsTable(lags: readonly AccountLag[]): TemplateResult {
  return table<AccountLag>(
    "What lags",
    [
      {
        title: "Account",
        cell: ({ account_id: id }) =>
          html`<a class="breaks" href=${`#/accounts/${id}`}><code>${id}</code></a>`,
      },
      { title: "What", cell: lagView },
      { title: "Runbook", cell: (lag) => html`<code class="breaks">${runbookOf(lag)}</code>` },
    ],
    lags,
  );
}
