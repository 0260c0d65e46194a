// Who has logged in, and which mapping gives which role. It is also what somebody without a role sees, and
// sends to the manager of an account.

import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Session, SessionAccount } from "../auth.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import type { Person } from "../person.ts";
import { hrefOf } from "../routes.ts";
import type { Screen } from "../screen.ts";

export class MeScreen implements Screen {
  readonly #person: Person;

  constructor(person: Person) {
    this.#person = person;
  }

  readonly stop = (): void => {};

  readonly view = (): TemplateResult => meView(this.#person.session);
}

export function meView(session: Session): TemplateResult {
  const { accounts, email, expires_at, groups, has_more_accounts, name, provider } = session;
  return html`${
      accounts.length === 0
        ? html`<p class="empty">
            <strong>No account has given you a role.</strong> Send this to its manager.
          </p>`
        : nothing
    }
    <dl>
      ${itemView("Name", name)} ${itemView("E-mail", email)}
      ${itemView("Provider", `${provider.title} (${provider.name})`)}
      ${itemView("Subject", session.subject)} ${itemView("Groups", groups.join(", ") || "none")}
      <dt>Session ends</dt>
      <dd>${timeView(expires_at)} at the latest</dd>
    </dl>
    ${accounts.length === 0 ? nothing : accountsView(accounts)}
    ${has_more_accounts ? html`<p class="hint">There are more accounts than these.</p>` : nothing}`;
}

function itemView(term: string, text: string | null): TemplateResult | typeof nothing {
  if (text === null) return nothing;
  return html`<dt>${term}</dt>
    <dd class="text">${visible(text)}</dd>`;
}

function accountsView(accounts: readonly SessionAccount[]): TemplateResult {
  return html`<section aria-labelledby="accounts">
    <h2 id="accounts">Your accounts</h2>
    ${table<SessionAccount>(
      "Your accounts",
      [
        {
          title: "Account",
          cell: (one) =>
            html`<a class="text" href=${hrefOf(one.account_id, "events")}
              >${visible(one.name || one.account_id)}</a
            >`,
        },
        { title: "Id", cell: (one) => html`<code class="breaks">${one.account_id}</code>` },
        { title: "Role", cell: ({ role }) => role },
        {
          title: "Given to",
          cell: ({ group }) =>
            html`<span class="text"
              >${group === null ? "you alone" : visible(`the group ${group}`)}</span
            >`,
        },
        {
          title: "Mapping",
          cell: (one) => html`<code class="breaks">${one.role_mapping_id}</code>`,
        },
      ],
      accounts,
    )}
  </section>`;
}
