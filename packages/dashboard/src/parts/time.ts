// Times and sizes as a reader wants them; the exact time of the service is in the title.

import { html, type TemplateResult } from "lit/html.js";

const SHOWN = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const NUMBER = new Intl.NumberFormat("en");
const KIB = 1024;
const UNITS = ["bytes", "KiB", "MiB", "GiB"] as const;

/** In the reader's time zone. */
export function timeView(text: string | null | undefined): TemplateResult {
  if (text === null || text === undefined) return html`<span>–</span>`;
  const at = new Date(text);
  const shown = Number.isNaN(at.getTime()) ? text : SHOWN.format(at);
  return html`<time datetime=${text} title=${text}>${shown}</time>`;
}

export const numberText = (value: number): string => NUMBER.format(value);

export function sizeText(bytes: number | null): string {
  if (bytes === null) return "–";
  let value = bytes;
  let unit = 0;
  while (value >= KIB && unit < UNITS.length - 1) {
    value /= KIB;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}
