// Webhooks: create, the secret once, whether they deliver, change, disable, rotate the secret, delete. The
// deliveries of one are in webhook.ts.

import type { NewWebhook, Webhook, WebhookUpdate } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { keyed } from "lit/directives/keyed.js";
import { Dialog } from "../parts/dialog.ts";
import { changedFilter, valueFields, valuesIn } from "../parts/filter-fields.ts";
import { choices, chosenIn, field, formSection, textIn } from "../parts/form.ts";
import { secretView } from "../parts/secret.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";
import { EVENT_NAMES } from "../words.ts";
import { eventsView, loadWebhooks, type Shown, stateView } from "./webhook-views.ts";
import { textView, visible } from "../parts/visible.ts";

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

const URL_FIELD = {
  name: "url",
  label: "URL",
  type: "url",
  isRequired: true,
  maxLength: MAX_URL_LENGTH,
  hint: "HTTPS, of a public host",
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
  readonly #webhooks: Loader<readonly Shown[]>;
  readonly #creation: Action;
  readonly #action: Action;
  readonly #dialog: Dialog;
  #secret: string | undefined;
  /** The webhook that the form changes; undefined while it creates one. */
  #changed: Webhook | undefined;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#action = new Action(update);
    this.#dialog = new Dialog(update);
    this.#webhooks = new Loader(update, (signal) => loadWebhooks(api, signal));
  }

  readonly stop = (): void => this.#webhooks.stop();

  readonly view = (): TemplateResult =>
    html`<p>A webhook sends a signed POST to your server when something happens in this account.</p>
      ${this.#secretView()} ${this.#action.view()}
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

  #listView(webhooks: readonly Shown[]): TemplateResult {
    const list =
      webhooks.length === 0
        ? html`<p class="empty">No webhooks yet. Create one below, then send a test delivery.</p>`
        : table<Shown>(
            "Webhooks",
            [
              {
                title: "URL",
                cell: ({ webhook }) => textView(webhook.url),
              },
              { title: "Events", cell: ({ webhook }) => eventsView(webhook) },
              { title: "State", cell: stateView },
              { title: "Created", cell: ({ webhook }) => timeView(webhook.created_at) },
              { title: "Actions", cell: ({ webhook }) => this.#actionsView(webhook) },
            ],
            webhooks,
          );
    return html`${list}${this.#formView()}`;
  }

  #actionsView(one: Webhook): TemplateResult {
    const button = (text: string, act: () => unknown, look = {}) =>
      rowButton(text, one.url, act, look);
    return html`<span class="buttons">
      <a
        class="button"
        href=${this.#context.href(`webhooks/${one.id}`)}
        aria-label=${`Deliveries of ${one.url}`}
        >Deliveries</a
      >
      ${button("Change", () => this.#change(one))}
      ${button(one.active ? "Disable" : "Enable", () => this.#switch(one))}
      ${button("Rotate secret", () => this.#rotate(one))}
      ${button("Delete", () => this.#delete(one), DANGER)}
    </span>`;
  }

  #formView(): TemplateResult {
    const one = this.#changed;
    return formSection({
      id: "webhook",
      title: one ? "Change the webhook" : "Create a webhook",
      action: this.#creation,
      fields: html`${keyed(
        one?.id,
        html`${field({ ...URL_FIELD, value: one?.url })}
        ${choices({ name: "events", label: "Events", values: EVENT_NAMES, meanings: MEANINGS, chosen: one?.events })}
        ${valueFields(one?.filter)}`,
      )}`,
      submit: one ? "Save changes" : "Create webhook",
      onCancel: one && (() => this.#change(undefined)),
      work: this.#submit,
    });
  }

  /** Fills the form with a webhook, or empties it. The focus follows. */
  #change(one: Webhook | undefined): void {
    this.#changed = one;
    this.#creation.error = undefined;
    this.#context.update();
    document.querySelector<HTMLElement>(one ? "#url" : "h1")?.focus();
  }

  readonly #submit = async (form: FormData, element: HTMLFormElement): Promise<void> => {
    const events = chosenIn(form, "events", EVENT_NAMES);
    if (events.length === 0) throw new Error("Choose at least one event.");
    const body = { url: textIn(form, "url"), events };
    const one = this.#changed;
    await (one
      ? this.#save(one, body, changedFilter(form, one.filter))
      : this.#create({ ...body, filter: valuesIn(form) }, element));
  };

  async #create(body: NewWebhook, element: HTMLFormElement): Promise<void> {
    const { api, say } = this.#context;
    const { secret } = await api.webhooks.create(body);
    this.#secret = secret;
    element.reset();
    say("The webhook is created. Copy its secret now.");
    await this.#webhooks.load();
  }

  async #save(
    { id }: Webhook,
    body: WebhookUpdate,
    filter: WebhookUpdate["filter"] | undefined,
  ): Promise<void> {
    const { api, say } = this.#context;
    await api.webhooks.update(id, { ...body, ...(filter !== undefined && { filter }) });
    this.#change(undefined);
    await this.#webhooks.load();
    say("The webhook is changed.");
  }

  #switch({ id, active }: Webhook): Promise<void> {
    const { api, say } = this.#context;
    return this.#action.run(async () => {
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
