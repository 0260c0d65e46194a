// People: who has logged in, whose sessions end, and who may not log in.

import { html, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import type { Screen } from "../screen.ts";
import { type ConsoleContext, PagedList } from "./console-screen.ts";
import type { Person } from "./resources.ts";

export class PeopleScreen implements Screen {
  readonly #context: ConsoleContext;
  readonly #people: PagedList<Person>;
  readonly #dialog: Dialog;

  constructor(context: ConsoleContext) {
    this.#context = context;
    this.#dialog = new Dialog(context.update);
    this.#people = new PagedList(context, "/admin/v1/people");
  }

  readonly stop = (): void => this.#people.stop();

  readonly view = (): TemplateResult =>
    html`<p>Who has logged in to the dashboard or to this console, newest first.</p>
      ${this.#people.view((people) => this.#listView(people))} ${this.#dialog.view()}`;

  #listView(people: readonly Person[]): TemplateResult {
    if (people.length === 0) return html`<p class="empty">Nobody has logged in yet.</p>`;
    return table<Person>(
      "People",
      [
        { title: "Name", cell: (person) => html`<span class="text">${shownName(person)}</span>` },
        { title: "Id", cell: ({ id }) => html`<code class="breaks">${id}</code>` },
        {
          title: "Provider and subject",
          cell: ({ provider, subject }) =>
            html`<span class="text">${provider}: ${visible(subject)}</span>`,
        },
        { title: "Last login", cell: (person) => timeView(person.last_login_at) },
        { title: "Sessions", cell: (person) => person.live_sessions },
        { title: "State", cell: (person) => (person.blocked_at === null ? "active" : "blocked") },
        { title: "Actions", cell: (person) => this.#actionsView(person) },
      ],
      people,
    );
  }

  #actionsView(person: Person): TemplateResult {
    const named = (verb: string) => `${verb} ${person.name ?? person.subject}`;
    if (person.blocked_at !== null)
      return html`<button
        type="button"
        aria-label=${named("Unblock")}
        @click=${() => this.#unblock(person)}
      >
        Unblock
      </button>`;
    return html`<span class="buttons">
      <button
        type="button"
        aria-label=${named("End sessions of")}
        ?disabled=${person.live_sessions === 0}
        @click=${() => this.#end(person)}
      >
        End sessions
      </button>
      <button
        type="button"
        class="danger"
        aria-label=${named("Block")}
        @click=${() => this.#block(person)}
      >
        Block
      </button>
    </span>`;
  }

  #end(person: Person): void {
    this.#ask(person, {
      title: "End the sessions?",
      text: "What the person has made in these sessions is refused from the next request on. The person may log in again.",
      confirm: "End sessions",
      said: "The sessions have ended.",
      work: (path) => this.#context.api.ask("DELETE", `${path}/sessions`),
    });
  }

  #block(person: Person): void {
    this.#ask(person, {
      title: "Block the person?",
      text: "All sessions end, and further logins are refused until the person is unblocked.",
      confirm: "Block",
      said: "The person is blocked.",
      work: (path) => this.#context.api.ask("POST", `${path}/block`, { body: {} }),
    });
  }

  #unblock(person: Person): void {
    this.#ask(person, {
      title: "Unblock the person?",
      text: "The person may log in again.",
      confirm: "Unblock",
      said: "The person may log in again.",
      work: (path) => this.#context.api.ask("POST", `${path}/unblock`, { body: {} }),
    });
  }

  #ask(
    person: Person,
    asked: {
      readonly title: string;
      readonly text: string;
      readonly confirm: string;
      readonly said: string;
      readonly work: (path: string) => Promise<unknown>;
    },
  ): void {
    const { confirm, said, text, title, work } = asked;
    this.#dialog.ask({
      title,
      confirm,
      isDangerous: confirm === "Block",
      content: html`<p><strong class="text">${shownName(person)}</strong></p>
        <p>${text}</p>`,
      work: async () => {
        await work(`/admin/v1/people/${person.id}`);
        await this.#people.load();
        this.#context.say(said);
      },
    });
  }
}

const shownName = ({ email, name, subject }: Person) =>
  visible([name ?? subject, ...(email === null ? [] : [email])].join(", "));
