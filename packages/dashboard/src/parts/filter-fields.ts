// The filters of events as a part of a form: one value of each for exports and widget tokens, with all others
// as a query, several for webhooks and sinks.

import { type Filters, isFilterName, parseQuery, printQuery } from "@annals/query";
import type { Routes } from "@annals/sdk/browser";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { area, field, linesIn, textIn, timeField, timeIn } from "./form.ts";

const TEXTS = {
  action: "Action",
  actor_id: "Actor id",
  actor_type: "Actor type",
  target_id: "Target id",
  target_type: "Target type",
} as const;

const HINTS: Readonly<Record<string, string>> = {
  action: "A * at the end matches every action that begins so",
};

const TIMES = {
  occurred_from: "Occurred from (local time)",
  occurred_to: "Occurred before (local time)",
} as const;

/** Filters that have one value each. */
const SINGLE: readonly string[] = [...Object.keys(TIMES), "text"];

const FURTHER = "further";
const EXAMPLE = "-outcome:success ip:203.0.113.0/24";

/** The filters of a list of events that parameters have. */
export function filtersIn(parameters: URLSearchParams): Filters {
  const names = [...new Set(parameters.keys())].filter(isFilterName);
  const lists = names.map(
    (name) => [name, parameters.getAll(name).filter((value) => value !== "")] as const,
  );
  return Object.fromEntries(lists.filter(([, values]) => values.length > 0));
}

export function parametersOf(filters: Filters): URLSearchParams {
  const pairs = Object.entries(filters).flatMap(([name, values]) =>
    values.map((value) => [name, value]),
  );
  return new URLSearchParams(pairs);
}

/** Whether a filter has a field of its own. */
const isShort = ([name, values]: readonly [string, readonly string[]]): boolean =>
  values.length === 1 && (name in TEXTS || name in TIMES);

const MAX_LENGTH = 256;

/** `given` has what is filled in already, such as the filters of the events that were shown. */
export function filterFields(given = new URLSearchParams()): TemplateResult {
  const filters = Object.entries(filtersIn(given));
  const short = Object.fromEntries(filters.filter(isShort));
  const value = (name: string) => short[name]?.[0] ?? "";
  const texts = Object.entries(TEXTS).map(([name, label]) =>
    field({ name, label, hint: HINTS[name], maxLength: MAX_LENGTH, value: value(name) }),
  );
  const times = Object.entries(TIMES).map(([name, label]) =>
    field({ name, label, type: "datetime-local", value: timeField(value(name)) }),
  );
  const further = field({
    name: FURTHER,
    label: "Further filters",
    hint: `As in the search bar, such as ${EXAMPLE}`,
    value: printQuery(Object.fromEntries(filters.filter((one) => !isShort(one)))),
  });
  return html`<details ?open=${filters.length > 0}>
    <summary>Only some events</summary>
    <div class="fields">${texts} ${times} ${further}</div>
  </details>`;
}

/** The filters that were filled in. A time is of the reader's zone. */
export function filterIn(form: FormData): FilterBody {
  const texts = Object.keys(TEXTS).map((name) => [name, textIn(form, name)]);
  const times = Object.keys(TIMES).map((name) => [name, timeIn(form, name) ?? ""]);
  const short = Object.fromEntries([...texts, ...times].filter(([, value]) => value !== ""));
  return { ...furtherIn(textIn(form, FURTHER)), ...short };
}

type FilterBody = NonNullable<NonNullable<Parameters<Routes["exports"]["create"]>[0]>["filter"]>;

interface Members {
  [name: string]: string | string[] | Members;
}

/** What a query filters by. */
function furtherIn(query: string): FilterBody {
  const { filters, fault } = parseQuery(query);
  const wrong = fault && query.slice(fault.from, fault.to);
  if (fault) throw new Error(`Further filters: "${wrong}" is wrong. Write filters as ${EXAMPLE}.`);
  return bodyOf(filters);
}

/** Filters as a body has them. */
export function bodyOf(filters: Filters): FilterBody {
  const body: Members = {};
  for (const [parameter, values] of Object.entries(filters)) {
    const [, not, declared, name = ""] = /^(not\.)?(field\.)?(.*)$/.exec(parameter) ?? [];
    const outer = not === undefined ? body : memberOf(body, "not");
    const members = declared === undefined ? outer : memberOf(outer, "fields");
    members[name] = SINGLE.includes(name) ? (values[0] ?? "") : [...values];
  }
  return body;
}

const memberOf = (members: Members, name: string): Members => (members[name] ??= {}) as Members;

/** `action invoice.*, not.field.ip 10.0.0.1`; for no filter "all events". */
export function filterText(filter: object): string {
  const parts = membersIn(filter).map(([name, values]) => `${name} ${values.join(",")}`);
  return parts.length === 0 ? "all events" : parts.join(", ");
}

/** The filters that a body has. */
export function filtersOfBody(filter: object): Filters {
  return Object.fromEntries(membersIn(filter).map(([name, values]) => [name, values.map(String)]));
}

/** The members of a filter that have values, by the names of a list's parameters. */
export function membersIn(filter: object, within = ""): [name: string, values: unknown[]][] {
  return Object.entries(filter).flatMap(([name, value]: [string, unknown]) => {
    const isNested = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isNested) return [[within + name, [value].flat()]];
    return membersIn(value, within + (name === "fields" ? "field." : `${name}.`));
  });
}

/** Those of webhooks and sinks. */
const SENT_TEXTS = { ...TEXTS, outcome: "Outcome" } as const;

type Sent = Partial<Record<keyof typeof SENT_TEXTS, string[]>>;

/** Members of their filters that the form shows and does not change. */
const KEPT = ["fields", "not"];

const keptIn = (filter: object) =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => KEPT.includes(name)));

function valuesOf(filter: object, name: string): readonly string[] {
  const [, values] = Object.entries(filter).find(([member]) => member === name) ?? [];
  return (values as readonly string[] | undefined) ?? [];
}

/** Any number of values, and those that are set. */
export function valueFields(filter: object = {}): TemplateResult {
  const isSet = membersIn(filter).some(([, values]) => values.length > 0);
  const kept = keptIn(filter);
  const areas = Object.entries(SENT_TEXTS).map(([name, label]) =>
    area({ name, label, hint: HINTS[name], value: valuesOf(filter, name).join("\n") }),
  );
  return html`<details ?open=${isSet}>
    <summary>Only some events</summary>
    <p class="hint">
      One value a line. An event is sent if it has one of the values of each field.
    </p>
    <div class="fields">${areas}</div>
    ${Object.keys(kept).length > 0 ? html`<p class="hint">Stays as it is: ${filterText(kept)}</p>` : nothing}
  </details>`;
}

export function valuesIn(form: FormData): Sent {
  const values = Object.keys(SENT_TEXTS).map((name) => [name, linesIn(form, name)] as const);
  return Object.fromEntries(values.filter(([, lines]) => lines.length > 0));
}

/**
 * What a form makes of the filter that it showed: undefined if nothing was changed, null if nothing is left.
 * A member without a value, which an erasure has emptied and no event has, is not lost while it is not
 * changed.
 */
export function changedFilter(form: FormData, before: object = {}): Sent | null | undefined {
  const given = valuesIn(form);
  const isSame = Object.keys(SENT_TEXTS).every(
    (name) => JSON.stringify(valuesOf(given, name)) === JSON.stringify(valuesOf(before, name)),
  );
  if (isSame) return undefined;
  const filter = { ...given, ...keptIn(before) };
  return Object.keys(filter).length === 0 ? null : filter;
}
