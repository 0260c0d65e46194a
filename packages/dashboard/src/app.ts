// The dashboard as a whole: login, menu, the screen of the address, messages. Made by main.ts once.

import { type Annals, AnnalsError } from "@annals/sdk";
import { html, nothing, render, type TemplateResult } from "lit";
import { newClient } from "./client.ts";
import { errorView } from "./parts/error-view.ts";
import { type Route, routeOf, ROUTES } from "./routes.ts";
import { Action, type Context, type Screen, type SessionData } from "./screen.ts";
import { EventsScreen } from "./screens/events.ts";
import { ExportsScreen } from "./screens/exports.ts";
import { KeysScreen } from "./screens/keys.ts";
import { logInView } from "./screens/log-in.ts";
import { SinksScreen } from "./screens/sinks.ts";
import { UsageScreen } from "./screens/usage.ts";
import { VerificationScreen } from "./screens/verification.ts";
import { WebhookScreen } from "./screens/webhook.ts";
import { WebhooksScreen } from "./screens/webhooks.ts";
import { WidgetTokensScreen } from "./screens/widget-tokens.ts";
import { forgetKey, storedKey, storeKey } from "./session.ts";

interface Deps {
  readonly root: HTMLElement;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** Storage of the tab. */
  readonly storage: Storage;
  /** Storage of the browser. It must never get a key. */
  readonly notes: Storage;
}

/** What lives from the login to the log out. */
interface Login {
  readonly api: Annals;
  readonly data: SessionData;
}

export class App {
  readonly #deps: Deps;
  readonly #action: Action;
  #login: Login | undefined;
  #notice: TemplateResult | undefined;
  #route: Route = routeOf("");
  #screen: Screen | undefined;
  #message = "";

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#action = new Action(this.#update);
  }

  /** Shows the login, or the screen if the tab has a key. */
  begin(): void {
    addEventListener("hashchange", () => this.#open(true));
    const key = storedKey(this.#deps.storage);
    if (key !== undefined) this.#login = this.#newLogin(key);
    this.#open(false);
  }

  readonly #update = (): void => void render(this.#view(), this.#deps.root);

  #newLogin(key: string): Login {
    const api = newClient({
      key,
      fetch: this.#deps.fetch,
      onRefusedKey: (error) => this.#refused(api, error),
    });
    return { api, data: { minted: [] } };
  }

  /** Any response but a 401 says that the service knows the key: a scope may still be missing. */
  async #logIn(key: string, isKept: boolean): Promise<void> {
    const login = this.#newLogin(key);
    try {
      await login.api.events.list({ limit: 1 }).page();
    } catch (error) {
      const isKnown = AnnalsError.is(error) && error.status === 403;
      if (!isKnown) throw error;
    }
    this.#login = login;
    this.#notice = undefined;
    if (isKept) storeKey(this.#deps.storage, key);
    this.#open(true);
  }

  /** The key was revoked since the login. */
  #refused(api: Annals, error: AnnalsError): void {
    if (this.#login?.api !== api) return;
    this.#logOut(errorView(error));
  }

  #logOut(notice: TemplateResult | undefined): void {
    const login = this.#login;
    this.#login = undefined;
    this.#notice = notice;
    this.#message = "";
    forgetKey(this.#deps.storage);
    this.#open(true);
    for (const id of notice === undefined ? (login?.data.minted ?? []) : []) {
      // One that is not revoked expires within the hour.
      login?.api.widgetTokens.delete(id).catch(() => {});
    }
  }

  /** Leaves the screen for the one of the address. `isMove`: a person came here, and the focus follows. */
  #open(isMove: boolean): void {
    this.#screen?.stop();
    this.#screen = undefined;
    this.#route = routeOf(location.hash);
    this.#message = "";
    if (this.#login) this.#screen = this.#newScreen(this.#login);
    document.title = this.#login ? `${ROUTES[this.#route.name]} · Annals` : "Log in · Annals";
    this.#update();
    if (isMove) this.#deps.root.querySelector("h1")?.focus();
  }

  #newScreen({ api, data }: Login): Screen {
    const context: Context = {
      api,
      update: this.#update,
      say: (message) => {
        this.#message = message;
        this.#update();
      },
      now: this.#deps.now,
      notes: this.#deps.notes,
      session: data,
    };
    const { name, id } = this.#route;
    switch (name) {
      case "events":
        return new EventsScreen(context);
      case "verification":
        return new VerificationScreen(context);
      case "keys":
        return new KeysScreen(context);
      case "webhooks":
        return id === undefined ? new WebhooksScreen(context) : new WebhookScreen(context, id);
      case "sinks":
        return new SinksScreen(context);
      case "exports":
        return new ExportsScreen(context);
      case "widget-tokens":
        return new WidgetTokensScreen(context);
      case "usage":
        return new UsageScreen(context);
    }
  }

  #view(): TemplateResult {
    if (!this.#login || !this.#screen) {
      const onKey = (key: string, isKept: boolean) => this.#logIn(key, isKept);
      return html`<main>${logInView({ action: this.#action, notice: this.#notice, onKey })}</main>`;
    }
    const title = this.#route.id === undefined ? ROUTES[this.#route.name] : "Deliveries";
    return html`<header>
        <span class="brand">Annals</span>
        <nav aria-label="Screens">
          <ul>
            ${Object.entries(ROUTES).map(
              ([name, text]) =>
                html`<li>
                  <a
                    href=${`#/${name}`}
                    aria-current=${name === this.#route.name ? "page" : nothing}
                    >${text}</a
                  >
                </li>`,
            )}
          </ul>
        </nav>
        <button type="button" @click=${() => this.#logOut(undefined)}>Log out</button>
      </header>
      <main>
        <h1 tabindex="-1">${title}</h1>
        <p class="message" role="status">${this.#message}</p>
        ${this.#screen.view()}
      </main>`;
  }
}
