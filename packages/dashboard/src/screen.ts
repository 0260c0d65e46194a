// What a screen is, and its two ways to talk to the service: a Loader for what it shows, an Action for what
// a person asks for. Each screen is made by app.ts when its route is shown, and stopped when it is left.

import type { CreatedWidgetToken, Scope } from "@annals/sdk";
import type { Routes } from "@annals/sdk/browser";
import type { TemplateResult } from "lit/html.js";
import { html, nothing } from "lit/html.js";
import type { Provider } from "./auth.ts";
import { LoginError } from "./login-error.ts";
import { errorView } from "./parts/error-view.ts";
import type { Zone } from "./parts/zone.ts";
import type { Person } from "./person.ts";

export interface Context {
  readonly api: Routes;
  /** Shows the screen again: to be called after each change of what it shows. */
  readonly update: () => void;
  /** Says it to who sees it and to who hears it. */
  readonly say: (message: string) => void;
  readonly now: () => number;
  /** What outlives the login, without a secret. */
  readonly notes: Storage;
  /** Holds what lives as long as the login. */
  readonly session: SessionData;
  /** The address of another screen of the same account. */
  readonly href: (path: string) => string;
  /** Who has logged in; undefined for a key. */
  readonly person: Person | undefined;
  /** Whether the role has a scope. The scopes of a key are not known: it may be. */
  readonly may: (scope: Scope) => boolean;
  /** Parameters of the address, when the screen is made. */
  readonly query: URLSearchParams;
  /** Writes them into the address, which then shows the same again. `isNew`: Back leads to those before. */
  readonly keep: (query: URLSearchParams, isNew: boolean) => void;
  /** The zone of every time, and how to change it. */
  readonly zone: () => Zone;
  readonly setZone: (zone: Zone) => void;
  /** Identity providers at which people log in. */
  readonly providers: readonly Provider[];
}

/** What the screens remember until the log out. */
export interface SessionData {
  /** The widget tokens that the events screen created. */
  readonly widgetTokens: string[];
  /** The newest of them. */
  widgetToken?: CreatedWidgetToken;
}

export interface Screen {
  readonly view: () => TemplateResult;
  /** Ends what is in progress. */
  readonly stop: () => void;
  /** The parameters of the address have changed. A screen without it is made again. */
  readonly moved?: (query: URLSearchParams) => void;
}

/** Something that is loaded, and may be loaded again. A response that came too late is dropped. */
export class Loader<T> {
  value: T | undefined;
  error: unknown;
  #under: AbortController | undefined;
  readonly #load: (signal: AbortSignal) => Promise<T>;
  readonly #update: () => void;

  constructor(update: () => void, load: (signal: AbortSignal) => Promise<T>) {
    this.#update = update;
    this.#load = load;
    void this.load();
  }

  /** What was there before stays visible meanwhile. */
  async load(): Promise<void> {
    this.#under?.abort();
    const { signal } = (this.#under = new AbortController());
    try {
      const value = await this.#load(signal);
      if (signal.aborted) return;
      this.value = value;
      this.error = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
    }
    this.#update();
  }

  stop(): void {
    this.#under?.abort();
  }

  /**
   * Waiting, the error with a button to try again, or what `render` makes of the value. What a person enters
   * into it outlives the session.
   */
  view(render: (value: T) => TemplateResult): TemplateResult {
    const { error, value } = this;
    const isShown = error === undefined || error instanceof LoginError;
    return html`${error === undefined ? nothing : errorView(error, () => void this.load())}
    ${value === undefined && error === undefined ? html`<p class="waiting">Loading…</p>` : nothing}
    ${value !== undefined && isShown ? render(value) : nothing}`;
  }
}

/** Something a person asks for. While it runs it is not begun again; its error is shown until the next. */
export class Action {
  isBusy = false;
  error: unknown;
  readonly #update: () => void;

  constructor(update: () => void) {
    this.#update = update;
  }

  async run(work: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.error = undefined;
    this.#update();
    try {
      await work();
    } catch (error) {
      this.error = error;
    }
    this.isBusy = false;
    this.#update();
  }

  view(): TemplateResult | typeof nothing {
    return this.error === undefined ? nothing : errorView(this.error);
  }
}
