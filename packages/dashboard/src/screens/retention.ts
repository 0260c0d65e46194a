// Retention: how long events are kept, and the archives of what was deleted. The archives need a scope of
// their own, so they load by themselves.

import type { Archive, ArchivePage, Retention } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { saveFile, takeFile } from "../check/take-file.ts";
import { checkbox, field, formSection, numberIn } from "../parts/form.ts";
import { Pager } from "../parts/pager.ts";
import { rowButton, table } from "../parts/table.ts";
import { countText, numberText, sizeText, timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";

export class RetentionScreen implements Screen {
  readonly #context: Context;
  readonly #retention: Loader<Retention>;
  readonly #archives: Pager<ArchivePage>;
  readonly #change: Action;
  readonly #download: Action;
  readonly #ending = new AbortController();

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#change = new Action(update);
    this.#download = new Action(update);
    this.#retention = new Loader(update, (signal) => api.retention.get({ signal }));
    this.#archives = new Pager(update, (asked) => api.archives.list(asked).page());
  }

  readonly stop = (): void => {
    this.#ending.abort();
    this.#retention.stop();
    this.#archives.stop();
  };

  readonly view = (): TemplateResult =>
    html`${this.#retention.view((one) => this.#retentionView(one))}
      <section aria-labelledby="archives">
        <h2 id="archives">Archives</h2>
        <p>What retention deletes can be kept in files, with what proves it.</p>
        ${this.#download.view()}
        ${this.#archives.view(({ data }, buttons) => html`${this.#archivesView(data)} ${buttons}`)}
      </section>`;

  #retentionView(one: Retention): TemplateResult {
    const { account_days, archive, min_days, plan_days } = one;
    const most = plan_days === null ? "" : `, at most ${numberText(plan_days)}`;
    const empty = plan_days === null ? "permanently" : "the time of the plan";
    const hint = `${numberText(min_days)} or more${most}. Empty: ${empty}`;
    const fields = html`<p>A longer time is in force at once, a shorter one after 7 days.</p>
      ${field({
        name: "days",
        label: "Days that events are kept",
        type: "number",
        value: account_days === null ? "" : String(account_days),
        min: min_days,
        max: plan_days ?? undefined,
        hint,
      })}
      ${checkbox("archive", "Archive events before they are deleted", archive)}`;
    return html`${keptView(one, this.#context.href("holds"))}
    ${formSection({
      id: "keep",
      title: "Change the retention",
      action: this.#change,
      fields,
      submit: "Save",
      work: (form) => this.#set(form, one),
    })}`;
  }

  async #set(form: FormData, before: Retention): Promise<void> {
    const { api, say } = this.#context;
    const archive = form.has("archive");
    await api.retention.set({
      days: numberIn(form, "days") ?? null,
      ...(archive !== before.archive && { archive }),
    });
    await this.#retention.load();
    say("The retention is changed.");
  }

  #archivesView(data: readonly Archive[]): TemplateResult {
    if (data.length === 0) return html`<p class="empty">No archives yet.</p>`;
    return table<Archive>(
      "Archives",
      [
        { title: "Month", cell: ({ month }) => month },
        {
          title: "Events",
          cell: ({ from_sequence: from, to_sequence: to }) =>
            `${numberText(from)} to ${numberText(to)}`,
        },
        { title: "Written", cell: ({ written_at: at }) => timeView(at) },
        {
          title: "Size",
          cell: ({ events, evidence }) => sizeText(events.size_bytes + evidence.size_bytes),
        },
        { title: "Actions", cell: (one) => this.#actionsView(one) },
      ],
      data,
    );
  }

  #actionsView({ id }: Archive): TemplateResult {
    const { archives } = this.#context.api;
    const { signal } = this.#ending;
    const { isBusy } = this.#download;
    const button = (what: string, ending: string, take: () => Promise<Response>) =>
      rowButton(`Download ${what}`, id, () => this.#take(`${id}.${ending}`, take), { isBusy });
    return html`<span class="buttons">
      ${button("events", "jsonl.zst", () => archives.events(id, { signal }))}
      ${button("evidence", "tar", () => archives.evidence(id, { signal }))}
    </span>`;
  }

  #take(name: string, take: () => Promise<Response>): Promise<void> {
    return this.#download.run(async () => {
      saveFile(await takeFile(await take(), () => {}), name);
      this.#context.say("The file is downloaded.");
    });
  }
}

/** What is in force, what comes, and what keeps events for longer. */
function keptView(one: Retention, holds: string): TemplateResult {
  const { account_days, archive_until, days, hold, limited_by, retained_from, shorter_from } = one;
  const kept =
    days === null
      ? html`Events are kept <strong>permanently</strong>.`
      : html`Events are kept for <strong>${countText(days, "day")}</strong>: the
          ${limited_by === "plan" ? "limit of the plan" : "time that is set below"}.`;
  return html`<p>${kept}</p>
    ${shorter_from !== null && account_days !== null ? shorterView(shorter_from, account_days) : nothing}
    ${retained_from > 1 ? html`<p>The first event that is left is number ${numberText(retained_from)}.</p>` : nothing}
    ${hold === null ? nothing : holdView(hold, holds)}
    ${archive_until === null ? nothing : html`<p>Events are archived until ${timeView(archive_until)}.</p>`}`;
}

const shorterView = (from: string, days: number): TemplateResult =>
  html`<p>From ${timeView(from)} on, they are kept for ${countText(days, "day")}.</p>`;

const holdView = (hold: string, holds: string): TemplateResult =>
  html`<p>
    Nothing is deleted from the first event of the <a href=${holds}>hold</a>
    <code class="breaks">${visible(hold)}</code> on.
  </p>`;
