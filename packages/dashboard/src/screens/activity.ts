// Activity of an account for the overview: its events of each of the last 30 days with those that failed, and
// its most frequent values. Loaded from the routes that count. Every bar and every value leads to its events.

import type { Routes } from "@annals/sdk/browser";
import { html, nothing, svg, type TemplateResult } from "lit/html.js";
import { countText, numberText } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import type { Zone } from "../parts/zone.ts";

const DAYS = 30;
const TOP = 5;
const HEIGHT = 100;
/** An event among very many still has a bar. */
const MIN_HEIGHT = 3;

/** The fields with top values, by their headings. `field.ip` only if the account has declared it. */
const FIELDS = {
  actor_id: "Top actors",
  action: "Top actions",
  "field.ip": "Top addresses",
} as const;
type FieldName = keyof typeof FIELDS;

interface Day {
  readonly from: string;
  readonly to: string;
  readonly name: string;
  count: number;
  failures: number;
}

export interface Days {
  readonly days: readonly Day[];
  readonly total: number;
  readonly failures: number;
  /** Whether the oldest days may have more events than were counted. */
  readonly isCut: boolean;
}

export interface Top {
  readonly field: FieldName;
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

/** The last 30 days in the zone of the screens; the last one is today. */
export async function loadDays(
  api: Routes,
  { now, zone }: { readonly now: number; readonly zone: Zone },
  signal: AbortSignal,
): Promise<Days> {
  const days = emptyDays(now, zone);
  const query = {
    occurred_from: days[0]?.from ?? "",
    occurred_to: days.at(-1)?.to ?? "",
    interval: "1d",
    time_zone: zone === "utc" ? "UTC" : new Intl.DateTimeFormat().resolvedOptions().timeZone,
  } as const;
  const [all, failed] = await Promise.all([
    api.events.histogram(query, { signal }),
    api.events.histogram({ ...query, outcome: "failure" }, { signal }),
  ]);
  const dayOf = (time: string) => days.findLast(({ from }) => Date.parse(from) <= Date.parse(time));
  for (const { time, count } of all.data) {
    const day = dayOf(time);
    if (day) day.count += count;
  }
  for (const { time, count } of failed.data) {
    const day = dayOf(time);
    if (day) day.failures += count;
  }
  return { days, total: all.total, failures: failed.total, isCut: !all.complete };
}

export async function loadTop(
  api: Routes,
  {
    now,
    zone,
    mayListFields,
  }: { readonly now: number; readonly zone: Zone; readonly mayListFields: boolean },
  signal: AbortSignal,
): Promise<readonly Top[]> {
  // A key without the scope sees the other fields.
  const declared = mayListFields ? await api.searchFields.list({ signal }).catch(() => []) : [];
  const names = Object.keys(FIELDS) as FieldName[];
  const field = names.filter(
    (name) => name !== "field.ip" || declared.some((one) => one.name === "ip"),
  );
  const [first] = emptyDays(now, zone);
  const query = { field, limit: TOP, occurred_from: first?.from ?? "" };
  const facets = await api.events.facets(query, { signal });
  return facets.map(({ values }, at) => ({ field: field[at] ?? "action", values }));
}

export function daysView(
  { days, total, failures, isCut }: Days,
  href: (path: string) => string,
): TemplateResult {
  const highest = Math.max(1, ...days.map(({ count }) => count));
  const column = (of: number, at: number, kind: string) => {
    const height = of === 0 ? 0 : Math.max(MIN_HEIGHT, (of / highest) * HEIGHT);
    return svg`<rect class=${kind} x=${at + 0.1} width="0.8" y=${HEIGHT - height} height=${height}></rect>`;
  };
  return html`<p>
      ${countText(total, "event")}${isCut ? " counted, the newest ones" : ""},
      ${numberText(failures)} of them failures.
    </p>
    <svg
      class="days"
      viewBox="0 0 ${DAYS} ${HEIGHT}"
      preserveAspectRatio="none"
      role="group"
      aria-label="Events a day"
    >
      ${days.map(
        (day, at) => svg`<a href=${href(pathOf(day))} aria-label=${nameOf(day)}>
          <title>${nameOf(day)}</title>
          <rect class="hit" x=${at} width="1" y="0" height=${HEIGHT}></rect>
          ${column(day.count, at, "all")}${column(day.failures, at, "failures")}
        </a>`,
      )}
    </svg>
    <p class="hint"><span class="all">■</span> all <span class="failures">▃</span> failure</p>`;
}

const nameOf = ({ name, count, failures }: Day): string =>
  `${name}: ${countText(count, "event")}, ${countText(failures, "failure")}`;

const pathOf = ({ from, to }: Pick<Day, "from" | "to">): string =>
  `events?${new URLSearchParams({ occurred_from: from, occurred_to: to }).toString()}`;

export function topView(tops: readonly Top[], href: (path: string) => string): TemplateResult {
  return html`${tops.map(({ field, values }) =>
    values.length === 0
      ? nothing
      : html`<h3>${FIELDS[field]}</h3>
          <ol class="plain">
            ${values.map(
              ({ value, count }) =>
                html`<li>
                  <a
                    class="text"
                    href=${href(`events?${new URLSearchParams({ [field]: value }).toString()}`)}
                    >${visible(value)}</a
                  >
                  ${numberText(count)}
                </li>`,
            )}
          </ol>`,
  )}`;
}

function emptyDays(now: number, zone: Zone): Day[] {
  const named = new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    ...(zone === "utc" && { timeZone: "UTC" }),
  });
  return Array.from({ length: DAYS }, (_, at) => {
    const [from, to] = [at - DAYS + 1, at - DAYS + 2].map((by) => midnight(now, by, zone));
    const name = from ? named.format(from) : "";
    return {
      from: from?.toISOString() ?? "",
      to: to?.toISOString() ?? "",
      name,
      count: 0,
      failures: 0,
    };
  });
}

/** The beginning of the day that is so many days after today. */
function midnight(now: number, by: number, zone: Zone): Date {
  const at = new Date(now);
  if (zone === "utc")
    return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + by));
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + by);
}
