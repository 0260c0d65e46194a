// Audit: what operators, keys and people have changed, in the viewer, with a widget token of the system
// account that this screen asks for and renews before it expires.

import { html, type TemplateResult } from "lit/html.js";
import { Loader, type Screen } from "../screen.ts";
import type { ConsoleContext } from "./console-screen.ts";
import type { AuditToken } from "./resources.ts";

/** Served along with the console, never by the gateway. It defines `<annals-viewer>`. */
const VIEWER = "/console/viewer.js";

export class AuditScreen implements Screen {
  readonly #context: ConsoleContext;
  readonly #first: Loader<AuditToken>;

  constructor(context: ConsoleContext) {
    this.#context = context;
    this.#first = new Loader(context.update, async (signal) => {
      const [token] = await Promise.all([this.#mint(signal), loadViewer()]);
      return token;
    });
  }

  readonly stop = (): void => this.#first.stop();

  readonly view = (): TemplateResult =>
    html`<p>What operators, keys, people and services have changed in this installation.</p>
      ${this.#first.view(
        ({ token, expires_at, server }) =>
          html`<annals-viewer
            .server=${server}
            .token=${token}
            .expiresAt=${expires_at}
            .tokenProvider=${() => this.#mint()}
          ></annals-viewer>`,
      )}`;

  async #mint(signal?: AbortSignal): Promise<AuditToken> {
    const asked = { body: {}, ...(signal && { signal }) };
    const answer = await this.#context.api.ask("POST", "/admin/v1/audit-token", asked);
    return (answer as { readonly data: AuditToken }).data;
  }
}

async function loadViewer(): Promise<void> {
  await import(VIEWER);
}
