// The dashboard as a whole: login, the account and the screen of the address, messages. Made by main.ts once.

import { AnnalsError, type Scope } from "@annals/sdk";
import { html, nothing, render, type TemplateResult } from "lit/html.js";
import { Auth, KEY_ALONE, type Ways } from "./auth.ts";
import { type Login, keyLogin, personLogin } from "./login.ts";
import { errorView } from "./parts/error-view.ts";
import { headerView } from "./parts/header.ts";
import { type Zone, Zones } from "./parts/zone.ts";
import { Person } from "./person.ts";
import { faultOf, hrefOf, isSameScreen, pathOf, type Route, routeOf, ROUTES } from "./routes.ts";
import { Action, type Screen } from "./screen.ts";
import { logInView } from "./screens/log-in.ts";
import { meView } from "./screens/me.ts";
import { newScreen } from "./screens/new-screen.ts";
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

/** What a person does with a page, whatever the page does by itself. */
const INPUTS = ["keydown", "pointerdown", "wheel"] as const;

const LOG_IN = "Log in";

export class App {
  readonly #deps: Deps;
  readonly #action: Action;
  readonly #auth: Auth;
  readonly #zones: Zones;
  #ways: Ways = KEY_ALONE;
  #person: Person | undefined;
  /** Undefined while nobody is logged in, and for a person without a role in the account. */
  #login: Login | undefined;
  /** Those of the person, by their account. */
  readonly #logins = new Map<string, Login>();
  #notice: TemplateResult | undefined;
  #route: Route = routeOf("");
  #screen: Screen | undefined;
  #message = "";
  #isWaiting = true;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#action = new Action(this.#update);
    this.#auth = new Auth(deps.fetch);
    this.#zones = new Zones(deps.notes);
  }

  /** Shows the login, or the screen if the tab has a key or the browser a session. */
  begin(): void {
    addEventListener("hashchange", () => void this.#open(true));
    for (const name of INPUTS)
      addEventListener(name, () => this.#login?.access?.used(), { capture: true, passive: true });
    addEventListener("focus", () => this.#login?.access?.returned());
    this.#update();
    void this.#begin();
  }

  async #begin(): Promise<void> {
    try {
      this.#ways = await this.#auth.ways();
    } catch (error) {
      this.#notice = errorView(error);
    }
    const key = storedKey(this.#deps.storage);
    if (key === undefined) await this.#resume();
    else this.#login = this.#newLogin(key);
    await this.#open(false);
  }

  /** The session of the browser, if this page is where its cookie is. */
  async #resume(): Promise<void> {
    if (this.#ways.publicUrl !== location.origin) return;
    const { fetch, now } = this.#deps;
    try {
      const session = await this.#auth.session();
      const deps = { auth: this.#auth, fetch, now, onChange: this.#update };
      if (session) this.#person = new Person(session, deps);
    } catch (error) {
      this.#notice = errorView(error);
    }
  }

  readonly #update = (): void => void render(this.#view(), this.#deps.root);

  #newLogin(key: string): Login {
    const login: Login = keyLogin(key, this.#deps.fetch, (error) => this.#refused(login, error));
    return login;
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
    this.#leave();
    this.#login = login;
    this.#notice = undefined;
    if (isKept) storeKey(this.#deps.storage, key);
    if (faultOf(location.hash)) history.replaceState(null, "", "#/");
    await this.#open(true);
  }

  /** The key was revoked since the login. */
  #refused(login: Login, error: AnnalsError): void {
    if (this.#login === login) this.#forget(errorView(error));
  }

  /** Drops keys and tokens, and the screen that has them. */
  #leave(): void {
    this.#screen?.stop();
    this.#screen = undefined;
    for (const { access } of this.#logins.values()) access?.stop();
    this.#logins.clear();
    this.#person = undefined;
    this.#login = undefined;
  }

  #forget(notice: TemplateResult | undefined): void {
    this.#leave();
    this.#notice = notice;
    forgetKey(this.#deps.storage);
    void this.#open(true);
  }

  async #logOut(): Promise<void> {
    const [login, person] = [this.#login, this.#person];
    try {
      const elsewhere = person ? await this.#auth.logOut() : null;
      this.#forget(undefined);
      if (elsewhere !== null) location.assign(elsewhere);
    } catch (error) {
      this.#message = `You are still logged in: ${error instanceof Error ? error.message : ""}`;
      this.#update();
      return;
    }
    // The widget tokens of a session end with it. One that is not revoked expires within the hour.
    for (const id of person ? [] : (login?.data.widgetTokens ?? []))
      login?.api.widgetTokens.delete(id).catch(() => {});
  }

  /** Leaves the screen for the one of the address. `isMove`: a person came here, and the focus follows. */
  async #open(isMove: boolean): Promise<void> {
    const before = this.#route;
    const route = (this.#route = this.#routeNow());
    const { root } = this.#deps;
    if (this.#screen?.moved && isSameScreen(before, route)) return this.#screen.moved(route.query);
    this.#screen?.stop();
    this.#screen = undefined;
    this.#message = "";
    for (const open of root.querySelectorAll("header details")) open.removeAttribute("open");
    if (this.#person) {
      await this.#enter(this.#person);
      // Another address was opened meanwhile.
      if (route !== this.#route) return;
    }
    this.#isWaiting = false;
    if (this.#login && !this.#isAtLogIn()) this.#screen = this.#newScreen(this.#login);
    const isIn = this.#person !== undefined || this.#login !== undefined;
    document.title = `${isIn && !this.#isAtLogIn() ? ROUTES[route.name].title : LOG_IN} · Annals`;
    this.#update();
    if (isMove) root.querySelector("h1")?.focus();
  }

  readonly #isAtLogIn = (): boolean => faultOf(location.hash) !== undefined;

  /** Without an account in the address, a person goes to the first in which they have a role. */
  #routeNow(): Route {
    const route = routeOf(location.hash);
    const accountId = this.#person?.session.accounts[0]?.account_id;
    if (route.accountId !== undefined || accountId === undefined || this.#isAtLogIn()) return route;
    history.replaceState(null, "", hrefOf(accountId, pathOf(route)));
    return { ...route, accountId };
  }

  /** Goes to the account of the address. */
  async #enter(person: Person): Promise<void> {
    const { accountId } = this.#route;
    if (accountId === undefined || this.#isAtLogIn()) return;
    if (this.#login?.access?.accountId === accountId) return;
    this.#login?.access?.stop();
    this.#login = this.#logins.get(accountId);
    this.#notice = undefined;
    if (this.#login) return;
    this.#isWaiting = true;
    this.#update();
    try {
      const login = personLogin(await person.enter(accountId));
      this.#logins.set(accountId, login);
      if (this.#person === person) this.#login = login;
    } catch (error) {
      this.#notice = errorView(error);
    }
  }

  #newScreen({ access, api, data: session }: Login): Screen {
    const { notes, now } = this.#deps;
    const say = (message: string) => {
      this.#message = message;
      this.#update();
    };
    const href = (path: string) => hrefOf(access?.accountId, path);
    const { providers } = this.#ways;
    const person = this.#person;
    const { query } = this.#route;
    const [keep, setZone, update] = [this.#keep, this.#setZone, this.#update];
    const zone = () => this.#zones.zone;
    const may = (scope: Scope) => access === undefined || access.scopes.includes(scope);
    const ways = { api, href, keep, may, say, setZone, update, zone };
    return newScreen(this.#route, { ...ways, notes, now, person, providers, query, session });
  }

  readonly #setZone = (zone: Zone): void => {
    this.#zones.choose(zone);
    this.#update();
  };

  /** Leaving what was opened last goes back to the entry of the history before it. */
  readonly #keep = (query: URLSearchParams, isNew: boolean): void => {
    const { accountId } = this.#route;
    const before = this.#route.query;
    this.#route = { ...this.#route, query };
    const href = hrefOf(accountId, pathOf(this.#route));
    if (isNew) history.pushState({ before: before.toString() }, "", href);
    else if (history.state?.before === query.toString()) history.back();
    else history.replaceState(history.state, "", href);
  };

  #view(): TemplateResult {
    if (this.#isWaiting && !this.#person) return html`<main><p class="waiting">Loading…</p></main>`;
    if (this.#isAtLogIn() || (!this.#person && !this.#login)) return this.#logInView();
    const { access } = this.#login ?? {};
    const hasPeople = this.#ways.providers.length > 0;
    const [route, person] = [this.#route, this.#person];
    const onLogOut = () => void this.#logOut();
    const zone = this.#zones.view(this.#setZone);
    return html`${headerView({ access, hasPeople, onLogOut, person, route, zone })}
      <main>
        ${person?.ended ? errorView(person.ended) : nothing}
        <div class="top">
          <h1 tabindex="-1">${this.#title()}</h1>
          <p class="message" role="status">${this.#message}</p>
        </div>
        ${this.#screen?.view() ?? this.#emptyView(person)}
      </main>`;
  }

  #title(): string {
    const { id, name } = this.#route;
    if (this.#login) return id === undefined ? ROUTES[name].title : "Deliveries";
    return ROUTES.me.title;
  }

  #emptyView(person: Person | undefined): TemplateResult {
    if (!person || this.#isWaiting) return html`<p class="waiting">Loading…</p>`;
    return html`${this.#notice ?? nothing} ${meView(person.session)}`;
  }

  #logInView(): TemplateResult {
    const { hash } = location;
    const fault = faultOf(hash);
    return html`<main>
      ${logInView({
        action: this.#action,
        ways: this.#ways,
        notice: this.#notice,
        fault,
        returnTo: fault ? "" : hash,
        onKey: (key, isKept) => this.#logIn(key, isKept),
      })}
      ${this.#person ? html`<p class="log-in"><a href="#/">Continue as ${this.#person.label}</a></p>` : nothing}
    </main>`;
  }
}
