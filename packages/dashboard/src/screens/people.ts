// People: who has logged in and has a role in the account, and the mapping that gives it.

import type { Person, PersonPage } from "@annals/sdk";
import { html, type TemplateResult } from "lit/html.js";
import { Pager } from "../parts/pager.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { textView } from "../parts/visible.ts";
import type { Context, Screen } from "../screen.ts";

export class PeopleScreen implements Screen {
  readonly #people: Pager<PersonPage>;

  constructor({ api, update }: Context) {
    this.#people = new Pager(update, (asked) => api.people.list(asked).page());
  }

  readonly stop = (): void => this.#people.stop();

  readonly view = (): TemplateResult =>
    html`<p>Those who have a role here and have logged in, by their first login.</p>
      ${this.#people.view((page, buttons) => html`${pageView(page)}${buttons}`)}`;
}

function pageView({ data, next_cursor: next }: PersonPage): TemplateResult {
  const empty = next === null ? "Nobody with a role has logged in yet." : "Nobody on this page.";
  return data.length === 0 ? html`<p class="empty">${empty}</p>` : listView(data);
}

function listView(people: readonly Person[]): TemplateResult {
  return table<Person>(
    "People",
    [
      { title: "Name", cell: ({ name }) => textView(name ?? "–") },
      { title: "E-mail", cell: ({ email }) => textView(email ?? "–") },
      { title: "Provider", cell: ({ provider }) => provider },
      { title: "Subject", cell: ({ subject }) => textView(subject) },
      { title: "Role", cell: ({ role }) => role },
      {
        title: "Mapping",
        cell: (one) => html`<code class="breaks">${one.role_mapping_id}</code>`,
      },
      { title: "Last login", cell: (one) => timeView(one.last_login_at) },
    ],
    people,
  );
}
