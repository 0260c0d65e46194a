// The columns of the table: the head, the width and the cells of each. Used by the table. What an event holds
// becomes text nodes alone, each isolated from the direction of its neighbours.

import type { Part } from "@annals/proof";
import { DEFAULT_COLUMNS } from "@annals/query";
import { html, nothing, type TemplateResult } from "lit";
import type { Row } from "../event-window.ts";
import { badgeOf, isErased, isHidden } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import type { Json, Messages } from "../types.ts";
import { valuesAt } from "../values-at.ts";
import { zoneName } from "../zone.ts";
import { badge } from "./badge.ts";
import { line, outcome, party } from "./facts.ts";
import { visible } from "./visible.ts";

interface Column {
  readonly label: keyof Messages;
  readonly width: string;
  /** The name under which a page styles its cells. */
  readonly part?: string;
}

const TIME = "13.5rem";
const PARTY = "minmax(6rem, 1fr)";

/** The columns that have a label of their own. All others are paths, which are their own labels. */
const COLUMNS: Readonly<Record<string, Column>> = {
  id: { label: "id", width: "minmax(8rem, 1fr)" },
  sequence_number: { label: "sequence", width: "8rem" },
  occurred_at: { label: "time", width: TIME, part: "time" },
  received_at: { label: "receivedAt", width: TIME },
  created_at: { label: "createdAt", width: TIME },
  action: { label: "action", width: "minmax(8rem, 1.2fr)", part: "action" },
  outcome: { label: "outcome", width: "7rem" },
  actor: { label: "actor", width: PARTY, part: "actor" },
  target: { label: "target", width: PARTY, part: "target" },
  "context.ip": { label: "address", width: "8rem", part: "address" },
};
const PATH_WIDTH = "minmax(7rem, 1fr)";
const PROOF_WIDTH = "8.5rem";

/** The widths of the columns, for the style of the table. */
export function widthsOf(columns: readonly string[]): string {
  return [...columns.map((name) => COLUMNS[name]?.width ?? PATH_WIDTH), PROOF_WIDTH].join(" ");
}

/** The cells of a row, or of the head: those that are chosen, and those that a card has besides. */
function all<Cell>(columns: readonly string[], cell: (name: string, kind: string) => Cell): Cell[] {
  const others = DEFAULT_COLUMNS.filter((name) => !columns.includes(name));
  return [
    ...columns.map((name) => cell(name, DEFAULT_COLUMNS.includes(name) ? "" : "wide")),
    ...others.map((name) => cell(name, "card")),
  ];
}

export function heads(columns: readonly string[], texts: Texts): TemplateResult {
  const zone = zoneName(texts.zone);
  const head = (name: string, kind: string) => {
    const column = COLUMNS[name];
    const isTime = column?.width === TIME;
    return html`<div role="columnheader" class="cell ${kind}">
      <span title=${isTime ? zone : nothing}
        >${column ? texts.text(column.label) : visible(name)}${isTime ? ` (${zone})` : ""}</span
      >
    </div>`;
  };
  return html`${all(columns, head)}
    <div role="columnheader" class="cell"><span>${texts.text("proof")}</span></div>`;
}

export function cells(
  columns: readonly string[],
  row: Row,
  texts: Texts,
  now: number,
): TemplateResult {
  const cell = (name: string, kind: string) =>
    html`<div role="gridcell" class="cell ${kind}" part=${COLUMNS[name]?.part ?? "value"}>
      ${name === "action" ? actionOf(row, columns) : content(name, row, texts, now)}
    </div>`;
  return html`${all(columns, cell)}
    <div role="gridcell" class="cell proof">${badge(badgeOf(row), texts, "mark")}</div>`;
}

/** The action with its outcome. Where that has a column, only a card has it here. */
function actionOf({ event }: Row, columns: readonly string[]): TemplateResult {
  const kind = columns.includes("outcome") ? "card" : "";
  return html`<span class="action">${line(event.action)}</span>${outcome(event, kind)}`;
}

function content(name: string, row: Row, texts: Texts, now: number) {
  const { event } = row;
  if (name === "actor" || name === "target") return party(event, name, texts);
  if (name === "outcome") return or(outcome(event), row, "metadata", texts);
  const [member = "", ...path] = name.split(".");
  const value = event[member as keyof typeof event] as Json | undefined;
  if (COLUMNS[name]?.width === TIME && typeof value === "string") return timeOf(value, texts, now);
  const found = valuesAt(value, path);
  const shown = found.length > 0 ? line(found.map(textOf).join(", ")) : nothing;
  return path.length === 0 ? shown : or(shown, row, member as Part, texts);
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

function timeOf(time: string, { relative, short }: Texts, now: number): TemplateResult {
  return html`<time datetime=${time} title="${relative(time, now)}, ${time}">${short(time)}</time>`;
}

/** What is shown; for nothing, whether the part that would have it is erased or hidden. */
function or(
  shown: TemplateResult | typeof nothing,
  row: Row,
  part: Part,
  { text }: Texts,
): TemplateResult | typeof nothing {
  if (shown !== nothing) return shown;
  if (isErased(row.event, part)) return html`<span class="erased">${text("partErased")}</span>`;
  return isHidden(row, part) ? html`<span class="hidden">${text("partHidden")}</span>` : nothing;
}
