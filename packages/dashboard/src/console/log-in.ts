// The login of the console: a button for each provider, and why the last login failed.

import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Provider } from "./resources.ts";

/** The fault of a login in the address; undefined without one. */
export function faultOf(hash: string): TemplateResult | undefined {
  const [, query = ""] = /^#\/log-in\?(.*)$/.exec(hash) ?? [];
  const given = new URLSearchParams(query);
  const fault = given.get("fault");
  if (fault === null) return undefined;
  const provider = given.get("provider") ?? "The provider";
  const request = given.get("request");
  return html`<div class="error" role="alert">
    <p>${textOf(fault, provider, given.get("detail") ?? "")}</p>
    ${request === null ? nothing : html`<p>Request id: <code>${request}</code></p>`}
  </div>`;
}

function textOf(fault: string, provider: string, detail: string): string {
  switch (fault) {
    case "state":
      return "This login began in another browser, was already finished, or took longer than 10 minutes. Log in again.";
    case "unreachable":
      return `${provider} did not answer. Try again.`;
    case "refused":
      return `${provider} refused this login (${detail}).`;
    case "groups":
      return `${provider} sent more than 1,000 groups, or a link in their place. Send app roles, or only assigned groups.`;
    case "blocked":
      return "You are not an operator of this installation, or you are blocked.";
    default:
      return `The answer of ${provider} is not valid (${detail}). The log has the reason under the request id.`;
  }
}

export function consoleLogInView(
  providers: readonly Provider[],
  notice: TemplateResult | undefined,
): TemplateResult {
  return html`<section class="log-in" aria-labelledby="log-in">
    <h1 id="log-in" tabindex="-1">Log in to the console</h1>
    ${notice ?? nothing}
    ${
      providers.length === 0
        ? html`<p>The identity file names no operators.</p>`
        : providers.map(
            ({ name, title }) =>
              html`<p><a class="button" href=${`/auth/login/${name}`}>Log in with ${title}</a></p>`,
          )
    }
  </section>`;
}
