// Webhooks: create, the secret once, test, disable, rotate the secret, delete. The deliveries of one are in
// webhook.ts.

import type { Webhook } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { choices, chosenIn, field, onSubmit, textIn } from "../parts/form.ts";
import { secretView } from "../parts/secret.ts";
import { table } from "../parts/table.ts";
import { numberText, timeView } from "../parts/time.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";
import { EVENT_NAMES } from "../words.ts";
import { visible } from "../parts/visible.ts";

const MAX_URL_LENGTH = 2_048;
const DAY_S = 86_400;
const MAX_GRACE_S = 604_800;

const GRACE = {
  name: "grace",
  label: "Grace period in seconds",
  type: "number",
  value: String(DAY_S),
  isRequired: true,
  min: 0,
  max: MAX_GRACE_S,
  hint: "How long deliveries are signed with both secrets. Update your server within this time.",
} as const;

const MEANINGS: Readonly<Record<string, string>> = {
  "event.created": "an event was stored",
  "event.verified": "a verification finished",
  "export.completed": "an export finished",
  "log.checkpointed": "an epoch of the signed log covers new events",
  "*": "all of these but log.checkpointed",
};

export class WebhooksScreen implements Screen {
  readonly #context: Context;
  readonly #webhooks: Loader<readonly Webhook[]>;
  readonly #creation: Action;
  readonly #change: Action;
  readonly #dialog: Dialog;
  #secret: string | undefined;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#change = new Action(update);
    this.#dialog = new Dialog(update);
    this.#webhooks = new Loader(update, (signal) => api.webhooks.list({ signal }).toArray());
  }

  readonly stop = (): void => this.#webhooks.stop();

  readonly view = (): TemplateResult =>
    html`<p>A webhook sends a signed POST to your server when something happens in this account.</p>
      ${this.#secretView()} ${this.#change.view()}
      ${this.#webhooks.view((all) => this.#listView(all))} ${this.#dialog.view()}`;

  #secretView(): TemplateResult | typeof nothing {
    if (this.#secret === undefined) return nothing;
    const onClose = () => {
      this.#secret = undefined;
      this.#context.update();
    };
    const { say } = this.#context;
    return secretView({ what: "signing secret", text: this.#secret, say, onClose });
  }

  #listView(webhooks: readonly Webhook[]): TemplateResult {
    const list =
      webhooks.length === 0
        ? html`<p class="empty">No webhooks yet. Create one below, then send a test delivery.</p>`
        : table<Webhook>(
            "Webhooks",
            [
              { title: "URL", cell: ({ url }) => html`<span class="text">${visible(url)}</span>` },
              { title: "Events", cell: eventsView },
              { title: "State", cell: stateView },
              { title: "Created", cell: (one) => timeView(one.created_at) },
              { title: "Actions", cell: (one) => this.#actionsView(one) },
            ],
            webhooks,
          );
    return html`${list}${this.#formView()}`;
  }

  #actionsView(one: Webhook): TemplateResult {
    const button = (text: string, act: () => void, kind = "") =>
      html`<button type="button" class=${kind} aria-label=${`${text} ${one.url}`} @click=${act}>
        ${text}
      </button>`;
    return html`<span class="buttons">
      <a
        class="button"
        href=${this.#context.href(`webhooks/${one.id}`)}
        aria-label=${`Deliveries of ${one.url}`}
        >Deliveries</a
      >
      ${button(one.active ? "Disable" : "Enable", () => void this.#switch(one))}
      ${button("Rotate secret", () => this.#rotate(one))}
      ${button("Delete", () => this.#delete(one), "danger")}
    </span>`;
  }

  #formView(): TemplateResult {
    return html`<section aria-labelledby="create-webhook">
      <h2 id="create-webhook">Create a webhook</h2>
      <form @submit=${onSubmit((form, element) => void this.#create(form, element))}>
        ${field({ name: "url", label: "URL", type: "url", isRequired: true, maxLength: MAX_URL_LENGTH, hint: "HTTPS, of a public host" })}
        ${choices({ name: "events", label: "Events", values: EVENT_NAMES, meanings: MEANINGS })}
        ${this.#creation.view()}
        <p><button class="primary" ?disabled=${this.#creation.isBusy}>Create webhook</button></p>
      </form>
    </section>`;
  }

  #create(form: FormData, element: HTMLFormElement): Promise<void> {
    const { api, say } = this.#context;
    return this.#creation.run(async () => {
      const events = chosenIn(form, "events", EVENT_NAMES);
      if (events.length === 0) throw new Error("Choose at least one event.");
      const body = { url: textIn(form, "url"), events };
      const { secret } = await api.webhooks.create(body);
      this.#secret = secret;
      element.reset();
      say("The webhook is created. Copy its secret now.");
      await this.#webhooks.load();
    });
  }

  #switch({ id, active }: Webhook): Promise<void> {
    const { api, say } = this.#context;
    return this.#change.run(async () => {
      await api.webhooks.update(id, { active: !active });
      await this.#webhooks.load();
      say(active ? "The webhook is disabled." : "The webhook is enabled.");
    });
  }

  #rotate({ id, url }: Webhook): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Rotate the secret?",
      content: html`<p class="text">${visible(url)}</p>
        ${field(GRACE)}`,
      confirm: "Rotate secret",
      work: async (form) => {
        const body = { grace_seconds: Number(textIn(form, "grace")) };
        const { secret } = await api.webhooks.rotateSecret(id, body);
        this.#secret = secret;
        say("The secret is rotated. Copy the new one now.");
      },
    });
  }

  #delete({ id, url }: Webhook): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Delete the webhook?",
      content: html`<p class="text">${visible(url)}</p>
        <p>Its deliveries and their history are deleted. This cannot be undone.</p>`,
      confirm: "Delete webhook",
      isDangerous: true,
      work: async () => {
        await api.webhooks.delete(id);
        await this.#webhooks.load();
        say("The webhook is deleted.");
      },
    });
  }
}

function eventsView({ events, filter = {} }: Webhook): TemplateResult {
  const members = Object.entries(filter).map(
    ([member, values]) =>
      html`<p class="text">
        ${member}: ${values.length === 0 ? "none" : visible(values.join(", "))}
      </p>`,
  );
  return html`${events.join(", ")}${members}`;
}

function stateView({ active, disabled_reason, disabled_at, dropped }: Webhook): TemplateResult {
  const disabled =
    disabled_reason === undefined
      ? html`<span class="badge">disabled</span>`
      : html`<span class="badge bad">disabled: ${disabled_reason}</span> since
          ${timeView(disabled_at)}`;
  return html`${active ? html`<span class="badge good">active</span>` : disabled}
  ${dropped ? html`<p>${numberText(dropped.count)} deliveries were dropped, the last ${timeView(dropped.last_at)}</p>` : nothing}`;
}
