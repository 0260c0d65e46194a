// People: who has logged in and has a role in the account, and the mapping that gives it.

import type { Person, PersonPage } from "@annals/sdk";
import { html, type TemplateResult } from "lit/html.js";
import { pagesView } from "../parts/pages.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { type Context, Loader, type Screen } from "../screen.ts";

const PAGE_SIZE = 50;

export class PeopleScreen implements Screen {
  readonly #people: Loader<PersonPage>;
  #cursor: string | undefined;

  constructor({ api, update }: Context) {
    this.#people = new Loader(update, (signal) =>
      api.people.list({ limit: PAGE_SIZE, cursor: this.#cursor, signal }).page(),
    );
  }

  readonly stop = (): void => this.#people.stop();

  readonly view = (): TemplateResult =>
    html`<p>Those who have a role here and have logged in, by their first login.</p>
      ${this.#people.view((page) => this.#listView(page))}`;

  #listView({ data, next_cursor: next }: PersonPage): TemplateResult {
    const turn = (cursor: string | undefined) => {
      this.#cursor = cursor;
      void this.#people.load();
    };
    const empty = next === null ? "Nobody with a role has logged in yet." : "Nobody on this page.";
    return html`${data.length === 0 ? html`<p class="empty">${empty}</p>` : listView(data)}
    ${pagesView({ cursor: this.#cursor, next, turn })}`;
  }
}

const shown = (text: string) => html`<span class="text">${visible(text)}</span>`;

function listView(people: readonly Person[]): TemplateResult {
  return table<Person>(
    "People",
    [
      { title: "Name", cell: ({ name }) => shown(name ?? "–") },
      { title: "E-mail", cell: ({ email }) => shown(email ?? "–") },
      { title: "Provider", cell: ({ provider }) => provider },
      { title: "Subject", cell: ({ subject }) => shown(subject) },
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
