// Events: the viewer, with a widget token that this screen mints with the key and renews before it expires.
// The viewer never gets the key.

import type { CreatedWidgetToken } from "@annals/sdk";
import { html, type TemplateResult } from "lit/html.js";
import { type Context, Loader, type Screen } from "../screen.ts";
import { PARTS } from "../words.ts";

/** Seconds that a token lives: a page that is closed leaves one for no longer. */
const LIFETIME_S = 3_600;

/** Served along with the dashboard; it defines `<annals-viewer>`. */
const VIEWER = "/widget/viewer.js";

export class EventsScreen implements Screen {
  readonly #context: Context;
  readonly #first: Loader<CreatedWidgetToken>;

  constructor(context: Context) {
    this.#context = context;
    this.#first = new Loader(context.update, async (signal) => {
      const [token] = await Promise.all([this.#mint(signal), loadViewer()]);
      return token;
    });
  }

  readonly stop = (): void => this.#first.stop();

  readonly view = (): TemplateResult =>
    this.#first.view(
      ({ token, expires_at }) =>
        html`<annals-viewer
          .token=${token}
          .expiresAt=${expires_at}
          .tokenProvider=${this.#renew}
          .messages=${MESSAGES}
        ></annals-viewer>`,
    );

  readonly #renew = (): Promise<CreatedWidgetToken> => this.#mint();

  async #mint(signal?: AbortSignal): Promise<CreatedWidgetToken> {
    const { api, session } = this.#context;
    const viewer = { id: "dashboard", name: "The dashboard" };
    const minted = await api.widgetTokens.create(
      { parts: [...PARTS], expires_in: LIFETIME_S, viewer },
      signal && { signal },
    );
    session.minted.push(minted.id);
    return minted;
  }
}

/** What the viewer's own texts cannot know. */
const MESSAGES = {
  empty: "There are no events yet. Store the first one with POST /v1/events: see /docs.",
};

async function loadViewer(): Promise<void> {
  await import(VIEWER);
}
