// Verifies the chain, or a range of it, with progress, and shows what earlier verifications in this browser
// found (verification-history.ts).

import { AnnalsError, type Verification } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { field, numberIn, onSubmit } from "../parts/form.ts";
import { table } from "../parts/table.ts";
import { numberText, timeView } from "../parts/time.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";
import { type Finished, KEPT, VerificationHistory } from "../verification-history.ts";
import { piecesOf } from "../verification-plan.ts";
import { EvidenceLog } from "./evidence.ts";

const REASONS: Readonly<Record<string, string>> = {
  digest_mismatch: "a part, its salt or a filter column was changed or is missing",
  hash_mismatch: "a member was changed",
  link_mismatch: "it does not link to the event before",
  sequence_gap: "there is no event with this number",
  head_mismatch: "the last event of the chain is not the head",
  tree_mismatch: "the tree of the chain has another hash for it, or only the tree has it",
  erasure_unrecorded: "a part is erased, and no later record of the chain says so",
};

interface Progress {
  readonly checked: number;
  readonly total: number;
}

interface Range {
  readonly from: number;
  readonly to: number | undefined;
}

export class VerificationScreen implements Screen {
  readonly #context: Context;
  readonly #action: Action;
  readonly #history: Loader<VerificationHistory>;
  readonly #evidence: EvidenceLog;
  #progress: Progress | undefined;
  #under: AbortController | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#action = new Action(context.update);
    this.#history = new Loader(context.update, async (signal) => {
      const usage = context.api.usage.get({ signal });
      // The result of a verification is shown even if the account is not known.
      const accountId = await usage.then(({ account_id }) => account_id).catch(() => undefined);
      return new VerificationHistory(context.notes, accountId);
    });
    this.#evidence = new EvidenceLog(context);
  }

  readonly stop = (): void => {
    this.#under?.abort();
    this.#history.stop();
    this.#evidence.stop();
  };

  readonly view = (): TemplateResult =>
    html`<p>
        The service recomputes every digest, hash and link of the chain. To check it without the
        service, verify an <a href=${this.#context.href("exports")}>export</a>.
      </p>
      <form @submit=${onSubmit((form) => void this.#verify(form))}>
        <details>
          <summary>Only a range</summary>
          <div class="fields">
            ${field({ name: "from", label: "From number", type: "number", min: 1, hint: "Default: the first event" })}
            ${field({ name: "to", label: "To number", type: "number", min: 1, hint: "Default: the last event" })}
          </div>
        </details>
        <p class="buttons">
          <button class="primary" ?disabled=${this.#action.isBusy}>Verify</button>
          ${this.#action.isBusy ? html`<button type="button" @click=${() => this.#under?.abort()}>Stop</button>` : nothing}
        </p>
      </form>
      ${this.#progressView()} ${this.#action.view()} ${this.#evidence.view()}
      ${this.#history.view((history) => this.#historyView(history))}`;

  #progressView(): TemplateResult | typeof nothing {
    if (this.#progress === undefined) return nothing;
    const { checked, total } = this.#progress;
    return html`<p>
      <label for="progress">${numberText(checked)} of ${numberText(total)} events verified</label>
      <progress id="progress" max=${total} .value=${checked}></progress>
    </p>`;
  }

  #historyView(history: VerificationHistory): TemplateResult {
    if (history.all.length === 0) {
      return html`<p class="empty">
        Nothing was verified in this browser yet. Press Verify to check the whole chain.
      </p>`;
    }
    const clear = () => {
      history.clear();
      this.#context.say("The history is cleared.");
    };
    return html`<section aria-labelledby="history">
      <h2 id="history">Verified in this browser</h2>
      <p class="hint">
        ${
          history.isKept
            ? `The newest ${KEPT} verifications of this account. They stay here after you log out; the key does not.`
            : "The history is kept until you leave this screen, because the service did not say which account this is."
        }
      </p>
      ${table<Finished>(
        "Verifications",
        [
          { title: "Result", cell: resultView },
          {
            title: "Events",
            cell: ({ from, to }) =>
              to < from ? "none yet" : `${numberText(from)} to ${numberText(to)}`,
          },
          { title: "Checked", cell: ({ checked }) => numberText(checked) },
          {
            title: "Head of the chain",
            cell: ({ headHash }) => html`<code class="breaks">${headHash}</code>`,
          },
          { title: "Finished", cell: (one) => timeView(one.verified_at) },
        ],
        history.all,
      )}
      <p><button type="button" @click=${clear}>Clear the history</button></p>
    </section>`;
  }

  #verify(form: FormData): Promise<void> {
    const asked = { from: numberIn(form, "from") ?? 1, to: numberIn(form, "to") };
    const { signal } = (this.#under = new AbortController());
    return this.#action.run(async () => {
      try {
        const finished = await this.#run(asked, signal);
        if (!this.#history.value) await this.#history.load();
        this.#history.value?.add(finished);
        this.#context.say(sentenceOf(finished));
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        this.#progress = undefined;
      }
    });
  }

  /** Up to the first event that does not verify. */
  async #run({ from, to }: Range, signal: AbortSignal): Promise<Finished> {
    const head = to ?? (await this.#head(from, signal));
    const total = Math.max(1, head - from + 1);
    let checked = 0;
    let last: Verification | undefined;
    for (const piece of piecesOf(from, Math.max(from, head))) {
      this.#progress = { checked, total };
      this.#context.update();
      last = await this.#ask({ from: piece.from, to: piece.to ?? to }, signal);
      checked += last.checked;
      if (!last.valid) break;
    }
    if (last === undefined) throw new Error("Nothing was verified.");
    const fault = last.first_invalid;
    return {
      verified_at: last.verified_at,
      from: Math.min(from, last.from_sequence),
      to: last.to_sequence,
      checked,
      headHash: last.head.hash,
      fault: fault ? { sequence: fault.sequence_number, reason: fault.reason } : undefined,
    };
  }

  /** The number of the last event; 0 for an empty chain. */
  async #head(from: number, signal: AbortSignal): Promise<number> {
    try {
      return (await this.#ask({ from, to: from }, signal)).head.sequence_number;
    } catch (error) {
      // A chain without an event has no range that could be named.
      if (AnnalsError.is(error, "validation_error") && from === 1) return 0;
      throw error;
    }
  }

  #ask({ from, to }: Range, signal: AbortSignal): Promise<Verification> {
    const isWhole = from === 1 && to === undefined;
    const range = { from_sequence: from, ...(to !== undefined && { to_sequence: to }) };
    return this.#context.api.verify.chain(isWhole ? {} : range, { signal });
  }
}

function sentenceOf({ fault, from, to }: Finished): string {
  if (fault) return `Event ${numberText(fault.sequence)} differs from what was stored.`;
  if (to < from) return "There are no events yet.";
  return `Events ${numberText(from)} to ${numberText(to)} are verified.`;
}

function resultView({ fault }: Finished): TemplateResult {
  if (fault === undefined) return html`<span class="badge good">verified</span>`;
  return html`<span class="badge bad">differs</span> event ${numberText(fault.sequence)}:
    ${REASONS[fault.reason] ?? fault.reason} (<code>${fault.reason}</code>)`;
}
