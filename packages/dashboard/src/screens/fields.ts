// Declared fields: the values of events that filters may name, and how far the index of each is. What the
// newest events have is offered.

import type { NewSearchField, SearchField, SearchPath } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { checkbox, field, formSection, select, textIn } from "../parts/form.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { countText, timeView } from "../parts/time.ts";
import { textView } from "../parts/visible.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";

type Path = SearchPath["path"];
type Type = SearchPath["type"];

const TYPES: Readonly<Record<Type, string>> = {
  string: "text",
  number: "number",
  ip: "address",
  time: "time",
};

const OUTCOME = "metadata.outcome";

interface Loaded {
  readonly fields: readonly SearchField[];
  readonly paths: readonly SearchPath[];
}

export class FieldsScreen implements Screen {
  readonly #context: Context;
  readonly #loaded: Loader<Loaded>;
  readonly #creation: Action;
  readonly #dialog: Dialog;
  /** What was chosen of what the newest events have. */
  #chosen: SearchPath | undefined;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#dialog = new Dialog(update);
    this.#loaded = new Loader(update, async (signal) => {
      const { searchFields } = api;
      const asked = [searchFields.list({ signal }), searchFields.paths({ signal })] as const;
      const [fields, paths] = await Promise.all(asked);
      return { fields, paths };
    });
  }

  readonly stop = (): void => this.#loaded.stop();

  readonly view = (): TemplateResult =>
    html`<p>
        A declared field can be searched, counted and excluded by its name, such as
        <code>ip:203.0.113.0/24</code> for the field <code>ip</code>. Older events have it, too.
      </p>
      <p class="buttons">
        <button type="button" @click=${() => void this.#loaded.load()}>Refresh</button>
      </p>
      ${this.#loaded.view((loaded) => html`${this.#listView(loaded)} ${this.#formView()} ${this.#pathsView(loaded)}`)}
      ${this.#dialog.view()}`;

  #listView({ fields }: Loaded): TemplateResult {
    if (fields.length === 0)
      return html`<p class="empty">No declared fields yet. Declare one below.</p>`;
    return table<SearchField>(
      "Declared fields",
      [
        { title: "Name", cell: ({ name }) => textView(name) },
        { title: "Path", cell: ({ path }) => pathView(path) },
        { title: "Read as", cell: typeView },
        { title: "State", cell: stateView },
        { title: "Index", cell: bytesView },
        { title: "Created", cell: (one) => timeView(one.created_at) },
        {
          title: "Actions",
          cell: (one) => rowButton("Delete", one.name, () => this.#delete(one), DANGER),
        },
      ],
      fields,
    );
  }

  #formView(): TemplateResult {
    const chosen = this.#chosen;
    return formSection({
      id: "declare-field",
      title: "Declare a field",
      action: this.#creation,
      fields: html`<div class="fields">
          ${field({
            name: "path",
            label: "Path",
            isRequired: true,
            value: chosen && pathText(chosen.path),
            hint: "Such as context.ip or metadata.plan.id",
          })}
          ${select({ name: "type", label: "Read as", values: TYPES, chosen: chosen?.type })}
          ${field({ name: "name", label: "Name", maxLength: 64, hint: "Default: the path" })}
        </div>
        ${checkbox("ignore-case", "Of a text, A to Z and a to z are the same")}`,
      submit: "Declare field",
      work: this.#create,
    });
  }

  /** What is declared already, as the outcome is in every account, is not offered. */
  #pathsView({ fields, paths }: Loaded): TemplateResult | typeof nothing {
    const declared = new Set([OUTCOME, ...fields.map(({ path }) => pathText(path))]);
    const offered = paths.filter(({ path }) => !declared.has(pathText(path)));
    if (offered.length === 0) return nothing;
    return html`<section aria-labelledby="paths">
      <h2 id="paths">What the newest events have</h2>
      ${table<SearchPath>(
        "What the newest events have",
        [
          { title: "Path", cell: ({ path }) => pathView(path) },
          { title: "Looks like", cell: ({ type }) => TYPES[type] },
          { title: "In", cell: ({ share }) => `${shareText(share)} of them` },
          {
            title: "Actions",
            cell: (one) => rowButton("Choose", pathText(one.path), () => this.#choose(one)),
          },
        ],
        offered,
      )}
    </section>`;
  }

  #choose(path: SearchPath): void {
    this.#chosen = path;
    this.#context.update();
    document.querySelector<HTMLElement>("#declare-field")?.focus();
  }

  readonly #create = async (form: FormData, element: HTMLFormElement): Promise<void> => {
    const { api, say } = this.#context;
    const [type, name] = [textIn(form, "type") as Type, textIn(form, "name")];
    const given: NewSearchField = { path: pathOf(textIn(form, "path")), type };
    await api.searchFields.create({
      ...given,
      ...(name !== "" && { name }),
      ...(form.has("ignore-case") && { ignore_case: true }),
    });
    element.reset();
    this.#chosen = undefined;
    say("The field is declared.");
    await this.#loaded.load();
  };

  #delete(one: SearchField): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Delete the field?",
      content: html`<p>${textView(one.name)}: ${pathView(one.path)}</p>
        <p>
          No search can name it then. Webhooks, sinks, widget tokens and saved searches that select
          by it go on as they are. Events are not changed.
        </p>`,
      confirm: "Delete field",
      isDangerous: true,
      work: async () => {
        await api.searchFields.delete(one.id);
        say("The field is deleted.");
        await this.#loaded.load();
      },
    });
  }
}

/** As the service shows it: names with dots between, or an array as JSON. */
const pathText = (path: Path): string => (typeof path === "string" ? path : JSON.stringify(path));

const pathView = (path: Path): TemplateResult =>
  html`<code class="breaks">${textView(pathText(path))}</code>`;

/** Throws for a text that begins an array and is none. */
function pathOf(text: string): Path {
  if (!text.startsWith("[")) return text;
  try {
    return JSON.parse(text) as string[];
  } catch {
    throw new Error(
      'Write the path as context.ip, or as an array such as ["context", "user agent"].',
    );
  }
}

const typeView = ({ ignore_case, type }: SearchField): string =>
  ignore_case ? `${TYPES[type]}, without case` : TYPES[type];

function stateView({ lag_events, status }: SearchField): TemplateResult {
  return status === "ready"
    ? html`<span class="badge good">ready</span>`
    : html`<span class="badge">building</span>
        <p>${countText(lag_events, "older event")} left. Searches find them meanwhile</p>`;
}

function bytesView({ bytes_per_event, measured_events, uncounted }: SearchField): TemplateResult {
  if (bytes_per_event === null) return html`<span>–</span>`;
  const each = `${bytes_per_event.toFixed(1)} bytes an event`;
  if (uncounted === null || uncounted === 0) return html`<span>${each}</span>`;
  return html`<span>${each}</span>
    <p>
      ${countText(uncounted, "event")} of ${measured_events} are not in it, and slow to search
    </p>`;
}

const shareText = (share: number): string =>
  share < 0.01 ? "< 1 %" : `${Math.round(share * 100)} %`;
