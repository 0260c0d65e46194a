// The login: with an identity provider, or with a key that the service knows. The field is emptied at once,
// and the key is never written back into the page.

import { html, nothing, type TemplateResult } from "lit/html.js";
import { logInUrl, type Ways } from "../auth.ts";
import { onSubmit, textIn } from "../parts/form.ts";
import { visible } from "../parts/visible.ts";
import type { Fault } from "../routes.ts";
import type { Action } from "../screen.ts";

interface LogIn {
  readonly action: Action;
  readonly ways: Ways;
  /** Why the user was logged out. */
  readonly notice: TemplateResult | undefined;
  /** Why the last login failed. */
  readonly fault: Fault | undefined;
  /** The fragment that is shown after a login with a provider. */
  readonly returnTo: string;
  readonly onKey: (key: string, isKept: boolean) => Promise<void>;
}

export function logInView(logIn: LogIn): TemplateResult {
  const { fault, notice, ways } = logIn;
  return html`<section class="log-in" aria-labelledby="log-in">
    <h1 id="log-in" tabindex="-1">Log in to Annals</h1>
    ${notice ?? nothing} ${fault ? faultView(fault, ways) : nothing} ${providersView(logIn)}
    ${ways.hasKeyLogin ? keyView(logIn) : nothing}
  </section>`;
}

function providersView({ returnTo, ways }: LogIn): TemplateResult | typeof nothing {
  const { hasKeyLogin, providers, publicUrl } = ways;
  if (providers.length === 0) {
    if (hasKeyLogin) return nothing;
    return html`<p class="empty">No identity provider is configured. Ask your operator.</p>`;
  }
  // Elsewhere the session would be of the other origin, and this page would not see it.
  if (publicUrl !== location.origin) {
    const there = `${publicUrl}/dashboard/`;
    return html`<p class="empty">
      People log in at <a href=${there}>${there}</a>. This page is at ${location.origin}.
    </p>`;
  }
  return html`<ul class="providers">
    ${providers.map(
      ({ name, title }) =>
        html`<li>
          <a class="button primary" href=${logInUrl(name, returnTo)}>Log in with ${title}</a>
        </li>`,
    )}
  </ul>`;
}

function keyView({ action, onKey, ways }: LogIn): TemplateResult {
  const submit = (form: FormData, element: HTMLFormElement) => {
    element.reset();
    void action.run(() => onKey(textIn(form, "key"), form.has("keep")));
  };
  return html`<form @submit=${onSubmit(submit)}>
      <div class="field">
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          required
          autocomplete="off"
          spellcheck="false"
          aria-describedby="key-hint"
        />
        <p class="hint" id="key-hint">
          A key of your account, with the scopes that you need. After <code>npm start</code>, the
          first key is in <code>.annals/bootstrap-key</code>.
        </p>
      </div>
      <label class="choice">
        <input type="checkbox" name="keep" />
        <span>Keep the key in this tab, so that a reload does not log you out</span>
      </label>
      ${action.view()}
      <p>
        <button class=${ways.providers.length === 0 ? "primary" : ""} ?disabled=${action.isBusy}>
          Log in
        </button>
      </p>
    </form>
    <p class="hint">
      The key is sent only to this service, and forgotten when you log out or close the tab.
    </p>`;
}

function faultView({ requestId, ...fault }: Fault, { providers }: Ways): TemplateResult {
  const { name = fault.provider, title = name } =
    providers.find((one) => one.name === fault.provider) ?? ({} as Partial<Ways["providers"][0]>);
  return html`<div class="error" role="alert">
    <p><strong>You are not logged in</strong></p>
    <p class="text">${visible(textOf(fault, title))}</p>
    ${requestId === "" ? nothing : html`<p>Request id: <code>${visible(requestId)}</code></p>`}
  </div>`;
}

function textOf({ detail, fault }: Omit<Fault, "requestId">, title: string): string {
  const why = detail === "" ? "" : ` (${detail})`;
  switch (fault) {
    case "state":
      return "This login began in another browser, was already finished, or took longer than 10 minutes. Log in again.";
    case "unreachable":
      return `${title} did not answer. Try again, or use an API key.`;
    case "refused":
      return `${title} refused this login${why}.`;
    case "groups":
      return `${title} sent more than 1,000 groups, or a link in their place. Your operator can send app roles, or only assigned groups.`;
    case "blocked":
      return "You may not use this installation.";
    default:
      return `The answer of ${title} is not valid${why}. Tell your operator the request id.`;
  }
}
