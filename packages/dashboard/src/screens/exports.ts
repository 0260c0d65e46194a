// Exports: create, progress, download, delete, and the check of a file in this browser. The file is read
// here and sent nowhere.

import type { Export, ExportPage } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { type Check, checkExport } from "../check/check-export.ts";
import { saveFile, takeFile } from "../check/take-file.ts";
import { Dialog } from "../parts/dialog.ts";
import { filterFields, filterIn, filterText } from "../parts/filter-fields.ts";
import { checkbox, formSection, select, textIn } from "../parts/form.ts";
import { Pager } from "../parts/pager.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { numberText, sizeText, timeView } from "../parts/time.ts";
import { Action, type Context, type Screen } from "../screen.ts";
import { bundleView, checkView, commandView } from "./check-view.ts";
import { textView } from "../parts/visible.ts";

/** How often the list is loaded again while an export is being written: far below the limit of requests. */
const POLL_MS = 2_000;

const FORMATS = {
  jsonl: "JSON Lines",
  csv: "CSV",
  csv_bom: "CSV for Excel",
  parquet: "Parquet",
  evidence: "Evidence",
} satisfies Record<Export["format"], string>;

interface Transfer {
  readonly what: string;
  readonly done: number;
  readonly total: number;
}

export class ExportsScreen implements Screen {
  readonly #context: Context;
  readonly #exports: Pager<ExportPage>;
  readonly #creation: Action;
  readonly #action: Action;
  readonly #dialog: Dialog;
  readonly #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #transfer: Transfer | undefined;
  #check: Check | undefined;
  /** The file whose verification is explained. */
  #explained: Export | undefined;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#action = new Action(update);
    this.#dialog = new Dialog(update);
    this.#exports = new Pager(update, async (asked) => {
      const page = await api.exports.list(asked).page();
      this.#poll(page);
      return page;
    });
  }

  readonly stop = (): void => {
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#exports.stop();
  };

  readonly view = (): TemplateResult =>
    html`<p>
        An export is a file of events. With proofs it can be verified by anyone, without the
        service.
      </p>
      ${this.#transferView()} ${this.#action.view()}
      ${this.#check ? checkView(this.#check) : nothing}
      ${this.#explained ? explanationOf(this.#explained) : nothing}
      ${this.#exports.view(
        ({ data }, buttons) =>
          html`${this.#listView(data)} ${buttons} ${this.#formView()} ${this.#fileView()}`,
      )}
      ${this.#dialog.view()}`;

  #transferView(): TemplateResult | typeof nothing {
    if (this.#transfer === undefined) return nothing;
    const { what, done, total } = this.#transfer;
    return html`<p>
      <label for="transfer">${what}</label>
      <progress id="transfer" max=${Math.max(1, total)} .value=${done}></progress>
    </p>`;
  }

  #listView(data: readonly Export[]): TemplateResult {
    return data.length === 0
      ? html`<p class="empty">
          No exports yet. Create one below and download it when it is completed.
        </p>`
      : table<Export>(
          "Exports",
          [
            { title: "Created", cell: (one) => timeView(one.created_at) },
            { title: "Format", cell: ({ format }) => FORMATS[format] },
            {
              title: "Filter",
              cell: ({ filter }) => textView(filterText(filter)),
            },
            { title: "State", cell: statusView },
            {
              title: "Events",
              cell: (one) => (one.event_count === null ? "–" : numberText(one.event_count)),
            },
            { title: "Size", cell: (one) => sizeText(one.size_bytes) },
            { title: "Actions", cell: (one) => this.#actionsView(one) },
          ],
          data,
        );
  }

  #actionsView(one: Export): TemplateResult {
    const isDone = one.status === "completed";
    const { isBusy } = this.#action;
    const button = (text: string, act: () => unknown, look = {}) =>
      rowButton(text, one.id, act, { isBusy, ...look });
    const verify =
      one.format === "evidence" || one.format === "parquet"
        ? button("How to verify", () => this.#explain(one))
        : button("Verify here", () => this.#verify(one));
    return html`<span class="buttons">
      ${isDone ? button("Download", () => this.#download(one)) : nothing}
      ${isDone ? verify : nothing} ${button("Delete", () => this.#delete(one), DANGER)}
    </span>`;
  }

  #formView(): TemplateResult {
    return formSection({
      id: "create-export",
      title: "Create an export",
      action: this.#creation,
      fields: html`${select({ name: "format", label: "Format", values: FORMATS })}
      ${checkbox("proofs", "With proofs, so that the file can be verified", true)}
      ${filterFields(this.#context.query)}`,
      submit: "Create export",
      work: this.#create,
    });
  }

  #fileView(): TemplateResult {
    const check = (event: Event) => {
      const [file] = (event.currentTarget as HTMLInputElement).files ?? [];
      if (file) void this.#action.run(() => this.#checkFile(file, file.name, undefined));
    };
    return html`<section aria-labelledby="check-file">
      <h2 id="check-file">Verify a file</h2>
      <div class="field">
        <label for="file">An export with proofs, from this computer</label>
        <input id="file" type="file" accept=".jsonl,.csv,.ndjson" @change=${check} />
        <p class="hint">It is checked in this browser and sent nowhere.</p>
      </div>
    </section>`;
  }

  readonly #create = async (form: FormData): Promise<void> => {
    const { api, say } = this.#context;
    await api.exports.create({
      format: formatIn(form),
      include_proofs: form.has("proofs"),
      filter: filterIn(form),
    });
    say("The export is being written.");
    await this.#exports.loadFirst();
  };

  #download(one: Export): Promise<void> {
    return this.#action.run(async () => {
      saveFile(await this.#take(one), fileNameOf(one));
      this.#context.say("The file is downloaded.");
    });
  }

  #explain(one: Export): void {
    this.#check = undefined;
    this.#explained = one;
    this.#context.update();
  }

  #verify(one: Export): Promise<void> {
    return this.#action.run(async () => {
      const file = await this.#take(one);
      await this.#checkFile(file, fileNameOf(one), one.sha256 ?? undefined);
    });
  }

  async #take({ id, size_bytes }: Export): Promise<Blob> {
    const response = await this.#context.api.exports.content(id, {
      signal: this.#ending.signal,
    });
    try {
      return await takeFile(response, (done) => this.#show("Downloading", done, size_bytes ?? 0));
    } finally {
      this.#hide();
    }
  }

  async #checkFile(file: Blob, name: string, sha256: string | undefined): Promise<void> {
    this.#check = undefined;
    this.#explained = undefined;
    const onProgress = (done: number) => this.#show("Verifying", done, file.size);
    try {
      this.#check = await checkExport(file, {
        name,
        sha256,
        onProgress,
        signal: this.#ending.signal,
      });
    } finally {
      this.#hide();
    }
    this.#context.say(
      this.#check.fault === undefined
        ? "The file is verified."
        : "The file differs from what was exported.",
    );
  }

  #show(what: string, done: number, total: number): void {
    this.#transfer = { what: `${what}: ${sizeText(done)} of ${sizeText(total)}`, done, total };
    this.#context.update();
  }

  #hide(): void {
    this.#transfer = undefined;
  }

  #delete({ id }: Export): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Delete the export?",
      content: html`<p><code>${id}</code></p>
        <p>Its file is deleted. The events stay in the log.</p>`,
      confirm: "Delete export",
      isDangerous: true,
      work: async () => {
        await api.exports.delete(id);
        await this.#exports.load();
        say("The export is deleted.");
      },
    });
  }

  #poll({ data }: ExportPage): void {
    clearTimeout(this.#timer);
    const isWriting = data.some(({ status }) => status === "pending" || status === "running");
    if (isWriting) this.#timer = setTimeout(() => void this.#exports.load(), POLL_MS);
  }
}

function statusView({ status }: Export): TemplateResult {
  const kind = { pending: "", running: "", completed: "good", failed: "bad" }[status];
  const isWriting = status === "pending" || status === "running";
  return html`<span class="badge ${kind}">${status}</span>
    ${isWriting ? html`<progress aria-label="The export is being written"></progress>` : nothing}`;
}

function formatIn(form: FormData): Export["format"] {
  const chosen = textIn(form, "format");
  return isFormat(chosen) ? chosen : "jsonl";
}

function isFormat(text: string): text is Export["format"] {
  return Object.hasOwn(FORMATS, text);
}

function explanationOf(one: Export): TemplateResult {
  const name = fileNameOf(one);
  return one.format === "evidence" ? bundleView(name) : commandView(name);
}

/** A bundle of evidence is one tar file, which `annals-verify` verifies. */
function fileNameOf({ format, id }: Export): string {
  const endings: Partial<Record<Export["format"], string>> = { csv_bom: "csv", evidence: "tar" };
  return `${id}.${endings[format] ?? format}`;
}
