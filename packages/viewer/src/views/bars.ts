// The events over time as bars, and the same numbers as a table for those who do not see bars. Used by the
// frame. Each bar is a button, whose name says its time and its numbers.

import { html, nothing, svg, type TemplateResult } from "lit";
import type { BarPick } from "../bar-pick.ts";
import type { Bar, Bars } from "../bars.ts";
import type { Texts } from "../texts.ts";

export interface BarsView {
  readonly texts: Texts;
  readonly counted: Bars;
  readonly pick: BarPick;
}

const HEIGHT = 100;
const GAP = 0.15;
/** An event among very many still has a bar. */
const MIN_HEIGHT = 3;

export function barChart({ texts, counted, pick }: BarsView): TemplateResult | typeof nothing {
  const { bars, failures } = counted;
  if (bars.length === 0) return nothing;
  const { text } = texts;
  const hasFailures = failures !== undefined && failures > 0;
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  return html`<div class="bars" part="bars">
    <svg
      role="group"
      aria-label=${text("bars")}
      viewBox="0 0 ${bars.length} ${HEIGHT}"
      preserveAspectRatio="none"
      @keydown=${pick.onKey}
      @pointerdown=${pick.onDown}
      @pointermove=${pick.onMove}
      @pointerup=${pick.onUp}
      @pointercancel=${pick.onCancel}
    >
      ${bars.map((bar, place) => barView(bar, { place, highest, hasFailures, pick, name: nameOf(bar, counted, texts) }))}
    </svg>
    <p class="muted legend">
      <span class="all">■</span> ${text("allEventsBar")}
      ${hasFailures ? html`<span class="failures">▃</span> ${text("failures")}` : nothing}
      <span class="how">${text("barsHow")}</span>
    </p>
    ${numbers(counted, texts)}
  </div>`;
}

interface BarLook {
  readonly place: number;
  readonly highest: number;
  readonly hasFailures: boolean;
  readonly pick: BarPick;
  readonly name: string;
}

function barView({ count, failures }: Bar, { place, highest, hasFailures, pick, name }: BarLook) {
  const column = (of: number, kind: string) => {
    const height = of === 0 ? 0 : Math.max(MIN_HEIGHT, (of / highest) * HEIGHT);
    return svg`<rect class=${kind} x=${place + GAP / 2} width=${1 - GAP} y=${HEIGHT - height} height=${height}></rect>`;
  };
  return svg`${column(count, "all")}${hasFailures ? column(failures, "failures") : nothing}
    <rect
      id="bar-${place}"
      class="hit ${pick.has(place) ? "picked" : ""}"
      role="button"
      tabindex=${place === pick.active ? 0 : -1}
      aria-label=${name}
      x=${place}
      width="1"
      y="0"
      height=${HEIGHT}
    ><title>${name}</title></rect>`;
}

function nameOf({ from, to, count, failures }: Bar, counted: Bars, texts: Texts): string {
  const values = { time: texts.span(from, to), count, failures };
  return texts.text(counted.failures === undefined ? "barName" : "barNameFailures", values);
}

function numbers(counted: Bars, { span, number, text }: Texts): TemplateResult {
  const shown = counted.bars.filter(({ count }) => count > 0);
  const hasFailures = counted.failures !== undefined;
  return html`<table class="unseen">
    <caption>
      ${text("bars")}
    </caption>
    <thead>
      <tr>
        <th scope="col">${text("time")}</th>
        <th scope="col">${text("allEventsBar")}</th>
        ${hasFailures ? html`<th scope="col">${text("failures")}</th>` : nothing}
      </tr>
    </thead>
    <tbody>
      ${shown.map(
        ({ from, to, count, failures }) =>
          html`<tr>
            <th scope="row">${span(from, to)}</th>
            <td>${number(count)}</td>
            ${hasFailures ? html`<td>${number(failures)}</td>` : nothing}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
