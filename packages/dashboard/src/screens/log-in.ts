// The login: a key that the service knows. The field is emptied at once, and the key is never written back
// into the page.

import { html, nothing, type TemplateResult } from "lit";
import { onSubmit, textIn } from "../parts/form.ts";
import type { Action } from "../screen.ts";

interface LogIn {
  readonly action: Action;
  /** Why the user was logged out. */
  readonly notice: TemplateResult | undefined;
  readonly onKey: (key: string, isKept: boolean) => Promise<void>;
}

export function logInView({ action, notice, onKey }: LogIn): TemplateResult {
  const submit = (form: FormData, element: HTMLFormElement) => {
    element.reset();
    void action.run(() => onKey(textIn(form, "key"), form.has("keep")));
  };
  return html`<section class="log-in" aria-labelledby="log-in">
    <h1 id="log-in" tabindex="-1">Log in to Annals</h1>
    ${notice ?? nothing}
    <form @submit=${onSubmit(submit)}>
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
      <p><button class="primary" ?disabled=${action.isBusy}>Log in</button></p>
    </form>
    <p class="hint">
      The key is sent only to this service, and forgotten when you log out or close the tab.
    </p>
  </section>`;
}
