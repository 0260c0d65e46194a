// Everything of one event: who did what, what changed, its parts, what was recomputed, its JSON. Used by the
// element. What an event holds becomes text nodes alone; nothing of it is a link.

import { html, nothing, type TemplateResult } from "lit";
import { type Part, PARTS } from "@annals/proof";
import type { Covered, RequestError } from "../client.ts";
import type { Row } from "../event-window.ts";
import type { Recorded } from "../erasures.ts";
import { badgeOf, isErased, isHidden } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import { badge, partName } from "./badge.ts";
import { faultOf } from "./bar.ts";
import { address, line, outcome, party } from "./facts.ts";
import {
  changes,
  clipped,
  membersOf,
  more,
  SHOWN_CHARACTERS,
  valueRow,
  values,
  type ValuesView,
} from "./values.ts";
import { visible, visibleValue } from "./visible.ts";

export interface DetailView extends ValuesView {
  /** Undefined while it is loaded, and if it cannot be. */
  readonly row: Row | undefined;
  readonly error: RequestError | undefined;
  readonly now: number;
  /** What covers the event, null if nothing does yet; undefined if nothing is shown of it. */
  readonly covered: Covered | null | undefined;
  /** The record that says that the part is erased, once it is known. */
  readonly recordOf: (part: Part) => Recorded | undefined;
  /** Undefined if the list has no event in that direction. */
  readonly onNewer: (() => void) | undefined;
  readonly onOlder: (() => void) | undefined;
  readonly onCopyCurl: () => void;
  readonly onClose: () => void;
}

type RowView = DetailView & { readonly row: Row };

export function detail(view: DetailView): TemplateResult {
  const { row, error, texts } = view;
  const { text } = texts;
  const title = row ? html`<bdi>${visible(row.event.action)}</bdi>` : text("event");
  const button = (sign: string, label: string, onClick: (() => void) | undefined) =>
    html`<button
      type="button"
      part="button"
      aria-label=${label}
      title=${label}
      ?disabled=${!onClick}
      @click=${onClick}
    >
      ${sign}
    </button>`;
  return html`<section
    class="detail"
    part="detail"
    tabindex="-1"
    aria-label=${text("details")}
    @keydown=${(pressed: KeyboardEvent) => onKey(pressed, view)}
  >
    <header>
      <h2 class="grow">${title}</h2>
      ${button("‹", text("newer"), view.onNewer)} ${button("›", text("older"), view.onOlder)}
      ${button("✕", text("close"), view.onClose)}
    </header>
    ${
      row
        ? content({ ...view, row })
        : html`<p class="notice">${error ? faultOf(error, texts) : text("loading")}</p>`
    }
  </section>`;
}

function onKey(pressed: KeyboardEvent, { onClose, onNewer, onOlder }: DetailView): void {
  if (pressed.altKey || pressed.ctrlKey || pressed.metaKey || pressed.shiftKey) return;
  if (pressed.key === "Escape") onClose();
  else if (pressed.key === "ArrowUp") onNewer?.();
  else if (pressed.key === "ArrowDown") onOlder?.();
  else return;
  pressed.preventDefault();
}

function content(view: RowView): TemplateResult {
  const { row, texts, now, onCopy, onCopyCurl } = view;
  const { event } = row;
  const { text } = texts;
  const json = jsonOf(event);
  return html`<p class="sentence">
      ${[
        party(event, "actor", texts),
        line(event.action),
        party(event, "target", texts),
        outcome(event),
        address(event),
      ].map((said) => (said === nothing ? nothing : html`<span>${said}</span> `))}
    </p>
    <p>
      <time datetime=${event.occurred_at} title=${texts.relative(event.occurred_at, now)}
        >${texts.exact(event.occurred_at)}</time
      >
      ${badge(badgeOf(row), texts)}
    </p>
    ${parts(view)} ${proof(view)}
    <div class="actions">
      <button type="button" part="button" @click=${() => onCopy(json)}>${text("copyJson")}</button>
      <button type="button" part="button" @click=${onCopyCurl}>${text("copyCurl")}</button>
    </div>
    <details>
      <summary>${text("raw")}</summary>
      <pre part="json" tabindex="0">${visibleValue(clipped(json, view))}</pre>
      ${more(json.length > SHOWN_CHARACTERS, view, 1)}
    </details>`;
}

/** The event as the service returned it, without the proof. */
function jsonOf({ proof: _proof, ...event }: Row["event"]): string {
  return JSON.stringify(event, undefined, 2);
}

/** What changed, then from where, then everything else. What the event has not gets no section. */
function parts(view: RowView): TemplateResult {
  const { row, texts } = view;
  const { event } = row;
  const { text } = texts;
  const section = (title: string, part: Part, shown: TemplateResult | undefined) => {
    const isGone = isErased(event, part);
    const isUnseen = isHidden(row, part);
    if (!shown && !isUnseen && !isGone) return nothing;
    return html`<h3>${title}</h3>
      ${shown ?? nothing}
      ${isGone || isUnseen ? html`<p class="hidden">${isGone ? erasedText(part, view) : text("partHidden")}</p>` : nothing}`;
  };
  const of = (part: "context" | "metadata", title: string) =>
    section(title, part, values(title, membersOf(event[part]), view));
  const changed = changes(event.diff, view);
  return html`${section(changed?.title ?? text("diff"), "diff", changed?.content)}
    ${of("context", text("address"))} ${of("metadata", text("more"))}
    ${(["actor", "target"] as const).map((part) =>
      section(text(part), part, values(text(part), partyRows(part, view), view)),
    )}
    <h3>${text("event")}</h3>
    ${values(text("event"), eventRows(view), view)}`;
}

function partyRows(part: "actor" | "target", { row, texts }: RowView) {
  const { id, type, meta, ...others } = row.event[part] ?? {};
  if (isErased(row.event, part)) return [];
  return [
    ...valueRow(texts.text("id"), id, { filter: `${part}_id` }),
    ...valueRow(texts.text("type"), type, { filter: `${part}_type` }),
    ...membersOf(meta),
    ...membersOf(others),
  ];
}

function eventRows({ row: { event }, texts, now }: RowView) {
  const { exact, relative, text } = texts;
  const time = (name: "occurredAt" | "receivedAt" | "createdAt", at: string) =>
    valueRow(text(name), exact(at), { title: `${relative(at, now)}, ${at}` });
  return [
    ...valueRow(text("action"), event.action, { filter: "action" }),
    ...time("occurredAt", event.occurred_at),
    ...time("receivedAt", event.received_at),
    ...time("createdAt", event.created_at),
    ...valueRow(text("sequence"), String(event.sequence_number)),
    ...valueRow(text("id"), event.id),
  ];
}

function erasedText(part: Part, { recordOf, texts }: DetailView): string {
  const record = recordOf(part);
  if (!record) return texts.text("partErased");
  const said = { time: texts.exact(record.time), number: String(record.sequenceNumber) };
  return texts.text("partErasedBy", said);
}

/** What was recomputed, part by part. */
function proof({ row, covered, texts }: RowView): TemplateResult {
  const { event, check, link = "unchecked" } = row;
  const { text } = texts;
  const checked = check?.state === "unchecked" ? undefined : check;
  const words = { verified: "partVerified", differs: "partDiffers", hidden: "partHidden" } as const;
  const links = {
    verified: "linkVerified",
    differs: "linkDiffers",
    unchecked: "linkUnchecked",
  } as const;
  return html`<h3>${text("proof")}</h3>
    <dl part="proof">
      ${
        checked &&
        PARTS.map(
          (part) =>
            html`<dt>${partName(part, texts)}</dt>
              <dd class=${checked.parts[part]}>
                ${text(isErased(event, part) ? "partErased" : words[checked.parts[part]])}
              </dd>`,
        )
      }
      <dt>${text("link")}</dt>
      <dd class=${link}>${text(links[link])}</dd>
      ${coverage(covered, texts)}
      <dt>${text("hash")}</dt>
      <dd>
        ${checked && html`<span class=${checked.hash}>${text(words[checked.hash])}</span>`}
        <code>${visible(event.hash)}</code>
      </dd>
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
