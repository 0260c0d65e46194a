// The operator's console as a whole: login, menu, the screen of the address, messages. Made by main.ts once.

import { html, nothing, render, type TemplateResult } from "lit/html.js";
import { visible } from "../parts/visible.ts";
import { Loader, type Screen } from "../screen.ts";
import { AccountScreen } from "./account.ts";
import { AccountsScreen } from "./accounts.ts";
import { AuditScreen } from "./audit.ts";
import { AdminApi } from "./admin-api.ts";
import type { ConsoleContext } from "./console-screen.ts";
import { HealthScreen } from "./health.ts";
import { consoleLogInView, faultOf } from "./log-in.ts";
import { PeopleScreen } from "./people.ts";
import { PlansScreen } from "./plans.ts";
import type { Provider, Session } from "./resources.ts";

interface Deps {
  readonly root: HTMLElement;
  readonly fetch: typeof fetch;
}

const SCREENS = {
  accounts: "Accounts",
  plans: "Plans",
  health: "Health",
  people: "People",
  audit: "Audit",
} as const;
type ScreenName = keyof typeof SCREENS;

interface Opened {
  readonly session: Session | null;
  readonly providers: readonly Provider[];
}

export class ConsoleApp {
  readonly #root: HTMLElement;
  readonly #context: ConsoleContext;
  readonly #opened: Loader<Opened>;
  #name: ScreenName = "accounts";
  #title = "";
  #screen: Screen | undefined;
  #message = "";

  constructor({ fetch, root }: Deps) {
    this.#root = root;
    const api = new AdminApi({ fetch, onEnded: () => void this.#opened.load() });
    this.#context = {
      api,
      update: this.#update,
      say: (message) => {
        this.#message = message;
        this.#update();
      },
    };
    this.#opened = new Loader(this.#openFirst, async (signal) => {
      const [session, providers] = await Promise.all([
        api.data<Session | null>("/auth/session", signal),
        api.data<readonly Provider[]>("/auth/providers", signal),
      ]);
      return { session, providers };
    });
  }

  begin(): void {
    addEventListener("hashchange", () => this.#open(true));
    this.#update();
  }

  readonly #update = (): void => void render(this.#view(), this.#root);

  readonly #openFirst = (): void => this.#open(false);

  get #session(): Session | undefined {
    return this.#opened.value?.session ?? undefined;
  }

  /** Leaves the screen for the one of the address. `isMove`: a person came here, and the focus follows. */
  #open(isMove: boolean): void {
    this.#screen?.stop();
    this.#screen = undefined;
    this.#message = "";
    const [, name = "", id] = /^#\/([a-z]+)(?:\/(acct_\w{1,64}))?$/.exec(location.hash) ?? [];
    this.#name = Object.hasOwn(SCREENS, name) ? (name as ScreenName) : "accounts";
    this.#title = id === undefined ? SCREENS[this.#name] : "Account";
    if (this.#session) this.#screen = this.#newScreen(id);
    document.title = `${this.#session ? this.#title : "Log in"} · Annals console`;
    this.#update();
    if (isMove) this.#root.querySelector("h1")?.focus();
  }

  #newScreen(id: string | undefined): Screen {
    switch (this.#name) {
      case "accounts":
        return id === undefined
          ? new AccountsScreen(this.#context)
          : new AccountScreen(this.#context, id);
      case "plans":
        return new PlansScreen(this.#context);
      case "health":
        return new HealthScreen(this.#context);
      case "people":
        return new PeopleScreen(this.#context);
      case "audit":
        return new AuditScreen(this.#context);
    }
  }

  async #logOut(): Promise<void> {
    const answer = await this.#context.api.ask("POST", "/auth/logout", { body: {} });
    const { data } = answer as { readonly data: { readonly end_session_url: string | null } };
    if (data.end_session_url === null) await this.#opened.load();
    else location.assign(data.end_session_url);
  }

  #view(): TemplateResult {
    const session = this.#session;
    if (!session || !this.#screen) {
      const logIn = ({ providers }: Opened) => consoleLogInView(providers, faultOf(location.hash));
      return html`<main>${this.#opened.view(logIn)}</main>`;
    }
    return html`<header>
        <span class="brand">Annals console</span>
        <nav aria-label="Screens">
          <ul>
            ${Object.entries(SCREENS).map(
              ([name, text]) =>
                html`<li>
                  <a href=${`#/${name}`} aria-current=${name === this.#name ? "page" : nothing}
                    >${text}</a
                  >
                </li>`,
            )}
          </ul>
        </nav>
        <span class="text">${visible(session.name ?? session.email ?? session.subject)}</span>
        <button type="button" @click=${() => void this.#logOut()}>Log out</button>
      </header>
      <main>
        <h1 tabindex="-1">${this.#title}</h1>
        <p class="message" role="status">${this.#message}</p>
        ${this.#screen.view()}
      </main>`;
  }
}
