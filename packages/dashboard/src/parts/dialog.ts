// A question that has to be answered before anything else: the browser's own modal dialog, which keeps the
// focus, closes with Escape and gives the focus back. Used by the screens for what cannot be undone.

import { html, nothing, type TemplateResult } from "lit/html.js";
import { Action } from "../screen.ts";

interface Question {
  readonly title: string;
  readonly content: TemplateResult;
  /** What the button says that does it. */
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** The dialog closes when it is done; an error is shown in it. */
  readonly work: (form: FormData) => Promise<void>;
}

export class Dialog {
  #question: Question | undefined;
  #action: Action;
  readonly #update: () => void;

  constructor(update: () => void) {
    this.#update = update;
    this.#action = new Action(update);
  }

  ask(question: Question): void {
    this.#question = question;
    this.#action = new Action(this.#update);
    this.#update();
    const element = elementOf();
    if (element?.open === false) element.showModal();
  }

  view(): TemplateResult | typeof nothing {
    const question = this.#question;
    if (question === undefined) return nothing;
    const { title, content, confirm, isDangerous = false } = question;
    const close = () => this.#close(question);
    // "close" comes a moment after Escape: the reader may have opened the next dialog by then.
    return html`<dialog aria-labelledby="question" @cancel=${close} @close=${close}>
      <form @submit=${(event: SubmitEvent) => this.#submit(event, question)}>
        <h2 id="question">${title}</h2>
        ${content} ${this.#action.view()}
        <p class="buttons">
          <button type="button" @click=${close}>Cancel</button>
          <button class=${isDangerous ? "danger" : "primary"} ?disabled=${this.#action.isBusy}>
            ${confirm}
          </button>
        </p>
      </form>
    </dialog>`;
  }

  #submit(event: SubmitEvent, question: Question): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    void this.#action.run(async () => {
      await question.work(form);
      this.#close(question);
    });
  }

  /** Does nothing once another question is asked. The focus returns to what opened it, or to the heading. */
  #close(question: Question): void {
    if (this.#question !== question) return;
    this.#question = undefined;
    elementOf()?.close();
    this.#update();
    if (document.activeElement === document.body) document.querySelector("h1")?.focus();
  }
}

/** A page has one at a time, once it is rendered. */
const elementOf = (): HTMLDialogElement | null => document.querySelector("dialog");
