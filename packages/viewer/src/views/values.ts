// The tables of the detail: values by name, and what changed. Used by the detail. What an event holds becomes
// text nodes alone.

import { html, nothing, type TemplateResult } from "lit";
import type { Texts } from "../texts.ts";
import { diffOf, treeOf, type TreeRow } from "../tree.ts";
import type { EventFilter, Json, JsonObject } from "../types.ts";
import { cut, visible, visibleValue } from "./visible.ts";

/** Rows and characters that are shown until the reader asks for all. */
const SHOWN_ROWS = 100;
export const SHOWN_CHARACTERS = 2_000;
const MAX_INDENTS = 8;

export interface ValuesView {
  readonly texts: Texts;
  readonly showAll: boolean;
  readonly onShowAll: () => void;
  readonly onCopy: (text: string) => void;
  readonly onFilter: (name: keyof EventFilter, value: string) => void;
  readonly onExclude: (name: keyof EventFilter, value: string) => void;
  readonly onFirst: (name: keyof EventFilter, value: string) => void;
}

export interface ValueRow extends Pick<TreeRow, "depth" | "name" | "after"> {
  /** The filter that finds events with this value. */
  readonly filter?: keyof EventFilter;
  readonly title?: string;
}

/** A row of a value that is no member of a part. */
export function valueRow(
  name: string,
  value: Json | undefined,
  others: Pick<ValueRow, "filter" | "title"> = {},
): ValueRow[] {
  if (value === undefined) return [];
  const after = typeof value === "string" ? value : JSON.stringify(value);
  return [{ depth: 0, name, after, ...others }];
}

export function membersOf(value: Json | undefined): readonly ValueRow[] {
  return treeOf(value);
}

type Tool = readonly [label: string, onClick: () => void];

/** A section with a table of its name; undefined if there are no rows. */
export function values(
  title: string,
  rows: readonly ValueRow[],
  view: ValuesView,
): TemplateResult | undefined {
  if (rows.length === 0) return undefined;
  const { text } = view.texts;
  return html`<table part="values" aria-label=${title}>
      <colgroup>
        <col />
        <col />
      </colgroup>
      <thead class="unseen">
        <tr>
          <th scope="col">${text("name")}</th>
          <th scope="col">${text("value")}</th>
        </tr>
      </thead>
      <tbody>
        ${shownOf(rows, view).map(
          (row) =>
            html`<tr>
              ${nameOf(row)}
              <td title=${row.title ?? nothing}>
                <bdi>${visibleValue(clipped(row.after, view))}</bdi> ${tools(row, view)}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${more(isClipped(rows, view), view, rows.length)}`;
}

/** A toolbar: one stop of Tab, in which the arrow keys lead from tool to tool. */
function tools({ name, after, filter }: ValueRow, view: ValuesView) {
  const { texts, onCopy, onFilter, onExclude, onFirst } = view;
  if (after === undefined || after === "") return nothing;
  const { text } = texts;
  const ofFilter: readonly Tool[] = filter
    ? [
        [text("filterBy"), () => onFilter(filter, after)],
        [text("excludeThis"), () => onExclude(filter, after)],
        [text("first"), () => onFirst(filter, after)],
      ]
    : [];
  const all: readonly Tool[] = [...ofFilter, [text("copy"), () => onCopy(after)]];
  return html`<span class="tools" role="toolbar" aria-label=${name} @keydown=${toNextTool}
    >${all.map(
      ([label, onClick], at) =>
        html`<button
          type="button"
          part="tool"
          tabindex=${at === 0 ? 0 : -1}
          aria-label="${label}: ${name}"
          @click=${onClick}
        >
          ${label}
        </button>`,
    )}</span
  >`;
}

function toNextTool({ key, currentTarget, target }: KeyboardEvent): void {
  const all = [...(currentTarget as Element).querySelectorAll("button")];
  const by = ({ ArrowLeft: -1, ArrowRight: 1 } as Readonly<Record<string, number>>)[key];
  const next = by === undefined ? undefined : all[all.indexOf(target as HTMLButtonElement) + by];
  if (!next) return;
  for (const one of all) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}

/** The changed rows, or all rows once the reader asks for them; undefined if there are no rows. */
export function changes(
  diff: JsonObject | undefined,
  view: ValuesView,
): { readonly title: string; readonly content: TemplateResult } | undefined {
  const all = diffOf(diff?.["before"], diff?.["after"]);
  if (all.length === 0) return undefined;
  const { text } = view.texts;
  const changed = all.filter(({ kind }) => kind !== "same");
  const rows = view.showAll ? all : changed;
  const [count, total] = [changed, all].map((some) => some.filter(isLeaf).length);
  const title =
    count === total
      ? text("diff")
      : `${text("diff")} (${text("changesShown", { count: count ?? 0, total: total ?? 0 })})`;
  const hasMore = rows.length < all.length || isClipped(rows, view);
  const content = html`<table part="diff" aria-label=${text("diff")}>
      <thead>
        <tr>
          <th scope="col">${text("name")}</th>
          <th scope="col">${text("before")}</th>
          <th scope="col">${text("after")}</th>
        </tr>
      </thead>
      <tbody>
        ${shownOf(rows, view).map(
          (row) =>
            html`<tr class=${row.kind}>
              ${nameOf(row)}
              <td><bdi>${visibleValue(clipped(row.before, view))}</bdi></td>
              <td>
                <bdi>${visibleValue(clipped(row.after, view))}</bdi
                ><span class="unseen"> ${text(row.kind)}</span>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${more(hasMore, view, all.length)}`;
  return { title, content };
}

function isLeaf({ before, after }: TreeRow): boolean {
  return before !== undefined || after !== undefined;
}

function nameOf({ depth, name }: Pick<TreeRow, "depth" | "name">): TemplateResult {
  const indents = Array.from({ length: Math.min(depth, MAX_INDENTS) });
  return html`<th scope="row">
    ${indents.map(() => html`<span class="indent"></span>`)}<bdi
      >${visible(cut(name, SHOWN_CHARACTERS))}</bdi
    >
  </th>`;
}

function shownOf<Row>(rows: readonly Row[], { showAll }: ValuesView): readonly Row[] {
  return showAll ? rows : rows.slice(0, SHOWN_ROWS);
}

export function clipped(text: string | undefined, { showAll }: ValuesView): string {
  if (text === undefined || showAll || text.length <= SHOWN_CHARACTERS) return text ?? "";
  return `${cut(text, SHOWN_CHARACTERS)}…`;
}

function isClipped(
  rows: readonly { readonly before?: string | undefined; readonly after: string | undefined }[],
  { showAll }: ValuesView,
): boolean {
  const isLong = (text = "") => text.length > SHOWN_CHARACTERS;
  return (
    !showAll &&
    (rows.length > SHOWN_ROWS || rows.some((row) => isLong(row.before) || isLong(row.after)))
  );
}

export function more(hasMore: boolean, { showAll, onShowAll, texts }: ValuesView, count: number) {
  if (!hasMore || showAll) return nothing;
  return html`<button type="button" part="button" @click=${onShowAll}>
    ${texts.text("showAll", { count })}
  </button>`;
}
