// Everything of one event: what changed, its parts, what was recomputed, its JSON. Used by the element. What
// an event holds becomes text nodes alone; nothing of it is a link.

import { html, nothing, type TemplateResult } from "lit";
import { type Part, PARTS } from "@annals/proof";
import type { Covered } from "../client.ts";
import type { Row } from "../event-window.ts";
import type { Recorded } from "../erasures.ts";
import { badgeOf, isErased } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import { diffOf, treeOf, type TreeRow } from "../tree.ts";
import type { Json, JsonObject, Messages } from "../types.ts";
import { badge, partName } from "./badge.ts";
import { cut, visible, visibleValue } from "./visible.ts";

/** Rows and characters that are shown until the reader asks for all. */
const SHOWN_ROWS = 100;
const SHOWN_CHARACTERS = 2_000;
const MAX_INDENTS = 8;

export interface DetailView {
  readonly row: Row;
  /** What covers the event, null if nothing does yet; undefined if nothing is shown of it. */
  readonly covered: Covered | null | undefined;
  /** The record that says that the part is erased, once it is known. */
  readonly recordOf: (part: Part) => Recorded | undefined;
  readonly texts: Texts;
  readonly showAll: boolean;
  readonly onShowAll: () => void;
  readonly onCopyJson: () => void;
  readonly onCopyCurl: () => void;
  readonly onClose: () => void;
}

export function detail(view: DetailView): TemplateResult {
  const { row, texts, onClose, onCopyJson, onCopyCurl } = view;
  const { event } = row;
  const { text } = texts;
  const onKey = (pressed: KeyboardEvent) => {
    if (pressed.key === "Escape") onClose();
  };
  return html`<section
    class="detail"
    part="detail"
    tabindex="-1"
    aria-label=${text("details")}
    @keydown=${onKey}
  >
    <header>
      <h2 class="grow"><bdi>${visible(event.action)}</bdi></h2>
      <button type="button" part="button" class="close" @click=${onClose}>${text("close")}</button>
    </header>
    ${badge(badgeOf(row), texts)} ${facts(view)} ${parts(view)} ${proof(view)}
    <div class="actions">
      <button type="button" part="button" @click=${onCopyJson}>${text("copyJson")}</button>
      <button type="button" part="button" @click=${onCopyCurl}>${text("copyCurl")}</button>
    </div>
    <details>
      <summary>${text("raw")}</summary>
      <pre part="json" tabindex="0">${visibleValue(clipped(jsonOf(event), view))}</pre>
      ${more(jsonOf(event).length > SHOWN_CHARACTERS, view)}
    </details>
  </section>`;
}

/** The event as the service returned it, without the proof. */
export function jsonOf({ proof: _proof, ...event }: Row["event"]): string {
  return JSON.stringify(event, undefined, 2);
}

function facts(view: DetailView): TemplateResult {
  const { event } = view.row;
  const { exact, text } = view.texts;
  const party = (part: "actor" | "target") =>
    isErased(event, part) ? erasedText(part, view) : partyOf(event[part]);
  const lines: [keyof Messages, string, string?][] = [
    ["occurredAt", exact(event.occurred_at), event.occurred_at],
    ["actor", party("actor")],
    ["target", party("target")],
    ["sequence", String(event.sequence_number)],
    ["id", event.id],
    ["receivedAt", event.received_at],
    ["createdAt", event.created_at],
  ];
  return html`<dl>
    ${lines.map(
      ([name, value, title]) =>
        html`<dt>${text(name)}</dt>
          <dd title=${title ?? nothing}><bdi>${visible(value)}</bdi></dd>`,
    )}
  </dl>`;
}

function partyOf(party: JsonObject | undefined): string {
  return ["type", "id"]
    .map((name) => party?.[name])
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");
}

function parts(view: DetailView): TemplateResult {
  const { row, texts } = view;
  const { event } = row;
  const { text } = texts;
  const checked = row.check?.state === "unchecked" ? undefined : row.check;
  const isHidden = (part: Part) => checked?.parts[part] === "hidden" || isErased(event, part);
  const section = (title: string, part: Part, content: () => TemplateResult | undefined) => {
    const shown = content();
    if (!shown && !isHidden(part)) return nothing;
    return html`<h3>${title}</h3>
      ${shown ?? html`<p class="hidden">${isErased(event, part) ? erasedText(part, view) : text("partHidden")}</p>`}`;
  };
  // Leaves out what is erased: the facts say so of an actor or a target.
  const meta = (part: "actor" | "target") =>
    isErased(event, part)
      ? nothing
      : section(`${text(part)}: ${text("meta")}`, part, () => values(event[part]?.["meta"], view));
  return html`${section(text("diff"), "diff", () => changes(event.diff, view))}
  ${section(text("metadata"), "metadata", () => values(event.metadata, view))}
  ${section(text("context"), "context", () => values(event.context, view))} ${meta("actor")}
  ${meta("target")}`;
}

function erasedText(part: Part, { recordOf, texts }: DetailView): string {
  const record = recordOf(part);
  if (!record) return texts.text("partErased");
  const said = { time: texts.exact(record.time), number: String(record.sequenceNumber) };
  return texts.text("partErasedBy", said);
}

function changes(diff: JsonObject | undefined, view: DetailView): TemplateResult | undefined {
  const rows = diffOf(diff?.["before"], diff?.["after"]);
  if (rows.length === 0) return undefined;
  const { text } = view.texts;
  return html`<table part="diff">
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
    ${moreRows(rows, view)}`;
}

function values(value: Json | undefined, view: DetailView): TemplateResult | undefined {
  const rows = treeOf(value);
  if (rows.length === 0) return undefined;
  const { text } = view.texts;
  return html`<table part="values">
      <thead>
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
              <td><bdi>${visibleValue(clipped(row.after, view))}</bdi></td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${moreRows(rows, view)}`;
}

function nameOf({ depth, name }: TreeRow): TemplateResult {
  const indents = Array.from({ length: Math.min(depth, MAX_INDENTS) });
  return html`<th scope="row">
    ${indents.map(() => html`<span class="indent"></span>`)}<bdi
      >${visible(cut(name, SHOWN_CHARACTERS))}</bdi
    >
  </th>`;
}

function shownOf(rows: readonly TreeRow[], { showAll }: DetailView): readonly TreeRow[] {
  return showAll ? rows : rows.slice(0, SHOWN_ROWS);
}

function clipped(text: string | undefined, { showAll }: DetailView): string {
  if (text === undefined || showAll || text.length <= SHOWN_CHARACTERS) return text ?? "";
  return `${cut(text, SHOWN_CHARACTERS)}…`;
}

function moreRows(rows: readonly TreeRow[], view: DetailView) {
  const isLong = (text = "") => text.length > SHOWN_CHARACTERS;
  const isClipped =
    rows.length > SHOWN_ROWS || rows.some((row) => isLong(row.before) || isLong(row.after));
  return more(isClipped, view, rows.length);
}

function more(isClipped: boolean, { showAll, onShowAll, texts }: DetailView, count?: number) {
  if (!isClipped || showAll) return nothing;
  return html`<button type="button" part="button" @click=${onShowAll}>
    ${texts.text("showAll", { count: count ?? 1 })}
  </button>`;
}

/** What was recomputed, part by part. */
function proof({ row, covered, texts }: DetailView): TemplateResult {
  const { event, check, link = "unchecked" } = row;
  const { text } = texts;
  const states =
    check === undefined || check.state === "unchecked"
      ? []
      : [...PARTS.map((part) => [part, check.parts[part]] as const), ["hash", check.hash] as const];
  const words = { verified: "partVerified", differs: "partDiffers", hidden: "partHidden" } as const;
  const links = {
    verified: "linkVerified",
    differs: "linkDiffers",
    unchecked: "linkUnchecked",
  } as const;
  return html`<h3>${text("proof")}</h3>
    <dl part="proof">
      ${states.map(
        ([part, state]) =>
          html`<dt>${partName(part, texts)}</dt>
            <dd class=${state}>
              ${text(part !== "hash" && isErased(event, part) ? "partErased" : words[state])}
            </dd>`,
      )}
      <dt>${text("link")}</dt>
      <dd class=${link}>${text(links[link])}</dd>
      ${coverage(covered, texts)}
      <dt>${text("hash")}</dt>
      <dd><code>${visible(event.hash)}</code></dd>
      <dt>${text("previousHash")}</dt>
      <dd><code>${visible(event.previous_hash)}</code></dd>
    </dl>`;
}

/** What the service says of the log, which the browser does not check. */
function coverage(covered: Covered | null | undefined, { exact, text }: Texts) {
  if (covered === undefined) return nothing;
  const count = covered?.witness_count ?? 0;
  const name = (["covered", "coveredSeenByOne"] as const)[count] ?? "coveredSeenBy";
  const said = covered ? text(name, { time: exact(covered.time), count }) : text("notCovered");
  return html`<dt>${text("log")}</dt>
    <dd>${said}</dd>`;
}
