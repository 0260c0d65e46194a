// How each screen shows an error: what happened, what to do, and the request id to quote.

import { AnnalsError } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { missingScopeOf } from "../client.ts";
import { LoginError } from "../login-error.ts";
import { visible } from "./visible.ts";

export function errorView(error: unknown, retry?: () => void): TemplateResult {
  if (error instanceof LoginError) return loginErrorView(error, retry);
  const known = AnnalsError.is(error) ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const { title, advice } = explained(known);
  return html`<div class="error" role="alert">
    <p><strong>${title}</strong></p>
    <p class="text">${visible(message)}</p>
    ${advice === "" ? nothing : html`<p>${advice}</p>`}
    ${known?.requestId ? html`<p>Request id: <code>${known.requestId}</code></p>` : nothing}
    ${retryView(retry)}
  </div>`;
}

const retryView = (retry: (() => void) | undefined) =>
  retry ? html`<button type="button" @click=${retry}>Try again</button>` : nothing;

function loginErrorView({ advice, logInAt, message }: LoginError, retry?: () => void) {
  return html`<div class="error" role="alert">
    <p><strong>${message}</strong></p>
    <p>${advice}</p>
    <p class="buttons">
      ${
        logInAt === undefined
          ? nothing
          : html`<a class="button" target="_blank" rel="noopener" href=${logInAt}
              >Log in in a new tab</a
            >`
      }
      ${retryView(retry)}
    </p>
  </div>`;
}

function explained(error: AnnalsError | undefined): { title: string; advice: string } {
  const scope = error && missingScopeOf(error);
  if (scope !== undefined) {
    if (error?.message.includes("Your role"))
      return {
        title: `Your role lacks the scope ${scope}`,
        advice: "A manager of the account can give you another role.",
      };
    return {
      title: `This key lacks the scope ${scope}`,
      advice: `A key keeps the scopes that it was created with. Log in with a key that has ${scope}.`,
    };
  }
  const wait = error?.retryAfterMs;
  const retry = wait === undefined ? "" : `Try again in ${Math.ceil(wait / 1_000)} seconds.`;
  switch (error?.type) {
    case "authentication_error":
      return { title: "The key is not valid", advice: "Log in with a valid key." };
    case "scope_error":
      return { title: "You may not do this", advice: "" };
    case "plan_feature_unavailable":
      return { title: "Not included in the plan", advice: "Ask the operator to change the plan." };
    case "plan_limit_exceeded":
      return { title: "A limit of the plan is reached", advice: retry };
    case "rate_limit_exceeded":
      return { title: "Too many requests", advice: retry };
    case "validation_error":
      return { title: "The service rejected this", advice: "" };
    case "not_found":
      return { title: "Not found", advice: "It may have been removed." };
    case "connection_error":
    case "timeout_error":
      return { title: "No response", advice: "Check the connection, then try again." };
    default:
      return { title: "Something went wrong", advice: retry };
  }
}
