// The head of each page: the menu, the account, who has logged in, and the log out. Used by app.ts.

import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Access, Person } from "../person.ts";
import { hrefOf, type MenuGroup, menuOf, type Route } from "../routes.ts";
import { visible } from "./visible.ts";

interface Header {
  readonly route: Route;
  /** Undefined for a key. */
  readonly person: Person | undefined;
  /** Undefined for a key, and for a person without a role in the account. */
  readonly access: Access | undefined;
  /** Whether anybody can log in without a key. */
  readonly hasPeople: boolean;
  /** The choice of the time zone. */
  readonly zone: TemplateResult;
  readonly onLogOut: () => void;
}

export function headerView(header: Header): TemplateResult {
  const { access, hasPeople, onLogOut, person, zone } = header;
  const groups = person && !access ? [] : menuOf(access?.scopes, hasPeople);
  const menu = menuView(groups, header);
  return html`<header>
      <span class="brand">Annals</span>
      <details class="menu">
        <summary>Menu</summary>
        <nav aria-label="Screens">${menu}</nav>
      </details>
      ${zone} ${person ? personView(person, header) : nothing}
      <button type="button" @click=${onLogOut}>Log out</button>
    </header>
    ${groups.length === 0 ? nothing : html`<nav class="side" aria-label="Screens">${menu}</nav>`}`;
}

/** One of two is shown: on the left of a wide window, or behind a button. */
function menuView(groups: readonly MenuGroup[], { access, route }: Header): TemplateResult {
  return html`${groups.map(
    ({ title, items }) =>
      html`<div class="group">
        ${title === undefined ? nothing : html`<p>${title}</p>`}
        <ul>
          ${items.map(
            ([name, text]) =>
              html`<li>
                <a
                  href=${hrefOf(access?.accountId, name)}
                  aria-current=${name === route.name ? "page" : nothing}
                  >${text}</a
                >
              </li>`,
          )}
        </ul>
      </div>`,
  )}`;
}

/** The accounts are links, so that each opens in a tab of its own if one wants it to. */
function personView(person: Person, { access, route }: Header): TemplateResult {
  const { accounts } = person.session;
  const name = (accountId: string | undefined) =>
    accounts.find((one) => one.account_id === accountId)?.name || accountId || "Accounts";
  const role = access ? `, ${access.role}` : "";
  return html`${
    accounts.length < 2
      ? nothing
      : html`<details class="accounts">
          <summary aria-label=${`Account ${name(access?.accountId)}`}>
            ${visible(name(access?.accountId))}
          </summary>
          <ul>
            ${accounts.map(
              (one) =>
                html`<li>
                  <a
                    href=${hrefOf(one.account_id, route.name)}
                    aria-current=${one.account_id === access?.accountId ? "true" : nothing}
                    >${visible(name(one.account_id))}</a
                  >
                </li>`,
            )}
          </ul>
        </details>`
  }
  ${
    access
      ? html`<a class="text" href=${hrefOf(access.accountId, "me")}
          >${visible(person.label)}${role}</a
        >`
      : html`<span class="text">${visible(person.label)}</span>`
  }`;
}
