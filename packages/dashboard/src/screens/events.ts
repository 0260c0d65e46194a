// Events: the viewer, with a widget token that this screen mints with the key and renews before it expires.
// The viewer never gets the key.

import { html, type TemplateResult } from "lit";
import { type Context, Loader, type Screen } from "../screen.ts";
import { PARTS, type WidgetToken } from "../shapes.ts";

/** Seconds that a token lives: a page that is closed leaves one for no longer. */
const LIFETIME_S = 3_600;

/** Served beside the dashboard; it defines `<annals-viewer>`. */
const VIEWER = "/widget/viewer.js";

export class EventsScreen implements Screen {
  readonly #context: Context;
  readonly #first: Loader<string>;

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
      (token) =>
        html`<annals-viewer
          server=${location.origin}
          .token=${token}
          .tokenProvider=${this.#renew}
        ></annals-viewer>`,
    );

  readonly #renew = (): Promise<string> => this.#mint();

  async #mint(signal?: AbortSignal): Promise<string> {
    const { api, session } = this.#context;
    const body = {
      parts: PARTS,
      expires_in: LIFETIME_S,
      viewer: { id: "dashboard", name: "The dashboard" },
    };
    const minted = await api.send<WidgetToken>("POST", "/widget-tokens", {
      body,
      ...(signal && { signal }),
    });
    session.minted.push(minted.id);
    return minted.token ?? "";
  }
}

async function loadViewer(): Promise<void> {
  await import(VIEWER);
}
