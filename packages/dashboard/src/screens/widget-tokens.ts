// Widget tokens: create, the token once, the live ones, revoke.

import type { WidgetToken, WidgetTokenPage } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { filterFields, filterIn, filterText } from "../parts/filter-fields.ts";
import { choices, chosenIn, field, formSection, select, textIn } from "../parts/form.ts";
import { Pager } from "../parts/pager.ts";
import { secretView } from "../parts/secret.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { Action, type Context, type Screen } from "../screen.ts";
import { PARTS } from "../words.ts";
import { textView } from "../parts/visible.ts";

const MAX_LENGTH = 255;

const VIEWER_ID = {
  name: "viewer-id",
  label: "Viewer's id",
  isRequired: true,
  maxLength: MAX_LENGTH,
  hint: "The person who will view the events, for the record",
};

const VIEWER_NAME = { name: "viewer-name", label: "Viewer's name", maxLength: MAX_LENGTH };

const ORIGINS = {
  name: "origins",
  label: "Origins",
  hint: "Such as https://app.example.com, separated by spaces. Empty: only pages of this address",
};

const LIFETIMES = { 3600: "1 hour", 600: "10 minutes", 28_800: "8 hours", 86_400: "24 hours" };

export class WidgetTokensScreen implements Screen {
  readonly #context: Context;
  readonly #tokens: Pager<WidgetTokenPage>;
  readonly #creation: Action;
  readonly #dialog: Dialog;
  #token: string | undefined;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#dialog = new Dialog(update);
    this.#tokens = new Pager(update, (asked) => api.widgetTokens.list(asked).page());
  }

  readonly stop = (): void => this.#tokens.stop();

  readonly view = (): TemplateResult =>
    html`<p>
        A widget token lets a browser show some of the events inside another product, with
        <code>&lt;annals-viewer&gt;</code>. Your server creates them with its key; here you see
        which are live.
      </p>
      ${this.#secretView()}
      ${this.#tokens.view(({ data }, buttons) => html`${this.#listView(data)} ${buttons} ${this.#formView()}`)}
      ${this.#dialog.view()}`;

  #secretView(): TemplateResult | typeof nothing {
    if (this.#token === undefined) return nothing;
    const onClose = () => {
      this.#token = undefined;
      this.#context.update();
    };
    return secretView({ what: "widget token", text: this.#token, say: this.#context.say, onClose });
  }

  #listView(data: readonly WidgetToken[]): TemplateResult {
    return data.length === 0
      ? html`<p class="empty">
          No active tokens. Create one below to try the viewer on your own page.
        </p>`
      : table<WidgetToken>(
          "Widget tokens",
          [
            {
              title: "Viewer",
              cell: ({ viewer }) => textView(viewer?.name ?? viewer?.id ?? "–"),
            },
            { title: "Token", cell: (one) => html`<code>${one.token_prefix}</code>` },
            {
              title: "Filter",
              cell: ({ filter }) => textView(filterText(filter)),
            },
            {
              title: "Parts",
              cell: ({ parts }) => (parts.length === 0 ? "none" : parts.join(", ")),
            },
            {
              title: "Origins",
              cell: ({ origins }) =>
                textView(origins.length === 0 ? "this one" : origins.join(", ")),
            },
            { title: "Expires", cell: (one) => timeView(one.expires_at) },
            {
              title: "Actions",
              cell: (one) => rowButton("Revoke", one.token_prefix, () => this.#revoke(one), DANGER),
            },
          ],
          data,
        );
  }

  #formView(): TemplateResult {
    return formSection({
      id: "create-token",
      title: "Create a widget token",
      action: this.#creation,
      fields: html`<div class="fields">
          ${field(VIEWER_ID)} ${field(VIEWER_NAME)}
          ${select({ name: "lifetime", label: "Lives for", values: LIFETIMES, chosen: "3600" })}
          ${field(ORIGINS)}
        </div>
        ${choices({ name: "parts", label: "Parts that are shown", values: PARTS })}
        ${filterFields()}`,
      submit: "Create token",
      work: this.#create,
    });
  }

  readonly #create = async (form: FormData, element: HTMLFormElement): Promise<void> => {
    const { api, say } = this.#context;
    const name = textIn(form, "viewer-name");
    const body = {
      filter: filterIn(form),
      parts: chosenIn(form, "parts", PARTS),
      origins: textIn(form, "origins")
        .split(/[\s,]+/)
        .filter((origin) => origin !== ""),
      expires_in: Number(form.get("lifetime")),
      viewer: { id: textIn(form, "viewer-id"), ...(name !== "" && { name }) },
    };
    const { token } = await api.widgetTokens.create(body);
    this.#token = token;
    element.reset();
    say("The token is created. Copy it now.");
    await this.#tokens.loadFirst();
  };

  #revoke({ id, token_prefix }: WidgetToken): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Revoke the widget token?",
      content: html`<p><code>${token_prefix}</code></p>
        <p>Viewers that use it show no more events from now on. This cannot be undone.</p>`,
      confirm: "Revoke token",
      isDangerous: true,
      work: async () => {
        await api.widgetTokens.delete(id);
        await this.#tokens.load();
        say("The token is revoked.");
      },
    });
  }
}
